//! Changes of a policy that the gate reports, and `[[policy.accept]]`, which accepts one of them.

use super::gate_attestation::{ATTEST, KEY, TRUST};
use super::support::{FORMATS, git, json_report, run, write};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

const GREEN: &str = include_str!("../../corpora/gate-demo/green/traces/diff-fix.jsonl");
const CONFIG: &str = "[traces]\npaths = ['traces']\n[policy]\nfile = 'policy.yaml'\nuntested = 'it is young'\nbase = 'main'\n";

/// A policy about two tools.
fn tools(effect: &str) -> String {
    format!(
        "rules:\n  - {{ id: tools, when: {{ tool: [alpha, beta] }}, effect: {effect}, reason: r }}\n"
    )
}

/// A repository whose branch began with the policy `base` and has the policy `head`.
fn repository(base: &str, head: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    git(root, &["init", "-q", "-b", "main"]);
    write(root, "policy.yaml", base);
    write(root, "traces/a.jsonl", GREEN);
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "begin"]);
    git(root, &["checkout", "-q", "-b", "work"]);
    write(root, "policy.yaml", head);
    write(root, "yuangs-verify.toml", CONFIG);
    directory
}

/// Writes a configuration that accepts these findings.
fn accept(root: &Path, entries: &[(&str, &str)]) {
    let entries = entries.iter().map(|(fingerprint, more)| {
        format!("[[policy.accept]]\nfingerprint = '{fingerprint}'\nreason = 'meant'\n{more}\n")
    });
    let config = format!("{CONFIG}{}", entries.collect::<String>());
    write(root, "yuangs-verify.toml", &config);
}

/// The fingerprints of the findings with a code.
fn fingerprints(report: &Value, code: &str) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|f| f["code"] == code)
        .map(|f| f["fingerprint"].as_str().unwrap().to_owned())
        .collect()
}

fn notices(report: &Value) -> String {
    report["notices"].to_string()
}

#[test]
fn an_accepted_change_hides_no_other_of_the_same_rule() {
    let directory = repository(&tools("deny"), &tools("allow"));
    let root = directory.path();
    let (code, report) = json_report(root, &["gate"]);
    let both = fingerprints(&report, "YV516");
    assert_eq!((code, both.len()), (1, 2));
    accept(root, &[(&both[0], "")]);
    let (code, report) = json_report(root, &["gate"]);
    assert_eq!(
        (code, fingerprints(&report, "YV516")),
        (1, vec![both[1].clone()])
    );
    let said = "changes of the policy accepted by the configuration: 1";
    assert!(notices(&report).contains(said), "{}", notices(&report));
    accept(root, &[(&both[0], ""), (&both[1], "")]);
    for format in FORMATS {
        let ran = run(root, &["gate", "--format", format]);
        let said = "changes of the policy accepted by the configuration";
        assert!(
            ran.code == 0 && ran.out.contains(said),
            "{format}: {}",
            ran.out
        );
    }
    // The branch takes the change back.
    write(root, "policy.yaml", &tools("deny"));
    let (code, report) = json_report(root, &["gate"]);
    let unused = "policy.accept number 2 (meant) matches nothing any more";
    assert!(
        code == 0 && notices(&report).contains(unused),
        "{}",
        notices(&report)
    );
}

#[test]
fn an_acceptance_ends_with_its_day() {
    let directory = repository(&tools("deny"), &tools("allow"));
    let root = directory.path();
    let both = fingerprints(&json_report(root, &["gate"]).1, "YV516");
    accept(root, &[(&both[0], ""), (&both[1], "expires = 2027-01-31")]);
    for (now, passes, said) in [
        (
            &["--now", "2027-01-31"][..],
            true,
            "accepted by the configuration: 2",
        ),
        (
            &["--now", "2027-02-01"],
            false,
            "number 2 (meant) expired on 2027-01-31",
        ),
        (
            &[],
            false,
            "number 2 (meant) has an expiry date and was skipped",
        ),
    ] {
        let (code, report) = json_report(root, &[&["gate"], now].concat());
        let left = fingerprints(&report, "YV516");
        let expected = if passes {
            vec![]
        } else {
            vec![both[1].clone()]
        };
        assert_eq!((code == 0, left), (passes, expected));
        assert!(notices(&report).contains(said), "{}", notices(&report));
    }
}

