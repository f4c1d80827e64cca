//! Repositories that are made to deceive: what they hold may not reach beyond them.

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

/// A project with a bank in which one item is to be forgotten and one may become a skill.
fn project(at: &Path) {
    write(at, "yuangs-verify.toml", "[knowledge]\nbank = ['bank']\nskills = ['skills']\ndocuments = ['docs']\n");
    write(at, "docs/a.md", "# A\n\nA document that says something.\n");
    write(at, "skills/experimental/a/meta.json", "{}");
    write(at, "bank/items/bad.json", &item("bad", 0, 0.1, START - 60 * DAY, (4, 0, 3)).to_string());
    write(at, "bank/items/ready.json", &item("ready", 9, 0.9, START, (9, 9, 0)).to_string());
}

#[test]
fn what_is_written_goes_through_no_planted_link() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    project(at);
    write(at, "victim", "mine");
    for link in ["bank/items/.bad.json.tmp~", "bank/.candidates.jsonl.tmp~", "skills/.promotions.jsonl.tmp~"] {
        symlink(at.join("victim"), at.join(link)).unwrap();
    }
    assert!(said(at, &["memory", "apply", "--now", "2026-01-21", "--yes"]).contains("run 1: 2 changes"));
    assert!(said(at, &["memory", "undo", "--yes"]).contains("took run 1 back"));
    assert!(said(at, &["skills", "approve", "ready", "--by", "m", "--now", "2026-01-21"]).contains("wrote into"));
    assert_eq!(fs::read_to_string(at.join("victim")).unwrap(), "mine");
}

/// A journal that somebody put into the repository, of a run that was never ended.
fn planted(at: &Path, name: &str) {
    let body = "#!/bin/sh\necho owned\n";
    write(at, ".yuangs/memory/000001/0000.after", body);
    let hash: String = Sha256::digest(body).iter().map(|b| format!("{b:02x}")).collect();
    let plan =
        json!({"version":1,"time":1,"undoes":null,"what":["keep a.md"],"files":[{"name":name,"before":null,"after":hash}]});
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
        for args in [&["memory", "apply"][..], &["memory", "undo"], &["memory", "apply", "--yes"], &["memory", "undo", "--yes"]] {
            let output = run(at, args);
            assert_eq!(output.status.code(), Some(2), "{name} {args:?}");
            assert!(String::from_utf8_lossy(&output.stderr).contains(name), "{name} {args:?}");
            assert!(!at.join(name).exists(), "{name} {args:?}");
            assert!(at.join("bank/items/bad.json").exists(), "{name} {args:?}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    project(at);
    planted(at, "bank/items/new.json");
    for args in [&["memory", "apply"][..], &["memory", "undo"], &["memory", "status"]] {
        let told = said(at, args);
        assert!(told.contains("makes bank/items/new.json"), "{args:?}: {told}");
        assert!(!at.join("bank/items/new.json").exists(), "{args:?}");
    }
    let told = said(at, &["memory", "apply", "--yes"]);
    assert!(told.contains("makes bank/items/new.json") && told.contains("run 1 is done now"), "{told}");
    assert!(at.join("bank/items/new.json").exists());
}

#[test]
fn neither_index_nor_journal_is_written_elsewhere() {
    let outside = tempfile::tempdir().unwrap();
    let empty = || fs::read_dir(outside.path()).unwrap().count() == 0;
    for (link, store) in [(".yuangs", ".yuangs/x/index.db"), (".yuangs", ".yuangs/index.db"), ("db", "db/a/b/c.db")] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        project(at);
        write(at, "yuangs-verify.toml", &format!("[knowledge]\nstore = '{store}'\nbank = ['bank']\ndocuments = ['docs']\n"));
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
    assert_eq!(run(at, &["memory", "apply", "--now", "2026-01-21", "--yes"]).status.code(), Some(2));
    assert!(empty() && at.join("bank/items/bad.json").exists());
}

#[test]
fn what_holds_a_secret_is_kept_and_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    project(at);
    let token = yuangs_verify::scan::secret::sample::fill("ghp_⟦crc62:30⟧").unwrap();
    let mut bad = item("bad", 0, 0.1, START - 60 * DAY, (4, 0, 3));
    bad["alias"] = json!(token);
    write(at, "bank/items/bad.json", &bad.to_string());
    let escaped: String = token.bytes().map(|b| format!("\\u{b:04x}")).collect();
    let ready = item("ready", 9, 0.9, START, (9, 9, 0)).to_string();
    write(at, "bank/items/ready.json", &ready.replace("ready.md", &escaped));
    write(at, &format!("docs/{token}.md"), "# Keys\n\nThis one has a name that tells too much.\n");
    for args in [
        &["memory", "status", "--now", "2026-01-21"][..],
        &["memory", "apply", "--now", "2026-01-21", "--yes"],
        &["context", "stages"],
        &["reindex"],
        &["search", "--query", "name that tells too much"],
    ] {
        let told = said(at, args);
        assert!(!told.contains(token.get(4..16).unwrap()), "{args:?}: {told}");
    }
    assert!(at.join("bank/items/bad.json").exists(), "it holds a secret, so it is frozen");
    let index = fs::read(at.join(".yuangs/index.db")).unwrap();
    assert!(!index.windows(12).any(|part| part == &token.as_bytes()[4..16]), "the name of a source is stored as well");
}
