//! Settings of Claude Code on several levels, wherever a policy is read.

use crate::policy::{code, run};
use crate::support::git;
use std::path::Path;

const LOCAL: &str = "{\n  \"permissions\": {\n    \"ask\": [\"Bash(npm test -- -u)\"]\n  }\n}\n";
const PROJECT: &str = "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(npm test:*)\",\n      \"Bash(curl *)\"\n    ],\n    \"defaultMode\": \"bypassPermissions\"\n  }\n}\n";
const USER: &str = "{\n  \"permissions\": {\n    \"deny\": [\"Bash(curl *)\"]\n  }\n}\n";
const ALL: &str = "claude:.,home/settings.json";

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in [
        (".claude/settings.local.json", LOCAL),
        (".claude/settings.json", PROJECT),
        ("home/settings.json", USER),
        (
            "etc/managed-settings.json",
            "{ \"permissions\": { \"deny\": [\"Bash(npm *)\"] } }",
        ),
    ] {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn said(at: &Path, arguments: &[&str]) -> String {
    let output = run(at, arguments);
    let (out, error) = (&output.stdout, &output.stderr);
    String::from_utf8([out.as_slice(), error].concat()).unwrap()
}

#[test]
fn the_levels_are_one_policy() {
    let folder = project();
    let at = folder.path();
    let ask = |policy: &str, line: &str| {
        code(at, &["eval", "--exit-code", "-p", policy, "--shell", line])
    };
    assert_eq!(ask("claude:.", "npm test"), 0);
    assert_eq!(ask("claude:.", "npm test -- -u"), 3);
    assert_eq!(ask("claude:.", "curl x"), 0);
    assert_eq!(
        ask("claude:.", "rm x"),
        3,
        "a project can't skip all checks"
    );
    assert_eq!(ask(ALL, "curl x"), 1);
    assert_eq!(ask("claude:etc/managed-settings.json,.", "npm test"), 1);
    let trace = said(at, &["eval", "-p", ALL, "--shell", "curl x", "--trace"]);
    assert!(trace.contains("[home/settings.json:3]"), "{trace}");
    assert_eq!(code(at, &["check", ALL]), 0);
    assert_eq!(code(at, &["show", ALL]), 0);
    assert_eq!(code(at, &["prove", ALL, "--property", "reasoned"]), 0);
    assert_eq!(code(at, &["compare", "claude:.", ALL, "--cases", "50"]), 0);
    let compared = said(at, &["compare", "claude:.", "claude:.", "--cases", "50"]);
    let note =
        "note: .claude/settings.json:7: `bypassPermissions` in settings of a project is ignored";
    assert_eq!(compared.matches(note).count(), 2, "{compared}");
}

#[test]
fn findings_and_gaps_name_the_file() {
    let folder = project();
    let at = folder.path();
    let wider = said(at, &["compare", ALL, "claude:.", "--cases", "50"]);
    assert!(wider.contains(" --> .claude/settings.json:4:7"), "{wider}");
    std::fs::write(
        at.join(".claude/settings.test.yaml"),
        "cases:\n  - { name: c, action: { type: shell_cmd, command: curl x }, expect: { effect: deny } }\n",
    )
    .unwrap();
    let tested = said(at, &["test", ALL]);
    assert!(tested.contains("1 of 1 cases"), "{tested}");
    for place in [
        ".claude/settings.local.json:3:13",
        ".claude/settings.json:4:7",
    ] {
        assert!(tested.contains(place), "{place}: {tested}");
    }
    assert_eq!(
        code(at, &["test", "claude:."]),
        1,
        "the user's settings deny it"
    );
    assert_eq!(code(at, &["test", ALL, "--update"]), 2);
    let imported = said(
        at,
        &["import", "claude", ".,home/settings.json", "-o", "p.yaml"],
    );
    assert!(
        imported.starts_with(".claude/settings.json:7: "),
        "{imported}"
    );
    let pack = std::fs::read_to_string(at.join("p.yaml")).unwrap();
    assert!(
        pack.starts_with("# .claude/settings.json, line 7: "),
        "{pack}"
    );
    assert_eq!(code(at, &["compare", ALL, "p.yaml", "--cases", "50"]), 0);
}

#[test]
fn a_replay_names_the_file_and_notices_changes_of_each() {
    let folder = project();
    let at = folder.path();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces/demo/react-fix.jsonl");
    std::fs::copy(demo, at.join("t.jsonl")).unwrap();
    let user = "{\n  \"permissions\": {\n    \"defaultMode\": \"dontAsk\"\n  }\n}\n";
    std::fs::write(at.join("home/settings.json"), user).unwrap();
    let replayed = said(at, &["replay", "t.jsonl", "-p", ALL, "--verbose"]);
    assert!(replayed.contains("home/settings.json:3"), "{replayed}");
}

#[test]
fn a_revision_has_levels_too() {
    let folder = project();
    let at = folder.path();
    git(at, &["init", "-q"]);
    git(at, &["add", ".claude/settings.json"]);
    git(at, &["commit", "-qm", "a"]);
    for base in ["claude:HEAD:.", "claude:HEAD:.claude/settings.json"] {
        assert_eq!(code(at, &["check", base]), 0, "{base}");
    }
    // The settings of one person aren't in the commit. They are stricter.
    let compare = |base, head| code(at, &["compare", base, head, "--cases", "50"]);
    assert_eq!(compare("claude:HEAD:.", "claude:."), 0);
    assert_eq!(compare("claude:.", "claude:HEAD:."), 1);
    let text = said(at, &["check", "claude:HEAD:.,home/settings.json"]);
    assert!(text.contains("HEAD:./.claude/settings.json,home"), "{text}");
    assert_eq!(code(at, &["check", "claude:HEAD:home"]), 2);
}

#[test]
fn lists_that_make_no_sense_are_refused() {
    let folder = project();
    let at = folder.path();
    for (policy, why) in [
        ("claude:home/settings.json,.", "lower level"),
        ("claude:.,etc/managed-settings.json", "lower level"),
        ("claude:etc", "no settings of Claude Code"),
        ("claude:.,", "is empty"),
        ("claude:.,missing.json", "missing.json"),
    ] {
        let arguments = ["eval", "-p", policy, "--shell", "ls"];
        assert_eq!(code(at, &arguments), 2, "{policy}");
        let text = said(at, &arguments);
        assert!(text.contains(why), "{policy}: {text}");
    }
    std::fs::write(
        at.join("home/settings.json"),
        USER.replace("Bash(curl *)", "Bash("),
    )
    .unwrap();
    let text = said(at, &["eval", "-p", ALL, "--shell", "ls"]);
    assert!(text.contains("home/settings.json:3:14"), "{text}");
    // A file with a comma in its name is a file.
    std::fs::write(at.join("a,b.json"), USER).unwrap();
    let arguments = [
        "eval",
        "--exit-code",
        "-p",
        "claude:a,b.json",
        "--shell",
        "curl x",
    ];
    assert_eq!(code(at, &arguments), 1);
}

/// A pipe in place of the settings would be waited for without end.
#[cfg(unix)]
#[test]
fn settings_must_be_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::create_dir(at.join(".claude")).unwrap();
    let pipe = at.join(".claude/settings.json");
    let made = std::process::Command::new("mkfifo").arg(pipe).status();
    assert!(made.unwrap().success());
    assert_eq!(code(at, &["check", "claude:."]), 2);
    assert!(said(at, &["check", "claude:."]).contains("isn't a regular file"));
}