#[test]
fn an_attestation_counts_what_was_accepted() {
    let directory = repository(&tools("deny"), &tools("allow"));
    let root = directory.path();
    write(root, "key.pem", KEY);
    write(root, "trust.json", TRUST);
    let both = fingerprints(&json_report(root, &["gate"]).1, "YV516");
    accept(root, &[(&both[0], ""), (&both[1], "")]);
    let ran = run(root, &[&["gate"], &ATTEST[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let verify = |more: &[&str]| {
        let args = ["attest", "verify", "a.json", "--keys", "trust.json"];
        run(root, &[&args[..], &["--signer", "the gate"], more].concat())
    };
    let ran = verify(&[]);
    assert!(
        ran.code == 1 && ran.out.contains("findings that were accepted: 2"),
        "{}",
        ran.out
    );
    assert_eq!(verify(&["--allow-ignored"]).code, 0);
}

#[test]
fn what_is_newly_asked_is_a_warning_or_a_note() {
    for (base, code, severity) in [("deny", "YV506", "warning"), ("allow", "YV507", "note")] {
        let directory = repository(&tools(base), &tools("ask"));
        let root = directory.path();
        let (exit, report) = json_report(root, &["gate"]);
        let found = report["findings"].as_array().unwrap().iter();
        let found: Vec<_> = found.filter(|f| f["code"] == code).collect();
        assert_eq!((exit, found.len()), (0, 2), "{report}");
        assert_eq!(found[0]["severity"], severity);
        let both = fingerprints(&report, code);
        accept(root, &[(&both[0], "")]);
        let (_, report) = json_report(root, &["gate"]);
        assert_eq!(fingerprints(&report, code), both[1..], "{report}");
    }
}

#[test]
fn what_is_inconclusive_fails_the_gate_and_cannot_be_accepted() {
    let odd = "id: odd, when: { command: { program: rm, raw: '^ls$' } }, effect: deny, reason: r";
    let base = format!("default: allow\nrules:\n  - {{ {odd} }}\n");
    let head = base.replace("rm", "rmdir");
    let directory = repository(&base, &head);
    let root = directory.path();
    let (code, report) = json_report(root, &["gate"]);
    let doubts = fingerprints(&report, "YV519");
    assert!(code == 1 && !doubts.is_empty(), "{report}");
    let all: Vec<(&str, &str)> = doubts.iter().map(|one| (one.as_str(), "")).collect();
    accept(root, &all);
    let (code, report) = json_report(root, &["gate"]);
    assert_eq!((code, fingerprints(&report, "YV519")), (1, doubts));
    let said = "policy.accept number 1 (meant) names YV519, which can't be accepted";
    assert!(notices(&report).contains(said), "{}", notices(&report));
}

#[test]
fn classes_that_are_not_listed_are_not_accepted_with_the_others() {
    let names: Vec<String> = (0..30).map(|n| format!("send_{n}")).collect();
    let many = |effect: &str| {
        let names = names.join(", ");
        format!(
            "rules:\n  - {{ id: s, when: {{ tool: [{names}] }}, effect: {effect}, reason: r }}\n"
        )
    };
    let directory = repository(&many("deny"), &many("allow"));
    let root = directory.path();
    let (_, report) = json_report(root, &["gate"]);
    let listed = fingerprints(&report, "YV516");
    let all: Vec<(&str, &str)> = listed.iter().map(|one| (one.as_str(), "")).collect();
    accept(root, &all);
    let (code, report) = json_report(root, &["gate"]);
    assert!(code == 1 && all.len() > 10, "{report}");
    assert!(fingerprints(&report, "YV516").is_empty(), "{report}");
    assert!(!fingerprints(&report, "YV519").is_empty(), "{report}");
}

#[test]
fn mistakes_in_an_acceptance_are_errors_of_the_configuration() {
    let directory = repository(&tools("deny"), &tools("deny"));
    let root = directory.path();
    for (entry, said) in [
        ("fingerprint = 'x'\n", "missing field `reason`"),
        ("reason = 'r'\n", "missing field `fingerprint`"),
        (
            "fingerprint = 'x'\nreason = ' '\n",
            "`[[policy.accept]]` needs a reason",
        ),
        (
            "fingerprint = 'x'\nreason = 'r'\nexpires = '2027-02-30'\n",
            "[[policy.accept]]: `2027-02-30` isn't a date",
        ),
        (
            "fingerprint = 'x'\nreason = 'r'\nuntil = '2027-02-30'\n",
            "unknown key `until`",
        ),
    ] {
        let config = format!("{CONFIG}[[policy.accept]]\n{entry}");
        write(root, "yuangs-verify.toml", &config);
        let ran = run(root, &["gate"]);
        assert!(
            ran.code == 2 && ran.err.contains(said),
            "{entry}: {}",
            ran.err
        );
    }
}
