//! The policy section of the gate.

use super::gate::{GREEN, PLAIN, commit, gate, repository};
use serde_json::Value;
use std::fs;

#[test]
fn recorded_decisions_are_held_against_the_policy() {
    let config = format!("{PLAIN}[policy]\nfile = 'policy.yaml'\nuntested = 'it is young'\n");
    let repository = repository(&config, GREEN);
    let root = repository.path();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 2 && ran.err.contains("policy.yaml"),
        "a policy that isn't there: {}",
        ran.err
    );
    let policy = |effect: &str| {
        format!(
            "version: 1\nid: p\ncombine: first-match\ndefault: {{ effect: {effect}, reason: Nothing is said }}\nrules:\n  - id: no-diffs\n    when: {{ type: code_diff }}\n    effect: {effect}\n    reason: No diffs here\n"
        )
    };
    fs::write(root.join("policy.yaml"), policy("deny")).unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 1
            && ran.out.contains("error[YV501]")
            && ran.out.contains("`no-diffs` denies it"),
        "{}",
        ran.out
    );
    let sarif: Value = serde_json::from_str(&gate(root, &["--format", "sarif"]).out).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let denied = results.iter().find(|r| r["ruleId"] == "YV501").unwrap();
    let rule = &denied["relatedLocations"][0];
    assert_eq!(
        rule["physicalLocation"]["artifactLocation"]["uri"],
        "policy.yaml"
    );
    assert!(
        rule["physicalLocation"]["region"]["startLine"].as_u64() > Some(1),
        "{rule}"
    );
    fs::write(root.join("policy.yaml"), policy("require_approval")).unwrap();
    let ran = gate(root, &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(
        ran.out
            .contains("recorded decisions would be others under the policy"),
        "{}",
        ran.out
    );
}

#[test]
fn the_cases_of_the_policy_are_run_and_must_be_there() {
    let repository = repository(&format!("{PLAIN}[policy]\nfile = 'policy.yaml'\n"), GREEN);
    let root = repository.path();
    fs::write(
        root.join("policy.yaml"),
        "default: { effect: ask, reason: r }\nrules:\n  - { id: a, when: { type: answer }, effect: allow }\n",
    )
    .unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 3 && ran.err.contains("nothing tests the policy"),
        "{}{}",
        ran.out,
        ran.err
    );
    let cases = "cases:\n  - { name: ends, action: { type: answer, content: Done. }, expect: allow }\n  - { name: runs, action: { type: shell_cmd, command: ls }, near_miss: [a], expect: ask }\n";
    fs::write(root.join("policy.test.yaml"), cases).unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 0
            && ran
                .out
                .contains("2 of 2 cases of the policy come out as expected"),
        "{}{}",
        ran.out,
        ran.err
    );
    fs::write(
        root.join("policy.test.yaml"),
        cases.replace("expect: allow", "expect: deny"),
    )
    .unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 1 && ran.out.contains("--> policy.test.yaml:2:5"),
        "{}{}",
        ran.out,
        ran.err
    );
}

#[test]
fn the_policy_is_compared_with_where_the_branch_began() {
    let config =
        format!("{PLAIN}[policy]\nfile = 'policy.yaml'\nuntested = 'it is young'\nbase = 'main'\n");
    let repository = repository(&config, GREEN);
    let root = repository.path();
    let policy = |effect: &str| {
        format!(
            "rules:\n  - {{ id: shell, when: {{ type: shell_cmd }}, effect: {effect}, reason: r }}\n"
        )
    };
    fs::write(root.join("policy.yaml"), policy("ask")).unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 2 && ran.err.contains("no git repository"),
        "{}",
        ran.err
    );
    let git = git2::Repository::init_opts(
        root,
        git2::RepositoryInitOptions::new().initial_head("main"),
    )
    .unwrap();
    commit(&git, "README.md");
    git.branch(
        "work",
        &git.head().unwrap().peel_to_commit().unwrap(),
        false,
    )
    .unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 0 && ran.out.contains("the policy is new"),
        "{}{}",
        ran.out,
        ran.err
    );
    commit(&git, "policy.yaml");
    git.set_head("refs/heads/work").unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.out.contains("the policy is new"),
        "main went on, the branch began before: {}",
        ran.out
    );
    git.reference(
        "refs/heads/work",
        git.revparse_single("main").unwrap().id(),
        true,
        "",
    )
    .unwrap();
    assert!(gate(root, &[]).out.contains("the policy is as it was in"));
    fs::write(root.join("policy.yaml"), policy("allow")).unwrap();
    let ran = gate(root, &[]);
    assert!(
        ran.code == 1 && ran.out.contains("error[YV516]"),
        "{}{}",
        ran.out,
        ran.err
    );
}
