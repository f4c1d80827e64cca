//! Comparisons of policies from the command line.

use super::policy::{POLICY, code, run};
use agent_policy::SHIPPED;
use sha2::Digest as _;
use std::path::Path;

#[test]
fn a_comparison_that_cannot_tell_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let odd = "  - { id: odd, when: { command: { program: rm, raw: '^ls$' } }, effect: deny, reason: r }\n";
    std::fs::write(at.join("base.yaml"), format!("{POLICY}{odd}")).unwrap();
    std::fs::write(at.join("head.yaml"), POLICY).unwrap();
    let args = ["compare", "base.yaml", "head.yaml", "--cases", "50"];
    let output = run(at, &args);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("error[YV519] comparison-inconclusive: inconclusive: rules `odd` and"),
        "{text}"
    );
    let output = run(at, &[&args[..], &["--format", "json"]].concat());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let what = report["pairs"][0]["inconclusive"][0]["what"]
        .as_str()
        .unwrap();
    assert!(what.starts_with("rules `odd` and"), "{what}");
    assert_eq!(report["exhaustive"], false);
    assert_eq!(
        code(at, &["compare", "head.yaml", "base.yaml", "--cases", "50"]),
        0,
        "one more denial makes nothing milder"
    );
    // A decision that depends on the context is found, and printed with the context.
    let strict = SHIPPED.iter().find(|s| s.name == "strict").unwrap().text;
    let at_production = strict.find("  - id: production").unwrap();
    let at_network = strict.find("  - id: network").unwrap();
    std::fs::write(
        at.join("s.yaml"),
        format!("{}{}", &strict[..at_production], &strict[at_network..]),
    )
    .unwrap();
    let output = run(at, &["compare", "strict", "s.yaml", "--cases", "50"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("more permissive: deny by `production` becomes require_approval")
            && text.contains("production true"),
        "{text}"
    );
    std::fs::write(
        at.join("s.yaml"),
        strict.replace("max_per_minute: 30", "max_per_minute: 30000"),
    )
    .unwrap();
    assert_eq!(
        code(at, &["compare", "strict", "s.yaml", "--cases", "50"]),
        1
    );
}

/// Under `first-match`, the order of rules matters too.
#[test]
fn a_comparison_minds_the_order_of_rules() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let stops = "  - { id: no-tenant, when: { pattern: 'tenant-4711' }, effect: deny, reason: Off limits }\n";
    let allows =
        "  - { id: reads, when: { tool: 'mcp__crm__get_*' }, effect: allow, reason: Reads }\n";
    let other = "  - { id: shell, when: { type: shell_cmd }, effect: ask, reason: Runs }\n";
    let write = |name: &str, rules: &[&str]| {
        let head = "version: 1\nid: p\ncombine: first-match\ndefault: { effect: require_approval, reason: d }\nrules:\n";
        std::fs::write(at.join(name), format!("{head}{}", rules.concat())).unwrap();
    };
    write("base.yaml", &[stops, allows, other]);
    let compare = |rules: &[&str]| {
        write("head.yaml", rules);
        let output = run(at, &["compare", "base.yaml", "head.yaml", "--cases", "50"]);
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (code, text) = compare(&[allows, stops, other]);
    assert!(
        code == Some(1)
            && text.contains("more permissive: deny by `no-tenant` becomes allow by `reads`"),
        "{text}"
    );
    let (code, text) = compare(&[
        &allows.replace("reads", "some").replace("get_", "get_c"),
        stops,
        allows,
        other,
    ]);
    assert!(
        code == Some(1)
            && text.contains("more permissive: deny by `no-tenant` becomes allow by `some`"),
        "{text}"
    );
    let (code, text) = compare(&[stops, other, allows]);
    assert_eq!(
        code,
        Some(0),
        "no action is a shell command and calls a tool: {text}"
    );
    // However odd an action has to be to match both, it is found.
    let hidden = stops.replace(
        "tenant-4711'",
        "(tenant|x{500}y{500}z{500}x{500}y{500})-4711', not: { pattern: tenant }",
    );
    write("base.yaml", &[&hidden, allows]);
    let (code, text) = compare(&[allows, &hidden]);
    assert!(
        code == Some(1)
            && text.contains("more permissive: deny by `no-tenant` becomes allow by `reads`"),
        "{text}"
    );
}

#[test]
fn a_comparison_says_what_it_did_not_compare() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for name in ["base", "head"] {
        std::fs::create_dir(at.join(name)).unwrap();
        std::fs::write(at.join(name).join("p.yaml"), POLICY).unwrap();
    }
    let args = ["compare", "base", "head", "--cases", "50"];
    assert_eq!(code(at, &args), 0);
    std::fs::write(at.join("base/q.yaml"), POLICY).unwrap();
    let output = run(at, &args);
    assert_eq!(
        output.status.code(),
        Some(1),
        "a policy that is gone is no policy that holds"
    );
    assert!(
        String::from_utf8_lossy(&output.stdout)
            .contains("not compared: q.yaml is only in the base")
    );
    assert_eq!(code(at, &["compare", "base", "head/p.yaml"]), 2);
    assert_eq!(code(at, &["compare", "main:p.yaml", "head/p.yaml"]), 2);
    let output = run(
        at,
        &[
            "compare", "yuangs", "default", "--cases", "2000", "--format", "json",
        ],
    );
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["exhaustive"], false);
    assert_eq!(report["pairs"][0]["made"], 2000);
    assert!(
        report["pairs"][0]["differences"]
            .as_array()
            .unwrap()
            .iter()
            .all(|d| d["witness"]["type"].is_string())
    );
    assert!(
        report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|f| f["code"] == "YV516")
    );
}

