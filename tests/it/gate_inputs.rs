//! Which files a gate reads, which traces it accepts, and which rules apply.

use super::gate_attestation::{ATTEST, KEY, TRUST};
use super::gate_base::branch;
use super::support::{json_report, run};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use yuangs_verify::source::TRACE_ENDINGS;

pub(super) const RED: &str = include_str!("../../corpora/gate-demo/red/traces/diff-fix.jsonl");
pub(super) const GREEN: &str = include_str!("../../corpora/gate-demo/green/traces/diff-fix.jsonl");
pub(super) const TURNS: &str = include_str!("../../corpora/traces/native/turns-legal.jsonl");
pub(super) const PLAIN: &str = "[traces]\npaths = ['traces']\n";

/// Returns the findings as code and file.
pub(super) fn found(report: &Value) -> Vec<(&str, &str)> {
    let all = report["findings"].as_array().unwrap().iter();
    all.map(|f| (f["code"].as_str().unwrap(), f["file"].as_str().unwrap()))
        .collect()
}

pub(super) fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

pub(super) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    folder
}

#[test]
fn renaming_a_bad_trace_does_not_help() {
    for name in [
        "b.records",
        "b.log",
        "b.jsonl.xz",
        "b.jsonl.bz2",
        ".b",
        "deep/b",
        "b.jsonl~",
        "b.txt",
    ] {
        let file = format!("traces/{name}");
        let folder = folder(&[
            ("yuangs-verify.toml", PLAIN),
            ("traces/a.jsonl", GREEN),
            (&file, RED),
        ]);
        let (code, report) = json_report(folder.path(), &["gate"]);
        assert_eq!(
            (code, found(&report)),
            (1, vec![("YV111", &*file)]),
            "{name}"
        );
        assert_eq!(
            (&report["skipped"][0]["path"], &report["summary"]["skipped"]),
            (&file.as_str().into(), &1.into())
        );
        let config = format!("{PLAIN}exclude = ['traces/{name}']\n");
        fs::write(folder.path().join("yuangs-verify.toml"), &config).unwrap();
        let (code, report) = json_report(folder.path(), &["gate"]);
        assert_eq!((code, found(&report).len()), (0, 0), "{name} is excluded");
        assert_eq!(report["skipped"], Value::Array(Vec::new()));
        fs::write(
            folder.path().join("yuangs-verify.toml"),
            format!("{PLAIN}include = ['*.jsonl', 'traces/{name}']\n"),
        )
        .unwrap();
        let (code, report) = json_report(folder.path(), &["gate"]);
        assert!(
            code == 1 && found(&report).contains(&("YV301", &*file)),
            "{name} is included: {report:#}"
        );
        assert_eq!(run(folder.path(), &["doctor"]).code, 0);
    }
}

