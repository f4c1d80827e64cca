//! Which files a gate reads, which traces it accepts, and by whose rules.

use super::gate::{ATTEST, KEY, TRUST};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const RED: &str = include_str!("../../corpora/gate-demo/red/traces/diff-fix.jsonl");
const GREEN: &str = include_str!("../../corpora/gate-demo/green/traces/diff-fix.jsonl");
const TURNS: &str = include_str!("../../corpora/traces/native/turns-legal.jsonl");
const PLAIN: &str = "[traces]\npaths = ['traces']\n";

struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn run(folder: &Path, args: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_yuangs-verify")).current_dir(folder).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

fn json(folder: &Path, args: &[&str]) -> (i32, Value) {
    let ran = run(folder, &[args, &["--format", "json"]].concat());
    (ran.code, serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {}{}", ran.out, ran.err)))
}

/// The findings as code and file.
fn found(report: &Value) -> Vec<(&str, &str)> {
    let all = report["findings"].as_array().unwrap().iter();
    all.map(|f| (f["code"].as_str().unwrap(), f["file"].as_str().unwrap())).collect()
}

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    folder
}

#[test]
fn renaming_a_bad_trace_does_not_help() {
    for name in ["b.ndjson", "b.log", "b.traj", "b.jsonl.xz", "b.jsonl.bz2", ".b", "deep/b", "b.jsonl~", "b.txt"] {
        let file = format!("traces/{name}");
        let folder = folder(&[("yuangs-verify.toml", PLAIN), ("traces/a.jsonl", GREEN), (&file, RED)]);
        let (code, report) = json(folder.path(), &["gate"]);
        assert_eq!((code, found(&report)), (1, vec![("YV111", &*file)]), "{name}");
        assert_eq!((&report["skipped"][0]["path"], &report["summary"]["skipped"]), (&file.as_str().into(), &1.into()));
        let config = format!("{PLAIN}exclude = ['traces/{name}']\n");
        fs::write(folder.path().join("yuangs-verify.toml"), &config).unwrap();
        let (code, report) = json(folder.path(), &["gate"]);
        assert_eq!((code, found(&report).len()), (0, 0), "{name} is excluded");
        assert_eq!(report["skipped"], Value::Array(Vec::new()));
        fs::write(folder.path().join("yuangs-verify.toml"), format!("{PLAIN}include = ['*.jsonl', 'traces/{name}']\n")).unwrap();
        let (code, report) = json(folder.path(), &["gate"]);
        assert!(code == 1 && found(&report).contains(&("YV301", &*file)), "{name} is included: {report:#}");
        assert_eq!(run(folder.path(), &["doctor"]).code, 0);
    }
}

#[test]
fn include_says_all_that_is_a_trace() {
    let config = format!("{PLAIN}include = ['*.ndjson']\n");
    let folder = folder(&[("yuangs-verify.toml", &config), ("traces/a.ndjson", GREEN), ("traces/b.jsonl", RED)]);
    let (code, report) = json(folder.path(), &["gate"]);
    assert_eq!((code, found(&report)), (1, vec![("YV111", "traces/b.jsonl")]));
    let bad = run(folder.path(), &["gate", "--config", "none"]);
    assert_eq!(bad.code, 2);
    write(folder.path(), &[("yuangs-verify.toml", &format!("{PLAIN}exclude = ['a[']\n"))]);
    let bad = run(folder.path(), &["gate"]);
    assert!(bad.code == 2 && bad.err.contains("traces.exclude") && bad.err.contains("glob"), "{}", bad.err);
}

#[cfg(unix)]
#[test]
fn pipes_and_links_are_neither_waited_for_nor_passed_over() {
    use std::os::unix::fs::symlink;
    let folder = folder(&[("yuangs-verify.toml", PLAIN), ("traces/a.jsonl", GREEN), ("else.txt", RED)]);
    let root = folder.path();
    let pipe = |name: &str| assert!(Command::new("mkfifo").arg(root.join(name)).status().unwrap().success());
    pipe("traces/p.jsonl");
    symlink("../else.txt", root.join("traces/link")).unwrap();
    symlink("a.jsonl", root.join("traces/same.jsonl")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.join("traces/s.jsonl")).unwrap();
    let (code, report) = json(root, &["gate"]);
    let all = [("YV111", "traces/link"), ("YV111", "traces/p.jsonl"), ("YV111", "traces/s.jsonl")];
    assert_eq!((code, found(&report)), (1, all.to_vec()));
    let ran = run(root, &["doctor"]);
    assert!(ran.code == 2 && ran.out.contains("p.jsonl` (not a regular file)"), "{}", ran.out);
    let (code, report) = json(root, &["replay", "traces"]);
    assert_eq!((code, report["summary"]["skipped"].clone()), (0, 3.into()));
    pipe("q.jsonl");
    write(root, &[("yuangs-verify.toml", "[traces]\npaths = ['traces/a.jsonl', 'q.jsonl']\n")]);
    let ran = run(root, &["gate"]);
    assert!(ran.code == 2 && ran.out.contains("not a regular file"), "{}{}", ran.out, ran.err);
}

#[test]
fn replay_names_what_it_skipped() {
    let folder = folder(&[("traces/a.jsonl", GREEN), ("traces/b.log", RED), ("traces/c.jsonl.xz", RED)]);
    let ran = run(folder.path(), &["replay", "traces"]);
    assert_eq!(ran.code, 0);
    let line =
        "note: skipped 2 files under the given paths: `traces/b.log`, `traces/c.jsonl.xz` (compressed in a way that isn't read)";
    assert_eq!(ran.out.lines().filter(|l| *l == line).count(), 1, "{}", ran.out);
    let quiet = run(folder.path(), &["stats", "traces"]);
    assert!(quiet.err.contains("skipped 2 files"), "{}", quiet.err);
    let named = run(folder.path(), &["replay", "traces/a.jsonl", "traces/b.log"]);
    assert!(named.code == 1 && !named.out.contains("skipped"), "what is named is read: {}", named.out);
}

#[test]
fn hostile_names_stay_harmless() {
    let folder = folder(&[("yuangs-verify.toml", PLAIN), ("traces/a.jsonl", GREEN), ("traces/b\n::error::x\u{1b}[2J.log", RED)]);
    for args in
        [&["gate"][..], &["gate", "--format", "github"], &["gate", "--format", "json"], &["replay", "traces"], &["doctor"]]
    {
        let ran = run(folder.path(), args);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("b") && !told.contains('\u{1b}') && !told.contains("\n::error::x"), "{args:?}: {told}");
    }
}