/// Commits the directory `rules`.
fn commit_rules(git: &git2::Repository) {
    let mut index = git.index().unwrap();
    index
        .add_all(["rules"], git2::IndexAddOption::DEFAULT, None)
        .unwrap();
    let tree = git.find_tree(index.write_tree().unwrap()).unwrap();
    let who =
        git2::Signature::new("A", "a@example.com", &git2::Time::new(1_700_000_000, 0)).unwrap();
    let parent = git.head().ok().map(|h| h.peel_to_commit().unwrap());
    git.commit(
        Some("HEAD"),
        &who,
        &who,
        "c",
        &tree,
        &parent.iter().collect::<Vec<_>>(),
    )
    .unwrap();
}

/// Policies in subdirectories, or with other spellings of the extension, are included.
#[test]
fn a_folder_is_compared_with_all_that_is_below_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let git = git2::Repository::init(at).unwrap();
    let commit = |text: &str| {
        std::fs::create_dir_all(at.join("rules/team")).unwrap();
        std::fs::write(at.join("rules/a.yaml"), POLICY).unwrap();
        std::fs::write(at.join("rules/team/prod.yaml"), text).unwrap();
        std::fs::write(at.join("rules/b.YAML"), text).unwrap();
        commit_rules(&git);
    };
    commit(POLICY);
    commit(&POLICY.replace("deny", "ask"));
    for args in [["HEAD~1:rules", "rules"], ["HEAD~1:rules", "HEAD:rules"]] {
        let output = run(at, &[&["compare"], &args[..], &["--cases", "20"]].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert_eq!(
            text.matches("more permissive: deny by `no-delete` becomes require_approval")
                .count(),
            2,
            "{text}"
        );
        assert!(text.contains("HEAD~1:rules/team/prod.yaml → "), "{text}");
    }
    assert_eq!(
        code(at, &["test", "rules"]),
        3,
        "no case tests what lies deeper"
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("team", at.join("rules/more")).unwrap();
        commit(POLICY);
        for args in [
            ["compare", "rules", "rules"],
            ["compare", "HEAD:rules", "HEAD:rules"],
            ["test", "rules", "--strict"],
        ] {
            let output = run(at, &args);
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                output.status.code() == Some(2)
                    && text.contains("rules/more` in a folder of policies"),
                "{args:?}: {text}"
            );
        }
        assert_eq!(code(at, &["mutate", "rules"]), 2);
    }
}

#[test]
fn a_revision_is_compared_and_found_by_its_digest() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let git = git2::Repository::init(at).unwrap();
    let commit = |text: &str| {
        std::fs::create_dir_all(at.join("rules")).unwrap();
        std::fs::write(at.join("rules/p.yaml"), text).unwrap();
        commit_rules(&git);
    };
    commit(POLICY);
    commit(&POLICY.replace("deny", "ask"));
    let output = run(
        at,
        &[
            "compare",
            "HEAD~1:rules/p.yaml",
            "rules/p.yaml",
            "--cases",
            "200",
        ],
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.code() == Some(1) && text.contains("warning[YV506]"),
        "{text}"
    );
    assert_eq!(
        code(at, &["compare", "HEAD:rules", "rules", "--cases", "20"]),
        0,
        "a folder of a revision with one of the disk"
    );
    assert_eq!(code(at, &["compare", "HEAD:rules", "rules/p.yaml"]), 2);
    assert_eq!(
        code(at, &["compare", "HEAD:nowhere.yaml", "rules/p.yaml"]),
        2
    );
    assert_eq!(
        code(at, &["compare", "nobody:rules/p.yaml", "rules/p.yaml"]),
        2
    );
    assert_eq!(
        code(
            at,
            &[
                "eval",
                "-p",
                "HEAD~1:rules/p.yaml",
                "--check",
                "--shell",
                "rm a"
            ]
        ),
        1
    );

    // The trace has only the digest of the old policy, which only the history contains.
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces/demo/react-fix.jsonl");
    let digest: String = sha2::Sha256::digest(POLICY.as_bytes())
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    let trace = std::fs::read_to_string(demo).unwrap();
    let recorded = trace
        .split("\"digest\":\"sha256:")
        .nth(1)
        .and_then(|t| t.get(..64))
        .unwrap()
        .to_owned();
    std::fs::write(at.join("t.jsonl"), trace.replace(&recorded, &digest)).unwrap();
    let not_found =
        String::from_utf8(run(at, &["replay", "t.jsonl", "--policy-path", "rules"]).stdout)
            .unwrap();
    assert!(not_found.contains("YV504"), "{not_found}");
    let found =
        String::from_utf8(run(at, &["replay", "t.jsonl", "--policy-repo", "."]).stdout).unwrap();
    assert!(
        !found.contains("YV504") && found.contains("decisions would change"),
        "{found}"
    );
    let too_short = String::from_utf8(
        run(
            at,
            &[
                "replay",
                "t.jsonl",
                "--policy-repo",
                ".",
                "--policy-history",
                "1",
            ],
        )
        .stdout,
    )
    .unwrap();
    assert!(too_short.contains("YV504"), "{too_short}");
}
