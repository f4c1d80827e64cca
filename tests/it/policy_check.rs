//! `policy check` and `policy prove --own`.

use super::support::{json_report, run, write};

const DEAD: &str = "\
default: ask
rules:
  - { id: low, when: { tool: 'a*' }, effect: deny, reason: r }
  - { id: same, when: { tool: abc }, effect: deny, reason: r }
  - { id: other, when: { tool: abd }, effect: allow, reason: r }
";

#[test]
fn what_never_decides_warns_and_says_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    write(root, "p.yaml", DEAD);
    let ran = run(root, &["policy", "check", "p.yaml"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    for said in [
        "help: delete `same`: without it, the same holds",
        "help: delete `other`, move it before `low`, or narrow `low`",
        "WARN p.yaml: 1 of 3 rules can decide\n",
    ] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    let ran = run(root, &["policy", "check", "--fail-on", "warning", "p.yaml"]);
    assert!(
        ran.code == 1 && ran.out.contains("FAIL p.yaml"),
        "{}",
        ran.out
    );
    // Under `deny-overrides` the order is of no use.
    let overrides = format!("combine: deny-overrides\n{DEAD}");
    write(root, "p.yaml", &overrides);
    let ran = run(root, &["policy", "check", "p.yaml"]);
    let said = "help: delete `other`, or narrow `low`";
    assert!(ran.out.contains(said), "{}", ran.out);
}

#[test]
fn a_default_that_never_decides_is_reported_where_it_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let rules = "rules:\n  - { id: a, when: { risk: low }, effect: allow, reason: r }\n  - { id: b, effect: deny, reason: r }\n";
    write(
        root,
        "p.yaml",
        &format!("default: {{ effect: ask, reason: d }}\n{rules}"),
    );
    let ran = run(root, &["policy", "check", "p.yaml"]);
    assert!(
        ran.code == 0
            && ran
                .out
                .contains("warning[YV510] dead-rule: the default never decides")
            && ran.out.contains("--> p.yaml:1:10")
            && ran
                .out
                .contains("WARN p.yaml: 2 of 2 rules can decide, the default can't"),
        "{}",
        ran.out
    );
    let (_, report) = json_report(root, &["policy", "check", "p.yaml"]);
    assert_eq!(report["policies"][0]["deadDefault"], true);
    write(root, "p.yaml", rules);
    let ran = run(root, &["policy", "check", "p.yaml"]);
    assert!(
        ran.code == 0 && ran.out.starts_with("PASS p.yaml"),
        "{}",
        ran.out
    );
}

#[test]
fn a_failure_ends_with_1() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let rule = "pattern: ab, not: { pattern: a }";
    write(
        root,
        "p.yaml",
        &format!("rules: [{{ id: a, when: {{ {rule} }}, effect: allow, reason: r }}]\n"),
    );
    let ran = run(root, &["policy", "check", "p.yaml"]);
    assert!(
        ran.code == 1 && ran.out.contains("FAIL p.yaml"),
        "{}",
        ran.out
    );
}

#[test]
fn own_properties_are_proved_alone() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let rules = "rules: [{ id: a, when: { effects: [delete] }, effect: deny, reason: r }]\n";
    write(root, "none.yaml", rules);
    let own = "properties: [{ id: keep, for_all: { effects: [delete] }, effect: deny }]\n";
    write(root, "own.yaml", &format!("default: allow\n{rules}{own}"));
    let ran = run(root, &["policy", "prove", "--own", "own.yaml"]);
    assert!(
        ran.code == 0 && ran.out == "proved       keep\n",
        "{}",
        ran.out
    );
    let ran = run(root, &["policy", "prove", "--own", "none.yaml"]);
    assert!(
        ran.code == 3 && ran.out.contains("nothing to prove"),
        "{}",
        ran.out
    );
    assert_eq!(run(root, &["policy", "prove", "own.yaml"]).code, 1);
}

#[test]
fn a_glob_that_forbids_is_about_what_lies_below() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    for (effect, default, line, expected) in [
        ("deny", "allow", "cat secrets/a/b", "deny by rule s"),
        (
            "ask",
            "allow",
            "cat secrets/a/b",
            "require_approval by rule s",
        ),
        (
            "allow",
            "ask",
            "cat secrets/a/b",
            "require_approval by the default",
        ),
        ("allow", "ask", "cat secrets/a", "allow by rule s"),
    ] {
        let when = "{ path: { glob: 'secrets/*' } }";
        let text = format!(
            "default: {default}\nrules: [{{ id: s, when: {when}, effect: {effect}, reason: r }}]\n"
        );
        write(root, "p.yaml", &text);
        let ran = run(
            root,
            &["policy", "eval", "--policy", "p.yaml", "--shell", line],
        );
        assert!(
            ran.out.starts_with(expected),
            "{effect} {line}: {}",
            ran.out
        );
    }
}