#[test]
fn every_listed_ending_is_read_in_directories() {
    let pages = [
        include_str!("../../README.md"),
        include_str!("../../docs/trace-format.md"),
        include_str!("../../docs/configuration.md"),
        include_str!("../../docs/session-formats.md"),
    ];
    for ending in TRACE_ENDINGS {
        for packed in ["", ".gz"] {
            let folder = folder(&[("yuangs-verify.toml", PLAIN), ("traces/a.jsonl", GREEN)]);
            let name = format!("traces/b{ending}{packed}");
            let bytes = match packed {
                "" => RED.as_bytes().to_vec(),
                _ => gzip(RED.as_bytes()),
            };
            fs::write(folder.path().join(&name), bytes).unwrap();
            for command in [&["gate"][..], &["replay", "traces"]] {
                let (code, report) = json_report(folder.path(), command);
                let red = found(&report).contains(&("YV301", &*name));
                assert!(code == 1 && red, "{name} {command:?}");
            }
        }
        let shown = format!("`{ending}`");
        for page in pages {
            assert!(page.contains(&shown), "{ending} is missing in a page");
        }
        for command in ["replay", "validate"] {
            let help = run(Path::new("."), &[command, "--help"]).out;
            assert!(help.contains(&shown), "{ending}: {help}");
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn include_says_all_that_is_a_trace() {
    let config = format!("{PLAIN}include = ['*.log']\n");
    let folder = folder(&[
        ("yuangs-verify.toml", &config),
        ("traces/a.log", GREEN),
        ("traces/b.jsonl", RED),
    ]);
    let (code, report) = json_report(folder.path(), &["gate"]);
    assert_eq!(
        (code, found(&report)),
        (1, vec![("YV111", "traces/b.jsonl")])
    );
    let bad = run(folder.path(), &["gate", "--config", "none"]);
    assert_eq!(bad.code, 2);
    write(
        folder.path(),
        &[("yuangs-verify.toml", &format!("{PLAIN}exclude = ['a[']\n"))],
    );
    let bad = run(folder.path(), &["gate"]);
    assert!(
        bad.code == 2 && bad.err.contains("traces.exclude") && bad.err.contains("glob"),
        "{}",
        bad.err
    );
}

#[cfg(unix)]
#[test]
fn pipes_and_links_are_neither_waited_for_nor_passed_over() {
    use std::os::unix::fs::symlink;
    let folder = folder(&[
        ("yuangs-verify.toml", PLAIN),
        ("traces/a.jsonl", GREEN),
        ("else.txt", RED),
    ]);
    let root = folder.path();
    let pipe = |name: &str| {
        assert!(
            Command::new("mkfifo")
                .arg(root.join(name))
                .status()
                .unwrap()
                .success()
        );
    };
    pipe("traces/p.jsonl");
    symlink("../else.txt", root.join("traces/link")).unwrap();
    symlink("a.jsonl", root.join("traces/same.jsonl")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.join("traces/s.jsonl")).unwrap();
    let (code, report) = json_report(root, &["gate"]);
    let all = [
        ("YV111", "traces/link"),
        ("YV111", "traces/p.jsonl"),
        ("YV111", "traces/s.jsonl"),
    ];
    assert_eq!((code, found(&report)), (1, all.to_vec()));
    let ran = run(root, &["doctor"]);
    assert!(
        ran.code == 2 && ran.out.contains("p.jsonl` (not a regular file)"),
        "{}",
        ran.out
    );
    let (code, report) = json_report(root, &["replay", "traces"]);
    assert_eq!((code, report["summary"]["skipped"].clone()), (0, 3.into()));
    pipe("q.jsonl");
    write(
        root,
        &[(
            "yuangs-verify.toml",
            "[traces]\npaths = ['traces/a.jsonl', 'q.jsonl']\n",
        )],
    );
    let ran = run(root, &["gate"]);
    assert!(
        ran.code == 2 && ran.out.contains("not a regular file"),
        "{}{}",
        ran.out,
        ran.err
    );
}

#[test]
fn replay_names_what_it_skipped() {
    let folder = folder(&[
        ("traces/a.jsonl", GREEN),
        ("traces/b.log", RED),
        ("traces/c.jsonl.xz", RED),
    ]);
    let ran = run(folder.path(), &["replay", "traces"]);
    assert_eq!(ran.code, 0);
    let line = "note: skipped 2 files under the given paths: `traces/b.log`, `traces/c.jsonl.xz` (compressed in a way that isn't read)";
    assert_eq!(
        ran.out.lines().filter(|l| *l == line).count(),
        1,
        "{}",
        ran.out
    );
    let quiet = run(folder.path(), &["stats", "traces"]);
    assert!(quiet.err.contains("skipped 2 files"), "{}", quiet.err);
    let named = run(folder.path(), &["replay", "traces/a.jsonl", "traces/b.log"]);
    assert!(
        named.code == 1 && !named.out.contains("skipped"),
        "what is named is read: {}",
        named.out
    );
}

#[test]
fn inputs_that_hold_no_calls_are_named_once() {
    let summary = r#"{"type":"summary","summary":"x","leafUuid":"u"}"#;
    let folder = folder(&[("traces/a.jsonl", GREEN)]);
    let root = folder.path();
    let line = |out: &str| {
        let mut lines = out
            .lines()
            .filter(|line| line.contains("no tool calls or turns"));
        let line = lines.next().map(str::to_owned);
        assert!(lines.next().is_none(), "{out}");
        line
    };
    assert_eq!(line(&run(root, &["replay", "traces"]).out), None);
    write(root, &[("traces/b.jsonl", summary)]);
    let ran = run(root, &["replay", "traces"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let expected = "note: 1 input holds no tool calls or turns: `traces/b.jsonl`";
    assert_eq!(line(&ran.out).as_deref(), Some(expected));
    for n in 0..30 {
        write(root, &[(&format!("traces/c{n:02}.jsonl"), summary)]);
    }
    let ran = run(root, &["replay", "traces"]);
    let found = line(&ran.out).unwrap_or_default();
    assert!(found.starts_with("note: 31 inputs hold no tool calls or turns: `traces/b"));
    assert!(found.ends_with("`traces/c03.jsonl`, 26 more"), "{found}");
    let audit = run(root, &["audit", "traces"]);
    assert!(
        line(&audit.err)
            .unwrap_or_default()
            .contains("31 inputs hold"),
        "{}",
        audit.err
    );
    // Only texts are such an input, too.
    write(
        root,
        &[("traces/d.jsonl", r#"{"role":"user","content":"hello"}"#)],
    );
    let ran = run(root, &["replay", "traces/a.jsonl", "traces/d.jsonl"]);
    assert!(
        line(&ran.out)
            .unwrap_or_default()
            .contains("`traces/d.jsonl`"),
        "{}",
        ran.out
    );
}

#[test]
fn hostile_names_stay_harmless() {
    let folder = folder(&[
        ("yuangs-verify.toml", PLAIN),
        ("traces/a.jsonl", GREEN),
        ("traces/b\n::error::x\u{1b}[2J.log", RED),
    ]);
    for args in [
        &["gate"][..],
        &["gate", "--format", "github"],
        &["gate", "--format", "json"],
        &["replay", "traces"],
        &["doctor"],
    ] {
        let ran = run(folder.path(), args);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(
            told.contains('b') && !told.contains('\u{1b}') && !told.contains("\n::error::x"),
            "{args:?}: {told}"
        );
    }
}

#[test]
fn a_poorer_format_is_not_accepted() {
    let config = format!("{PLAIN}formats = ['execution-record']\n");
    let folder = folder(&[("yuangs-verify.toml", &config), ("traces/a.jsonl", TURNS)]);
    let (code, report) = json_report(folder.path(), &["gate"]);
    assert!(
        code == 1 && found(&report).contains(&("YV110", "traces/a.jsonl")),
        "{report:#}"
    );
    write(folder.path(), &[("traces/a.jsonl", GREEN)]);
    assert_eq!(json_report(folder.path(), &["gate"]).0, 0);
    write(
        folder.path(),
        &[(
            "yuangs-verify.toml",
            &format!("{PLAIN}formats = ['execution-records']\n"),
        )],
    );
    let ran = run(folder.path(), &["gate"]);
    assert!(
        ran.code == 2 && ran.err.contains("the nearest is `execution-record`"),
        "{}",
        ran.err
    );
}

#[test]
fn what_must_be_yes_is_not_left_open() {
    let config = format!("{PLAIN}require = ['authorised', 'governance-complete']\n");
    let folder = folder(&[("yuangs-verify.toml", &config), ("traces/a.jsonl", TURNS)]);
    let (code, report) = json_report(folder.path(), &["gate"]);
    let errors: Vec<&Value> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["severity"] == "error")
        .collect();
    assert_eq!((code, errors.len()), (1, 1), "{report:#}");
    assert_eq!(
        (&errors[0]["code"], &errors[0]["executionId"]),
        (&"YV212".into(), &report["executions"][0]["executionId"])
    );
    let message = errors[0]["message"].as_str().unwrap();
    assert!(
        message.contains("`governance-complete` is *not recorded*")
            && !message.contains("authorised"),
        "{message}"
    );
    write(folder.path(), &[("traces/a.jsonl", GREEN)]);
    assert_eq!(json_report(folder.path(), &["gate"]).0, 0);
    write(folder.path(), &[("traces/a.jsonl", RED)]);
    let (code, report) = json_report(folder.path(), &["gate"]);
    assert_eq!(
        (code, found(&report)),
        (1, vec![("YV301", "traces/a.jsonl")]),
        "a no has its own error"
    );
}

#[test]
fn a_cut_tail_fails_where_it_is_told() {
    let lines: Vec<&str> = GREEN.lines().collect();
    let between = lines[..lines.len() - 2].join("\n") + "\n";
    let inside = &GREEN[..GREEN.len() - 20];
    for (cut, code) in [(&*between, "YV203"), (inside, "YV104")] {
        let folder = folder(&[("yuangs-verify.toml", PLAIN), ("traces/a.jsonl", cut)]);
        let (exit, report) = json_report(folder.path(), &["gate"]);
        assert_eq!(
            (exit, found(&report)),
            (0, vec![(code, "traces/a.jsonl")]),
            "a warning"
        );
        write(
            folder.path(),
            &[(
                "yuangs-verify.toml",
                &format!("{PLAIN}unterminated = 'error'\n"),
            )],
        );
        let (exit, report) = json_report(folder.path(), &["gate"]);
        assert_eq!((exit, found(&report)), (1, vec![(code, "traces/a.jsonl")]));
        assert_eq!(
            report["summary"]["bySeverity"],
            serde_json::json!({ "error": 1, "warning": 0, "note": 0 })
        );
    }
}

#[test]
fn an_attestation_notices_what_nobody_reads() {
    let folder = folder(&[("yuangs-verify.toml", PLAIN), ("traces/a.jsonl", GREEN)]);
    let root = folder.path();
    write(root, &[("key.pem", KEY), ("trust.json", TRUST)]);
    assert_eq!(run(root, &[&["gate"], &ATTEST[..]].concat()).code, 0);
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
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    write(root, &[("traces/b.log", RED)]);
    let ran = run(root, &verify);
    assert!(
        ran.code == 1
            && ran
                .out
                .contains("traces/b.log lies among the traces and isn't read"),
        "{}",
        ran.out
    );
}

/// Creates a git repository with one commit of everything.
pub(super) fn git(root: &Path) -> git2::Repository {
    let git = git2::Repository::init_opts(
        root,
        git2::RepositoryInitOptions::new().initial_head("main"),
    )
    .unwrap();
    commit(&git);
    git
}

/// Commits the whole directory.
pub(super) fn commit(git: &git2::Repository) -> git2::Oid {
    let mut index = git.index().unwrap();
    index
        .add_all(["*"], git2::IndexAddOption::DEFAULT, None)
        .unwrap();
    index.update_all(["*"], None).unwrap();
    index.write().unwrap();
    let tree = git.find_tree(index.write_tree().unwrap()).unwrap();
    let who =
        git2::Signature::new("A", "a@example.com", &git2::Time::new(1_700_000_000, 0)).unwrap();
    let parent = git.head().ok().and_then(|h| h.peel_to_commit().ok());
    git.commit(
        Some("HEAD"),
        &who,
        &who,
        "c",
        &tree,
        &parent.iter().collect::<Vec<_>>(),
    )
    .unwrap()
}

#[test]
fn every_change_is_accounted_for() {
    let config = format!("{PLAIN}account-for = 'base'\n");
    let folder = folder(&[
        ("yuangs-verify.toml", &config),
        ("traces/old.jsonl", GREEN),
        ("x.txt", "x\n"),
    ]);
    let root = folder.path();
    assert_eq!(run(root, &["gate"]).code, 2, "no repository");
    let git = git(root);
    assert_eq!(run(root, &["gate"]).code, 2, "no such revision");
    branch(&git, "base");
    let ran = run(root, &["gate"]);
    assert_eq!(
        ran.code, 0,
        "nothing has changed, and what was recorded before accounts for nothing: {}{}",
        ran.out, ran.err
    );
    // One file is changed by a recorded diff, with its trace.
    let diff = "--- a/x.txt\\n+++ b/x.txt\\n@@ -1 +1 @@\\n-x\\n+y\\n";
    write(
        root,
        &[("traces/new.jsonl", &trace(diff)), ("x.txt", "y\n")],
    );
    let ran = run(root, &["gate"]);
    assert!(
        ran.code == 1 && ran.out.contains("aren't committed"),
        "{}{}",
        ran.out,
        ran.err
    );
    commit(&git);
    let ran = run(root, &["gate"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    // Another file has no account.
    write(root, &[("z.txt", "z\n")]);
    let ran = run(root, &["gate"]);
    assert!(
        ran.code == 0
            && ran
                .out
                .contains("git doesn't know were not accounted for: `z.txt`"),
        "{}",
        ran.out
    );
    commit(&git);
    let (code, report) = json_report(root, &["gate"]);
    assert_eq!(
        (code, found(&report).iter().map(|f| f.0).collect::<Vec<_>>()),
        (1, vec!["YV704"])
    );
    assert!(
        report["findings"][0]["message"]
            .as_str()
            .unwrap()
            .contains("z.txt")
    );
    fs::remove_file(root.join("z.txt")).unwrap();
    commit(&git);
    assert_eq!(run(root, &["gate"]).code, 0);
    // Removing a trace is a change too.
    fs::remove_file(root.join("traces/old.jsonl")).unwrap();
    commit(&git);
    assert_eq!(run(root, &["gate"]).code, 1);
}

/// Builds a trace in which a human approves a diff.
fn trace(diff: &str) -> String {
    let mut lines = Vec::new();
    let payload = format!("{{\"diff\":\"{diff}\"}}");
    let mut add = |record: &str, members: &str| {
        let time = 1_768_800_000_000_u64 + 60_000 * lines.len() as u64;
        lines.push(format!(
            "{{\"record\":\"{record}\",\"executionId\":\"e\",\"timestamp\":{time},{}}}",
            members.replace("TIME", &time.to_string())
        ));
    };
    add(
        "execution_started",
        r#""schemaVersion":"1.0","rootIntent":"Change x","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}"#,
    );
    add(
        "thought_generated",
        &format!(
            r#""turnId":1,"thought":{{"reasoning":"Do it.","done":false,"action":{{"type":"code_diff","payload":{payload}}}}},"contextSnapshot":{{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}"#
        ),
    );
    add(
        "action_proposed",
        &format!(
            r#""turnId":1,"action":{{"id":"a1","type":"code_diff","payload":{payload},"riskLevel":"medium","reasoning":"Needed."}}"#
        ),
    );
    add(
        "governance_decided",
        r#""turnId":1,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":TIME}"#,
    );
    add(
        "execution_finished",
        r#""turnId":1,"actionId":"a1","result":{"success":true,"output":"ok"}"#,
    );
    add(
        "observation_recorded",
        r#""turnId":1,"observation":{"summary":"Done.","artifacts":[]}"#,
    );
    add(
        "evaluation_made",
        r#""turnId":1,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}"#,
    );
    lines.join("\n") + "\n"
}

#[test]
fn init_writes_what_it_finds() {
    let folder = folder(&[
        ("logs/a.jsonl", GREEN),
        ("logs/README.md", "what lies here"),
        ("logs/a[1].txt", "x"),
        ("logs/.gitkeep", ""),
        ("logs/deep/b.log", GREEN),
    ]);
    let root = folder.path();
    let ran = run(root, &["init"]);
    assert!(
        ran.code == 0 && ran.out.contains("traces: logs\n"),
        "{}{}",
        ran.out,
        ran.err
    );
    let text = fs::read_to_string(root.join("yuangs-verify.toml")).unwrap();
    for line in [
        concat!(
            "include = [\"*.{jsonl,ndjson,json,traj,cast,eval}\", ",
            "\"*.{jsonl,ndjson,json,traj,cast,eval}.{gz,zst}\", \"*.log\"]"
        ),
        "exclude = [\"logs/.gitkeep\", \"logs/README.md\", \"logs/a[[]1[]].txt\"]",
        "formats = [\"execution-record\"]",
        "require = [\"legal-path\", \"authorised\", \"governance-complete\"]",
        "unterminated = \"error\"",
    ] {
        assert!(text.contains(&format!("\n{line}\n")), "{line}: {text}");
    }
    assert_eq!(run(root, &["gate"]).code, 0);
    assert_eq!(run(root, &["doctor"]).code, 0);
    let shown = run(root, &["config", "show"]).out;
    assert!(
        shown.contains("traces.unterminated = \"error\"  # yuangs-verify.toml"),
        "{shown}"
    );
    // The user decides about files that may be traces.
    write(root, &[("logs/c.jsonl.xz", "x"), ("logs/d.jsonl", TURNS)]);
    fs::remove_file(root.join("yuangs-verify.toml")).unwrap();
    let ran = run(root, &["init"]);
    assert!(ran.out.contains("`logs/c.jsonl.xz`"), "{}", ran.out);
    let text = fs::read_to_string(root.join("yuangs-verify.toml")).unwrap();
    assert!(
        text.contains("formats = [\"execution-record\", \"yuangs-turns\"]\n"),
        "{text}"
    );
    assert!(
        text.contains("require = [\"legal-path\", \"authorised\"]\n"),
        "{text}"
    );
    let (code, report) = json_report(root, &["gate"]);
    let errors: Vec<&Value> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["severity"] == "error")
        .collect();
    assert_eq!(
        (code, errors.len(), &errors[0]["code"], &errors[0]["file"]),
        (1, 1, &"YV111".into(), &"logs/c.jsonl.xz".into())
    );
}

#[test]
fn an_input_without_an_execution_answers_nothing() {
    let record = include_str!("../../corpora/traces/native/record-lines.jsonl");
    let config = format!("{PLAIN}require = ['authorised']\n");
    let folder = folder(&[
        ("yuangs-verify.toml", PLAIN),
        ("traces/a.jsonl", GREEN),
        ("traces/b.jsonl", record),
    ]);
    assert_eq!(json_report(folder.path(), &["gate"]).0, 0);
    write(folder.path(), &[("yuangs-verify.toml", &config)]);
    let (code, report) = json_report(folder.path(), &["gate"]);
    assert_eq!(
        (code, found(&report)),
        (1, vec![("YV212", "traces/b.jsonl")])
    );
}
