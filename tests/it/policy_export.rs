//! `policy export`: writes settings only with a proof.

use std::path::Path;
use std::process::{Command, Output};

const PACK: &str = "version: 1
id: team
combine: deny-overrides
default: { effect: require_approval, reason: d }
rules:
  - { id: make, when: { command: { text: [make, 'make *'] } }, effect: allow, reason: r }
  - { id: \"a\\u202e\\e[2J\", when: { command: { text: 'npm ci' } }, effect: allow, reason: r }
";

fn export(at: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(at)
        .args(["policy", "export", "--to", "codex"])
        .args(arguments)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn settings_are_written_with_a_proof() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("p.yaml"), PACK).unwrap();
    let output = export(at, &["p.yaml", "--output", "team.rules"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("p.yaml:7: "), "{}", said(&output));
    assert!(!said(&output).contains(['\u{202e}', '\u{1b}']));
    let text = std::fs::read_to_string(at.join("team.rules")).unwrap();
    assert_eq!(
        text,
        "prefix_rule(pattern = [\"make\"], decision = \"allow\")\n"
    );
    let shown = export(at, &["p.yaml"]);
    assert_eq!(String::from_utf8(shown.stdout).unwrap(), text);
}

#[test]
fn nothing_is_written_without_a_proof() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let denies = PACK.replace("require_approval", "deny");
    std::fs::write(at.join("p.yaml"), denies).unwrap();
    let output = export(at, &["p.yaml", "--output", "team.rules"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("nothing is written"));
    assert!(output.stdout.is_empty() && !at.join("team.rules").exists());
}

#[test]
fn what_is_no_policy_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("empty.yaml"), "").unwrap();
    std::fs::write(at.join("bytes.yaml"), b"version: 1\nid: \xff\n").unwrap();
    for name in ["empty.yaml", "bytes.yaml", "missing.yaml", "."] {
        let output = export(at, &[name]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", said(&output));
    }
}
