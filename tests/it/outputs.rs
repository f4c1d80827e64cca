//! Files that options name for output: a pipe that nobody reads isn't opened.

use crate::support::{run, write};
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};

const TRACE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/corpora/traces/legal/metadata.jsonl"
);

/// Makes a pipe. While the returned file is open, a command that opens the pipe doesn't wait.
fn pipe(path: &Path) -> fs::File {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap()
}

#[test]
fn no_option_for_output_names_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let _open = pipe(&at.join("pipe"));
    fs::create_dir(at.join("schemas")).unwrap();
    let _schema = pipe(&at.join("schemas/call.schema.json"));
    fs::create_dir(at.join("tables")).unwrap();
    let _table = pipe(&at.join("tables/turns.csv"));
    write(at, "a.rs", "pub fn first() {}\n");
    write(at, "gate.toml", "[repo-map]\nfile = 'a.rs'\n");
    write(
        at,
        "settings.json",
        r#"{"permissions":{"allow":["Bash(ls)"]}}"#,
    );
    let partial = run(at, &["replay", TRACE, "--partial", "1.partial"]);
    assert_eq!(partial.code, 0, "{}", partial.err);
    let commands: [&[&str]; 14] = [
        &["repomap", "build", ".", "-o", "pipe"],
        &["replay", TRACE, "--report", "json=pipe"],
        &["replay", TRACE, "--partial", "pipe"],
        &["audit", TRACE, "--since", "all", "--report", "json=pipe"],
        &["audit", TRACE, "--since", "all", "--partial", "pipe"],
        &["stats", TRACE, "--partial", "pipe"],
        &[
            "policy",
            "replay",
            TRACE,
            "--policy",
            "default",
            "--partial",
            "pipe",
        ],
        &["merge", "1.partial", "--report", "json=pipe"],
        &["export", "--format", "jsonl", "--output", "pipe", TRACE],
        &["export", "--format", "csv", "--out", "tables", TRACE],
        &["policy", "import", "claude", "settings.json", "-o", "pipe"],
        &["policy", "export", "--to", "claude", "strict", "-o", "pipe"],
        &["gate", "--config", "gate.toml", "--report", "json=pipe"],
        &["schema", "write", "schemas"],
    ];
    for command in commands {
        let done = run(at, command);
        assert_eq!(done.code, 2, "{command:?}: {}{}", done.out, done.err);
        let said = done.err.replace("\n  ", " ");
        assert!(said.contains("is a named pipe"), "{command:?}: {said}");
    }
    // These only write new files.
    for command in [
        &["convert", TRACE, "-o", "pipe"][..],
        &["redact", TRACE, "pipe"],
    ] {
        let done = run(at, command);
        assert_eq!(done.code, 2, "{command:?}: {}", done.err);
        assert!(at.join("pipe").exists());
    }
}

#[test]
fn standard_output_and_devices_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "a.rs", "pub fn first() {}\n");
    let build = |output: &str| run(at, &["repomap", "build", ".", "-o", output]);
    let piped = build("/dev/stdout");
    assert_eq!(piped.code, 0, "{}", piped.err);
    assert!(piped.out.contains("pub fn first"), "{}", piped.out);
    let descriptor = build("/dev/fd/1");
    assert_eq!(descriptor.out, piped.out);
    assert_eq!(build("/dev/null").code, 0);
    let file = fs::File::create(at.join("out")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
    command.args(["repomap", "build", ".", "-o", "/dev/stdout"]);
    let done = command.current_dir(at).stdout(Stdio::from(file)).status();
    assert!(done.unwrap().success());
    assert!(!fs::read(at.join("out")).unwrap().is_empty());
    // A file below /dev is one like others.
    let Ok(shared) = tempfile::tempdir_in("/dev/shm") else {
        return;
    };
    for _ in 0..2 {
        let map = shared.path().join("map.md");
        let done = build(map.to_str().unwrap());
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(fs::read_to_string(map).unwrap().contains("pub fn first"));
    }
}
