//! Sources of knowledge: globs, commits, what isn't read, and an index that is older than them.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let output = run(folder, &[args, &["--format", "json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {error}"))
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Commits the index of a repository with a message.
fn commit(repository: &git2::Repository, message: &str) {
    let mut index = repository.index().unwrap();
    index
        .add_all(["*.md"], git2::IndexAddOption::DEFAULT, None)
        .unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let who = git2::Signature::new("n", "e@example.com", &git2::Time::new(1_700_000_000, 0));
    let parent = repository.head().ok().map(|h| h.peel_to_commit().unwrap());
    let parents: Vec<_> = parent.iter().collect();
    let who = who.unwrap();
    repository
        .commit(Some("HEAD"), &who, &who, message, &tree, &parents)
        .unwrap();
}

fn project() -> (tempfile::TempDir, git2::Repository) {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\ndocuments = ['docs/**/*.md', 'pages']\nhistory = ['HEAD']\ngate = true\n",
    );
    write(
        at,
        "docs/a.md",
        "# Store\n\nThe index is one file of SQLite.\n",
    );
    write(at, "docs/deep/b.md", "# Vectors\n\nThey are learnt.\n");
    write(
        at,
        "pages/c.html",
        "<h1>Weather</h1><p>It rains on Mondays.</p>\n",
    );
    write(at, "pages/d.png", "x");
    let repository = git2::Repository::init(at).unwrap();
    commit(
        &repository,
        "store: forbid a second writer\n\nTwo runs raced.",
    );
    (folder, repository)
}

#[test]
fn documents_commits_and_unread_files_are_told() {
    let (folder, repository) = project();
    let at = folder.path();
    let report = json(at, &["knowledge", "reindex"]);
    let paths: Vec<&str> = report["sources"]["added"]
        .as_array()
        .unwrap()
        .iter()
        .map(|source| source["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        ["docs/a.md", "docs/deep/b.md", "pages/c.html", "HEAD"]
    );
    assert_eq!(report["notRead"][0]["files"][".png"], 1);
    for (question, place) in [
        ("second writer raced", "HEAD"),
        ("rains on Mondays", "pages/c.html"),
    ] {
        let found = run(at, &["knowledge", "search", "--query", question]);
        let text = String::from_utf8(found.stdout).unwrap();
        assert!(text.contains(place), "{question}: {text}");
        assert_eq!(String::from_utf8(found.stderr).unwrap(), "", "{question}");
    }
    let stats = json(at, &["knowledge", "stats"]);
    assert_eq!(stats["observations"]["commit"], 1);
    assert_eq!(stats["sources"]["documents"]["sources"], 3);
    // A commit makes the index older than its sources, and so does a file.
    commit(&repository, "docs: say why");
    write(at, "docs/a.md", "# Store\n\nThe index is one file.\n");
    write(at, "docs/new.md", "# New\n\nText.\n");
    fs::remove_file(at.join("pages/c.html")).unwrap();
    let found = run(at, &["knowledge", "search", "--query", "second writer"]);
    let warning = String::from_utf8(found.stderr).unwrap();
    assert!(
        warning.contains("older than its sources (1 new, 2 changed, 1 gone)"),
        "{warning}"
    );
    let again = json(at, &["knowledge", "reindex"]);
    assert_eq!(again["digestBefore"], report["digest"]);
    assert_ne!(again["digest"], report["digest"]);
}

#[test]
fn the_gate_checks_the_index_where_it_is_asked_to() {
    let (folder, _repository) = project();
    let at = folder.path();
    let codes = || {
        let report = fs::read(at.join("report.json")).unwrap();
        let report: Value = serde_json::from_slice(&report).unwrap();
        let findings = report["findings"].as_array().unwrap();
        let codes = findings
            .iter()
            .map(|f| f["code"].as_str().unwrap().to_owned());
        codes.collect::<Vec<_>>()
    };
    let gate = || run(at, &["gate", "--report", "json=report.json"]);
    assert_eq!(gate().status.code(), Some(2), "there is no index");
    assert!(run(at, &["knowledge", "reindex"]).status.success());
    // No trace is configured, so nothing was verified.
    assert_eq!(gate().status.code(), Some(3));
    assert_eq!(codes(), Vec::<String>::new());
    write(at, "docs/a.md", "# Store\n\nSomething else.\n");
    gate();
    assert_eq!(codes(), ["YV905"]);
    let text = fs::read_to_string(at.join("yuangs-verify.toml")).unwrap();
    write(at, "yuangs-verify.toml", &text.replace("gate = true", ""));
    gate();
    assert_eq!(codes(), Vec::<String>::new());
}
