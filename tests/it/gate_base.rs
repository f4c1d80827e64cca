//! Pull requests: the gate takes its rules from the base revision.

use super::gate_attestation::{ATTEST, KEY, TRUST};
use super::gate_inputs::{GREEN, PLAIN, RED, commit, folder, found, git, write};
use super::support::{FORMATS, json_report, run};
use std::fs;

/// Creates a branch at the newest commit.
pub(super) fn branch(git: &git2::Repository, name: &str) {
    git.branch(name, &git.head().unwrap().peel_to_commit().unwrap(), true)
        .unwrap();
}

#[test]
fn a_change_is_not_checked_by_its_own_rules() {
    let strict = format!("{PLAIN}[policy]\nfile = 'rules/policy.yaml'\nuntested = 'it is young'\n");
    let policy = |effect: &str| {
        format!(
            "rules:\n  - {{ id: a, when: {{ type: [code_diff, tool_call, shell_cmd] }}, effect: {effect}, reason: r }}\n"
        )
    };
    let folder = folder(&[
        ("yuangs-verify.toml", &strict),
        ("rules/policy.yaml", &policy("deny")),
        ("traces/a.jsonl", GREEN),
        ("deep/x.txt", "x"),
    ]);
    let root = folder.path();
    let git = git(root);
    branch(&git, "base");
    // The change removes the policy and the rule that would stop it.
    let lax = format!("{PLAIN}[[ignore]]\ncode = 'YV301'\nreason = 'fine'\n");
    write(
        root,
        &[
            ("yuangs-verify.toml", &lax),
            ("rules/policy.yaml", &policy("allow")),
            ("traces/a.jsonl", RED),
        ],
    );
    commit(&git);
    assert_eq!(run(root, &["gate"]).code, 0, "by its own rules it passes");
    for place in [root.to_path_buf(), root.join("deep")] {
        let (code, report) = json_report(&place, &["gate", "--config-from", "base"]);
        let codes: Vec<&str> = found(&report).into_iter().map(|(code, _)| code).collect();
        assert!(
            code == 1 && codes.contains(&"YV301") && codes.contains(&"YV501"),
            "{report:#}"
        );
        assert!(
            found(&report).contains(&("YV301", "traces/a.jsonl")),
            "{report:#}"
        );
        let notices = report["notices"].to_string();
        assert!(
            notices.contains("the rules are those of `base`"),
            "{notices}"
        );
        assert!(
            notices.contains("which don't count here: yuangs-verify.toml, rules/policy.yaml"),
            "{notices}"
        );
    }
    let ran = run(root, &["gate", "--config-from", "base:yuangs-verify.toml"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    // A user who can push a tag can't choose the rules.
    git.tag_lightweight(
        "base",
        &git.head().unwrap().peel(git2::ObjectType::Commit).unwrap(),
        false,
    )
    .unwrap();
    let ran = run(root, &["gate", "--config-from", "base"]);
    assert!(
        ran.code == 2 && ran.err.contains("ambiguous"),
        "{}",
        ran.err
    );
    assert_eq!(
        run(root, &["gate", "--config-from", "refs/heads/base"]).code,
        1
    );
    git.tag_delete("base").unwrap();
    let both = run(
        root,
        &[
            "gate",
            "--config",
            "yuangs-verify.toml",
            "--config-from",
            "base",
        ],
    );
    assert_eq!(both.code, 2);
    for (from, why) in [
        ("none", "is it fetched"),
        ("base:../x.toml", "leads out"),
        ("base:/x.toml", "leads out"),
        ("base:rules", "--first-run"),
    ] {
        let ran = run(root, &["gate", "--config-from", from]);
        assert!(
            ran.code == 2 && ran.err.contains(why),
            "{from}: {}",
            ran.err
        );
    }
}

#[test]
fn the_first_configuration_needs_a_word() {
    let folder = folder(&[("traces/a.jsonl", GREEN)]);
    let root = folder.path();
    let git = git(root);
    branch(&git, "base");
    write(root, &[("yuangs-verify.toml", PLAIN)]);
    commit(&git);
    let ran = run(root, &["gate", "--config-from", "base"]);
    assert!(
        ran.code == 2
            && ran.err.contains("`base` has no configuration")
            && ran.err.contains("--first-run"),
        "{}",
        ran.err
    );
    for format in FORMATS {
        let ran = run(
            root,
            &[
                "gate",
                "--config-from",
                "base",
                "--first-run",
                "--format",
                format,
            ],
        );
        assert!(
            ran.code == 0 && ran.out.contains("so the rules are those of the work tree"),
            "{format}: {}{}",
            ran.out,
            ran.err
        );
    }
    assert_eq!(
        run(root, &["gate", "--config-from", "gone", "--first-run"]).code,
        2,
        "not fetched isn't new"
    );
    branch(&git, "base");
    write(
        root,
        &[("yuangs-verify.toml", "[traces]\npaths = ['nowhere']\n")],
    );
    let ran = run(root, &["gate", "--config-from", "base", "--first-run"]);
    assert!(
        ran.code == 0 && ran.out.contains("--first-run is no longer needed"),
        "the base has one: {}",
        ran.out
    );
}

#[test]
fn a_baseline_and_a_trust_file_of_the_change_do_not_count() {
    let folder = folder(&[
        (
            "yuangs-verify.toml",
            &format!("{PLAIN}[baseline]\nfile = 'known.json'\n"),
        ),
        ("traces/a.jsonl", GREEN),
    ]);
    let root = folder.path();
    write(root, &[("known.json", "{\"version\":1,\"findings\":[]}")]);
    let git = git(root);
    branch(&git, "base");
    write(root, &[("traces/a.jsonl", RED)]);
    assert_eq!(
        run(root, &["gate", "--write-baseline", "known.json"]).code,
        0
    );
    commit(&git);
    assert_eq!(run(root, &["gate"]).code, 0);
    assert_eq!(run(root, &["gate", "--config-from", "base"]).code, 1);
    assert_eq!(
        run(
            root,
            &["gate", "--config-from", "base", "--baseline", "known.json"]
        )
        .code,
        1,
        "what is named lies in the change"
    );
    let (known, elsewhere) = (root.join("known.json"), tempfile::tempdir().unwrap());
    let kept = elsewhere.path().join("known.json");
    fs::copy(&known, &kept).unwrap();
    assert_eq!(
        run(
            root,
            &[
                "gate",
                "--config-from",
                "base",
                "--baseline",
                kept.to_str().unwrap()
            ]
        )
        .code,
        0
    );
    write(
        root,
        &[(
            "yuangs-verify.toml",
            &format!("{PLAIN}[keys]\nfile = '../trust.json'\n"),
        )],
    );
    commit(&git);
    branch(&git, "base");
    let ran = run(root, &["gate", "--config-from", "base"]);
    assert!(
        ran.code == 2 && ran.err.contains("leads out of its folder"),
        "{}",
        ran.err
    );
    for file in ["/etc/passwd", "none.json"] {
        write(
            root,
            &[(
                "yuangs-verify.toml",
                &format!("{PLAIN}[keys]\nfile = '{file}'\n"),
            )],
        );
        commit(&git);
        branch(&git, "base");
        assert_eq!(
            run(root, &["gate", "--config-from", "base"]).code,
            2,
            "{file}"
        );
    }
    #[cfg(unix)]
    {
        write(
            root,
            &[
                (
                    "yuangs-verify.toml",
                    &format!("{PLAIN}[keys]\nfile = 'trust.json'\n"),
                ),
                ("real.json", TRUST),
            ],
        );
        std::os::unix::fs::symlink("real.json", root.join("trust.json")).unwrap();
        commit(&git);
        branch(&git, "base");
        let ran = run(root, &["gate", "--config-from", "base"]);
        assert!(
            ran.code == 2 && ran.err.contains("symbolic link"),
            "{}",
            ran.err
        );
        fs::remove_file(root.join("yuangs-verify.toml")).unwrap();
        std::os::unix::fs::symlink("real.json", root.join("yuangs-verify.toml")).unwrap();
        commit(&git);
        branch(&git, "base");
        assert_eq!(
            run(root, &["gate", "--config-from", "base", "--first-run"]).code,
            2
        );
    }
}

#[test]
fn an_attestation_is_about_the_rules_that_were_read() {
    let folder = folder(&[
        ("yuangs-verify.toml", PLAIN),
        ("traces/a.jsonl", GREEN),
        ("key.pem", KEY),
        ("trust.json", TRUST),
    ]);
    let root = folder.path();
    let git = git(root);
    branch(&git, "base");
    write(
        root,
        &[(
            "yuangs-verify.toml",
            &format!("{PLAIN}allow-empty = 'lax'\n"),
        )],
    );
    commit(&git);
    assert_eq!(
        run(
            root,
            &[&["gate", "--config-from", "base"], &ATTEST[..]].concat()
        )
        .code,
        0
    );
    let verify = [
        "attest",
        "verify",
        "a.json",
        "--keys",
        "trust.json",
        "--signer",
        "the gate",
    ];
    let ran = run(root, &verify);
    assert!(
        ran.code == 1
            && ran
                .out
                .contains("the configuration isn't what was attested"),
        "{}",
        ran.out
    );
    let ran = run(root, &[&verify[..], &["--config-from", "base"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.out);
    let own = [
        "attest",
        "--config-from",
        "base",
        "--key",
        "key.pem",
        "--key-id",
        "ci",
        "--now",
        "2027-01-31",
        "--output",
        "b.json",
    ];
    assert_eq!(run(root, &own).code, 0);
    assert_eq!(
        fs::read(root.join("a.json")).unwrap(),
        fs::read(root.join("b.json")).unwrap()
    );
}
