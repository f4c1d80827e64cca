//! Helpers for tests of the command line.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The formats of reports.
pub(crate) const FORMATS: [&str; 9] = [
    "text",
    "json",
    "jsonl",
    "sarif",
    "junit",
    "github",
    "markdown",
    "markdown-comment",
    "html",
];

/// The result of running the program.
pub(crate) struct Finished {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs the program in a directory.
pub(crate) fn run(directory: &Path, args: &[&str]) -> Finished {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
    finish(command.current_dir(directory).args(args))
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command) -> Finished {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Finished {
        code: output.status.code().unwrap(),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// Returns the exit code and the JSON report of a run.
pub(crate) fn json_report(directory: &Path, args: &[&str]) -> (i32, Value) {
    let run = run(directory, &[args, &["--format", "json"]].concat());
    let report = serde_json::from_str(&run.out)
        .unwrap_or_else(|e| panic!("{args:?}: {e}: {}{}", run.out, run.err));
    (run.code, report)
}

/// Returns the codes of a report's findings.
pub(crate) fn codes(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|f| f["code"].as_str().unwrap())
        .collect()
}

/// Writes a file below a directory, with its parent directories.
pub(crate) fn write(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Runs git with a test identity; it must succeed.
pub(crate) fn git(directory: &Path, args: &[&str]) {
    let identity = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.com",
        "-c",
        "commit.gpgsign=false",
    ];
    let status = Command::new("git")
        .current_dir(directory)
        .args(identity)
        .args(args)
        .status()
        .unwrap();
    assert!(status.success(), "git {args:?}");
}
