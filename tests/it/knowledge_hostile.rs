//! Repositories with hostile content, which must not have effects outside of them.

#![cfg(unix)]

use crate::skills::{run, said, write};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const START: i64 = 1_769_000_000_000;
const DAY: i64 = 86_400_000;

fn item(id: &str, successes: u64, confidence: f64, used: i64, stats: (u64, u64, u64)) -> Value {
    json!({"id":id,"path":format!("{id}.md"),
        "importance":{"useCount":9,"successCount":successes,"failureCount":9 - successes,"confidence":confidence,"lastUsed":used},
        "usageStats":{"referencedCount":stats.0,"verifiedUseful":stats.1,"verifiedNotUseful":stats.2}})
}

/// Creates a project with a bank in which one item is to be forgotten and one may become a skill.
fn project(at: &Path) {
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\nbank = ['bank']\nskills = ['skills']\ndocuments = ['docs']\n",
    );
    write(at, "docs/a.md", "# A\n\nA document that says something.\n");
    write(at, "skills/experimental/a/meta.json", "{}");
    write(
        at,
        "bank/items/bad.json",
        &item("bad", 0, 0.1, START - 60 * DAY, (4, 0, 3)).to_string(),
    );
    write(
        at,
        "bank/items/ready.json",
        &item("ready", 9, 0.9, START, (9, 9, 0)).to_string(),
    );
}

#[test]
fn what_is_written_goes_through_no_planted_link() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    project(at);
    write(at, "victim", "mine");
    for link in [
        "bank/items/.bad.json.tmp~",
        "bank/.candidates.jsonl.tmp~",
        "skills/.promotions.jsonl.tmp~",
    ] {
        symlink(at.join("victim"), at.join(link)).unwrap();
    }
    assert!(
        said(at, &["memory", "apply", "--now", "2026-01-21", "--yes"]).contains("run 1: 2 changes")
    );
    assert!(said(at, &["memory", "undo", "--yes"]).contains("took run 1 back"));
    assert!(
        said(
            at,
            &[
                "skills",
                "approve",
                "ready",
                "--by",
                "m",
                "--now",
                "2026-01-21"
            ]
        )
        .contains("wrote into")
    );
    assert_eq!(fs::read_to_string(at.join("victim")).unwrap(), "mine");
}

/// Adds a journal of an unfinished run to the repository, as an attacker could.
fn planted(at: &Path, name: &str) {
    let body = "#!/bin/sh\necho owned\n";
    write(at, ".yuangs/memory/000001/0000.after", body);
    let hash: String = Sha256::digest(body)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    let plan = json!({"version":1,"time":1,"undoes":null,"what":["keep a.md"],"files":[{"name":name,"before":null,"after":hash}]});
    write(at, ".yuangs/memory/000001/plan", &plan.to_string());
}