#[test]
fn a_poorer_format_is_not_accepted() {
    let config = format!("{PLAIN}formats = ['execution-record']\n");
    let folder = folder(&[("yuangs-verify.toml", &config), ("traces/a.jsonl", TURNS)]);
    let (code, report) = json(folder.path(), &["gate"]);
    assert!(code == 1 && found(&report).contains(&("YV110", "traces/a.jsonl")), "{report:#}");
    write(folder.path(), &[("traces/a.jsonl", GREEN)]);
    assert_eq!(json(folder.path(), &["gate"]).0, 0);
    write(folder.path(), &[("yuangs-verify.toml", &format!("{PLAIN}formats = ['execution-records']\n"))]);
    let ran = run(folder.path(), &["gate"]);
    assert!(ran.code == 2 && ran.err.contains("the nearest is `execution-record`"), "{}", ran.err);
}

#[test]
fn what_must_be_yes_is_not_left_open() {
    let config = format!("{PLAIN}require = ['authorised', 'governance-complete']\n");
    let folder = folder(&[("yuangs-verify.toml", &config), ("traces/a.jsonl", TURNS)]);
    let (code, report) = json(folder.path(), &["gate"]);
    let errors: Vec<&Value> = report["findings"].as_array().unwrap().iter().filter(|f| f["severity"] == "error").collect();
    assert_eq!((code, errors.len()), (1, 1), "{report:#}");
    assert_eq!((&errors[0]["code"], &errors[0]["executionId"]), (&"YV212".into(), &report["executions"][0]["executionId"]));
    let message = errors[0]["message"].as_str().unwrap();
    assert!(message.contains("`governance-complete` is *not recorded*") && !message.contains("authorised"), "{message}");
    write(folder.path(), &[("traces/a.jsonl", GREEN)]);
    assert_eq!(json(folder.path(), &["gate"]).0, 0);
    write(folder.path(), &[("traces/a.jsonl", RED)]);
    let (code, report) = json(folder.path(), &["gate"]);
    assert_eq!((code, found(&report)), (1, vec![("YV301", "traces/a.jsonl")]), "a no has its own error");
}

#[test]
fn a_cut_tail_fails_where_it_is_told() {
    let lines: Vec<&str> = GREEN.lines().collect();
    let between = lines[..lines.len() - 2].join("\n") + "\n";
    let inside = &GREEN[..GREEN.len() - 20];
    for (cut, code) in [(&*between, "YV203"), (inside, "YV104")] {
        let folder = folder(&[("yuangs-verify.toml", PLAIN), ("traces/a.jsonl", cut)]);
        let (exit, report) = json(folder.path(), &["gate"]);
        assert_eq!((exit, found(&report)), (0, vec![(code, "traces/a.jsonl")]), "a warning");
        write(folder.path(), &[("yuangs-verify.toml", &format!("{PLAIN}unterminated = 'error'\n"))]);
        let (exit, report) = json(folder.path(), &["gate"]);
        assert_eq!((exit, found(&report)), (1, vec![(code, "traces/a.jsonl")]));
        assert_eq!(report["summary"]["bySeverity"], serde_json::json!({ "error": 1, "warning": 0, "note": 0 }));
    }
}

#[test]
fn an_attestation_notices_what_nobody_reads() {
    let folder = folder(&[("yuangs-verify.toml", PLAIN), ("traces/a.jsonl", GREEN)]);
    let root = folder.path();
    write(root, &[("key.pem", KEY), ("trust.json", TRUST)]);
    assert_eq!(run(root, &[&["gate"], &ATTEST[..]].concat()).code, 0);
    let verify = ["attest", "verify", "a.json", "--keys", "trust.json", "--signer", "the gate"];
    let ran = run(root, &verify);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    write(root, &[("traces/b.log", RED)]);
    let ran = run(root, &verify);
    assert!(ran.code == 1 && ran.out.contains("traces/b.log lies among the traces and isn't read"), "{}", ran.out);
}
