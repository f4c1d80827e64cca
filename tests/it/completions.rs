//! Completions, tested in the shells themselves.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Typed words after the program's name, and the completion of the last one.
const TYPED: [(&str, &str); 9] = [
    ("po", "policy"),
    ("policy te", "test"),
    ("policy test --upd", "--update"),
    ("knowledge graph tr", "trace"),
    ("knowledge graph trace --conf", "--config"),
    ("replay --format sar", "sarif"),
    ("attest ver", "verify"),
    ("attest verify --sig", "--signer"),
    ("completions zs", "zsh"),
];

/// Values after an equals sign. Bash splits there, the other shells don't.
const SPLIT: [(&str, &str); 3] = [
    ("replay --format = sar", "sarif"),
    ("replay -q --lang =", "en zh"),
    ("policy test --format = js", "json"),
];
const JOINED: [(&str, &str); 2] = [
    ("replay --format=sar", "--format=sarif"),
    ("policy test --format=js", "--format=json"),
];

/// Whether a shell is installed; reports it if not.
fn is_installed(shell: &str) -> bool {
    let is_installed = Command::new(shell).args(["-c", "exit 0"]).output().is_ok();
    if !is_installed {
        let _ = writeln!(std::io::stderr(), "skipped: `{shell}` isn't installed");
    }
    is_installed
}

/// Writes the script of a shell.
fn script(directory: &Path, shell: &str) -> PathBuf {
    let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .args(["completions", shell])
        .output()
        .unwrap();
    assert!(output.status.success());
    let path = directory.join(shell);
    std::fs::write(&path, output.stdout).unwrap();
    path
}

/// Runs a program for a shell and returns the lines of its output.
fn lines(shell: &str, arguments: &[&str]) -> Vec<String> {
    let Output { stdout, stderr, .. } = Command::new(shell)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(stderr.is_empty(), "{}", String::from_utf8_lossy(&stderr));
    let stdout = String::from_utf8(stdout).unwrap();
    stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_past_the_first_word() {
    // As bash itself calls it: the words in an array, then command, word and previous word.
    const ASK: &str = include_str!("completions/ask.bash");
    if !is_installed("bash") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let script = script(directory.path(), "bash");
    for program in ["yuangs-verify", "./target/debug/yuangs-verify"] {
        let all = [&TYPED[..], &SPLIT].concat();
        let typed: Vec<String> = all
            .iter()
            .map(|(words, _)| format!("{program} {words}"))
            .collect();
        let mut arguments = vec!["--norc", "-c", ASK, "bash", script.to_str().unwrap()];
        arguments.extend(typed.iter().map(String::as_str));
        let completed: Vec<&str> = all.iter().map(|(_, word)| *word).collect();
        assert_eq!(lines("bash", &arguments), completed);
    }
}

#[test]
fn fish_completes_past_the_first_word() {
    const ASK: &str = include_str!("completions/ask.fish");
    if !is_installed("fish") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let script = script(directory.path(), "fish");
    let mut arguments = vec!["--no-config", "-c", ASK, script.to_str().unwrap()];
    let all = [&TYPED[..], &JOINED].concat();
    arguments.extend(all.iter().map(|(words, _)| *words));
    let completed: Vec<&str> = all.iter().map(|(_, word)| *word).collect();
    assert_eq!(lines("fish", &arguments), completed);
}

#[test]
fn zsh_completes_past_the_first_word() {
    // The line editor completes only on a terminal. So an interactive zsh gets one, with a function
    // that replaces the program and records its arguments.
    const ASK: &str = include_str!("completions/ask.zsh");
    if !is_installed("zsh") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let script = script(directory.path(), "zsh");
    let recorded = directory.path().join("recorded");
    let mut arguments = vec!["-f", "-c", ASK, "zsh", script.to_str().unwrap()];
    arguments.push(recorded.to_str().unwrap());
    let all = [&TYPED[..], &JOINED].concat();
    arguments.extend(all.iter().map(|(words, _)| *words));
    lines("zsh", &arguments);
    let completed: Vec<String> = all
        .iter()
        .map(|(words, word)| {
            let before = words.rsplit_once(' ').map_or("", |(before, _)| before);
            format!("{before} {word}").trim_start().to_owned()
        })
        .collect();
    let recorded = std::fs::read_to_string(recorded).unwrap();
    assert_eq!(recorded.lines().collect::<Vec<_>>(), completed);
}