#[test]
fn a_planted_journal_is_shown_first_and_reaches_no_other_file() {
    for name in [".git/hooks/pre-commit", "build.sh", "docs/a.json"] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        project(at);
        fs::create_dir_all(at.join(".git/hooks")).unwrap();
        planted(at, name);
        for args in [
            &["memory", "apply"][..],
            &["memory", "undo"],
            &["memory", "apply", "--yes"],
            &["memory", "undo", "--yes"],
        ] {
            let output = run(at, args);
            assert_eq!(output.status.code(), Some(2), "{name} {args:?}");
            assert!(
                String::from_utf8_lossy(&output.stderr).contains(name),
                "{name} {args:?}"
            );
            assert!(!at.join(name).exists(), "{name} {args:?}");
            assert!(at.join("bank/items/bad.json").exists(), "{name} {args:?}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    project(at);
    planted(at, "bank/items/new.json");
    for args in [
        &["memory", "apply"][..],
        &["memory", "undo"],
        &["memory", "status"],
    ] {
        let told = said(at, args);
        assert!(
            told.contains("makes bank/items/new.json"),
            "{args:?}: {told}"
        );
        assert!(!at.join("bank/items/new.json").exists(), "{args:?}");
    }
    let told = said(at, &["memory", "apply", "--yes"]);
    assert!(
        told.contains("makes bank/items/new.json") && told.contains("run 1 is done now"),
        "{told}"
    );
    assert!(at.join("bank/items/new.json").exists());
}

#[test]
fn neither_index_nor_journal_is_written_elsewhere() {
    let outside = tempfile::tempdir().unwrap();
    let empty = || fs::read_dir(outside.path()).unwrap().count() == 0;
    for (link, store) in [
        (".yuangs", ".yuangs/x/index.db"),
        (".yuangs", ".yuangs/index.db"),
        ("db", "db/a/b/c.db"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        project(at);
        write(
            at,
            "yuangs-verify.toml",
            &format!("[knowledge]\nstore = '{store}'\nbank = ['bank']\ndocuments = ['docs']\n"),
        );
        symlink(outside.path(), at.join(link)).unwrap();
        for args in [&["reindex"][..], &["memory", "apply", "--yes"]] {
            assert_eq!(run(at, args).status.code(), Some(2), "{store} {args:?}");
            assert!(empty(), "{store} {args:?}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    project(at);
    fs::create_dir(at.join(".yuangs")).unwrap();
    symlink(outside.path(), at.join(".yuangs/memory")).unwrap();
    assert_eq!(
        run(at, &["memory", "apply", "--now", "2026-01-21", "--yes"])
            .status
            .code(),
        Some(2)
    );
    assert!(empty() && at.join("bank/items/bad.json").exists());
}

#[test]
fn what_holds_a_secret_is_kept_and_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    project(at);
    let token = content_scan::secret::sample::fill("ghp_⟦crc62:30⟧").unwrap();
    let mut bad = item("bad", 0, 0.1, START - 60 * DAY, (4, 0, 3));
    bad["alias"] = json!(token);
    write(at, "bank/items/bad.json", &bad.to_string());
    let escaped: String = token.bytes().map(|b| format!("\\u{b:04x}")).collect();
    let ready = item("ready", 9, 0.9, START, (9, 9, 0)).to_string();
    write(
        at,
        "bank/items/ready.json",
        &ready.replace("ready.md", &escaped),
    );
    write(
        at,
        &format!("docs/{token}.md"),
        "# Keys\n\nThis one has a name that tells too much.\n",
    );
    for args in [
        &["memory", "status", "--now", "2026-01-21"][..],
        &["memory", "apply", "--now", "2026-01-21", "--yes"],
        &["context", "stages"],
        &["reindex"],
        &["search", "--query", "name that tells too much"],
    ] {
        let told = said(at, args);
        assert!(
            !told.contains(token.get(4..16).unwrap()),
            "{args:?}: {told}"
        );
    }
    assert!(
        at.join("bank/items/bad.json").exists(),
        "it holds a secret, so it is frozen"
    );
    let index = fs::read(at.join(".yuangs/index.db")).unwrap();
    assert!(
        !index
            .windows(12)
            .any(|part| part == &token.as_bytes()[4..16]),
        "the name of a source is stored as well"
    );
}

/// CI runners interpret a line that begins with `::`, possibly after spaces, as a workflow command.
#[test]
fn no_line_of_any_text_command_begins_a_command_of_a_runner() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let evil = |what: &str| format!("::error file=a.py,line=1::{what}");
    let behind = |what: &str| format!("  {}", evil(what));
    let paths = "traces = ['traces']\nbank = ['bank']\nskills = ['skills']\ndocuments = ['docs']\ngraph = ['graph.jsonl']\n\
        transcripts = ['talk']\nprogress = ['PROGRESS.md']\nsummaries = ['SUMMARY.md']\nruns = ['runs']\nrepomap = ['src']\n";
    write(at, "yuangs-verify.toml", &format!("[knowledge]\n{paths}"));
    let action = json!({"id":evil("action"),"type":"shell_cmd","payload":{"command":evil("command")},"riskLevel":"medium","reasoning":"r"});
    let trace: String = [
        json!({"record":"execution_started","executionId":evil("execution"),"timestamp":START,"schemaVersion":"1.0","rootIntent":evil("intent"),"fsmVersion":"1"}),
        json!({"record":"turn","executionId":evil("execution"),"turnId":1,"startTime":START,"endTime":START + 5,"usedSkills":[evil("skill"), behind("other")],
            "usedContext":[evil("path")],
            "contextSnapshot":{"inputHash":"i","systemPromptVersion":"p","toolSetVersion":"t","items":[{"path":evil("item"),"hash":"h","tokens":1}]},
            "proposedAction":action,"executionResult":{"success":false,"output":evil("output"),"error":evil("failed")}}),
    ]
    .iter()
    .map(|l| format!("{l}\n"))
    .collect();
    write(at, "traces/::error::t.jsonl", &trace);
    let meta = json!({"name":evil("skill"),"version":"1.0.0","intent":behind("intent"),"author":"a","created_at":"2026-01-01",
        "permissions":[],"trial":{"mode":"dry-run"}});
    write(at, "skills/production/a/meta.json", &meta.to_string());
    write(at, "skills/experimental/::error::b/meta.json", "{}");
    let promotion = json!({"skill_name":evil("skill"),"old_status":evil("old"),"new_status":"production","promoted_at":START,"reason":evil("why"),"by":evil("by")});
    write(at, "skills/promotions.jsonl", &format!("{promotion}\n"));
    for (file, name) in [("a", evil("ready")), ("b", behind("later"))] {
        let mut it = item("x", 9, 0.9, START, (9, 9, 0));
        (it["id"], it["path"], it["content"]) = (
            json!(name),
            json!(name),
            json!(format!("text\n{}", evil("content"))),
        );
        write(at, &format!("bank/items/{file}.json"), &it.to_string());
    }
    write(at, "bank/items/::error::c.json", "{");
    let edge =
        json!({"from":evil("path"),"to":evil("execution"),"type":"used_in","timestamp":START});
    write(at, "graph.jsonl", &format!("{edge}\n::error::\n"));
    write(
        at,
        "docs/::error::d.md",
        &format!("{0}\n\n# {0}\n\n{0}\n  {0}\n", evil("words")),
    );
    write(at, "talk/::error::s.jsonl", &[
        json!({"type":"message","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":format!("Decision: {}\n{}", evil("decision"), evil("two"))}}),
        json!({"type":"compaction","timestamp":"2026-01-01T00:00:01Z","summary":"nothing of it"}),
        json!({"type":"message","timestamp":"2026-01-01T00:00:02Z","message":{"role":"user","content":"a text that is long enough"}}),
    ].iter().map(|l| format!("{l}\n")).collect::<String>());
    write(
        at,
        "::error::s.jsonl",
        &fs::read_to_string(at.join("talk/::error::s.jsonl")).unwrap(),
    );
    write(
        at,
        "PROGRESS.md",
        &format!(
            "| time | what |\n| --- | --- |\n| 2026-01-01 | {} |\n",
            evil("row")
        ),
    );
    write(at, "SUMMARY.md", &format!("- 2026-01-01 {}\n", evil("row")));
    write(
        at,
        "runs/::error::r.json",
        &json!({"task_id":evil("run"),"command":evil("command"),"exit_code":1,"error":evil("failed")}).to_string(),
    );
    write(
        at,
        "src/::error::a.py",
        "def f():\n    \"\"\"::error::doc\"\"\"\n    return 1\n",
    );
    write(
        at,
        "documents.jsonl",
        &format!("{}\n", json!({"id":"a","text":"some words"})),
    );
    write(
        at,
        "questions.jsonl",
        &format!(
            "{}\n",
            json!({"question":"some words","answers":{"a":2},"group":evil("group")})
        ),
    );
    let (ready, execution, skill) = (evil("ready"), evil("execution"), evil("skill"));
    let commands: Vec<Vec<&str>> = vec![
        vec!["reindex"],
        vec!["reindex", "--check"],
        vec!["index"],
        vec!["index", "--task", &execution],
        vec!["timeline", "--task", &execution],
        vec!["search", "--query", "error words"],
        vec!["map"],
        vec!["bundle"],
        vec!["graph", "check"],
        vec!["graph", "trace", &execution],
        vec!["graph", "provenance", &skill],
        vec!["graph", "stats"],
        vec!["graph", "export", "--format", "dot"],
        vec!["graph", "export", "--format", "mermaid"],
        vec!["graph", "export", "--format", "graphml"],
        vec!["window", "::error::s.jsonl"],
        vec!["compaction", "::error::s.jsonl"],
        vec!["judge", "documents.jsonl", "questions.jsonl"],
        vec!["context", "stages"],
        vec!["context", "references"],
        vec!["memory", "status"],
        vec!["skills", "evaluate"],
        vec!["skills", "candidates", "--now", "2026-01-21"],
        vec!["skills", "history"],
        vec!["skills", "check"],
        vec!["skills", "check", "--trial", "dry-run"],
        vec![
            "skills",
            "reject",
            &ready,
            "--by",
            "m",
            "--now",
            "2026-01-21",
        ],
        vec![
            "skills",
            "approve",
            "::error::none",
            "--by",
            "::error::m",
            "--now",
            "2026-01-21",
        ],
        vec!["memory", "apply", "--yes", "--now", "2026-01-21"],
        vec!["memory", "undo", "--yes"],
    ];
    for args in &commands {
        if args.first() == Some(&"memory") && args.contains(&"apply") {
            // A bank with an unreadable file isn't changed.
            fs::remove_file(at.join("bank/items/::error::c.json")).unwrap();
        }
        let told = said(at, args);
        let line = told.lines().find(|l| l.trim_start().starts_with("::"));
        assert_eq!(line, None, "{args:?}: {told}");
        assert!(
            !told.trim().is_empty() && !told.contains("Usage:"),
            "{args:?}: {told}"
        );
    }
    let found = run(at, &["index", "--format", "json"]);
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    for item in found["items"]
        .as_array()
        .unwrap_or_else(|| panic!("{found}"))
    {
        let told = said(at, &["detail", "--ids", item["id"].as_str().unwrap()]);
        let line = told.lines().find(|l| l.trim_start().starts_with("::"));
        assert_eq!(line, None, "{item}: {told}");
    }
}
