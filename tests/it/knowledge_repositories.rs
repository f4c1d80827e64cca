//! One index of several repositories.

use super::support::{git, json_report, run, write};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

const MANIFEST: &str =
    "[[repository]]\nname = 'beta'\npath = 'b'\n\n[[repository]]\nname = 'alpha'\npath = 'a'\n";
const LISTED: [&str; 2] = ["--repositories", "repositories.toml"];

/// Creates two repositories with the same file names, and a manifest.
fn two() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "repositories.toml", MANIFEST);
    for (path, word) in [("a", "semaphore"), ("b", "lexicon")] {
        let file = |name: &str, text: &str| write(&at.join(path), name, text);
        file("yuangs-verify.toml", "[knowledge]\ndocuments = ['docs']\n");
        file(
            "docs/one.md",
            &format!("# One\n\nThe {word} is named in this paragraph.\n"),
        );
        file("docs/two.md", "# Two\n\nBoth repositories say this.\n");
    }
    folder
}

fn knowledge(at: &Path, args: &[&str], which: &[&str]) -> (i32, Value) {
    json_report(at, &[&["knowledge"], args, which].concat())
}

fn paths(sources: &Value) -> Vec<&str> {
    let sources = sources.as_array().unwrap().iter();
    sources.map(|s| s["path"].as_str().unwrap()).collect()
}

/// Returns the codes and files of the findings.
fn findings(report: &Value) -> Vec<(&str, &str)> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|f| (f["code"].as_str().unwrap(), f["file"].as_str().unwrap()))
        .collect()
}

#[test]
fn every_answer_names_its_repository() {
    let folder = two();
    let at = folder.path();
    let (code, report) = knowledge(at, &["reindex"], &LISTED);
    let added = [
        "alpha/docs/one.md",
        "alpha/docs/two.md",
        "beta/docs/one.md",
        "beta/docs/two.md",
    ];
    assert_eq!(
        (code, paths(&report["sources"]["added"])),
        (0, added.to_vec())
    );
    assert!(at.join(".yuangs/repositories.db").is_file());

    let files = |args: &[&str]| -> Vec<String> {
        let (_, answer) = knowledge(at, args, &LISTED);
        let items = answer["items"].as_array().unwrap().iter();
        items
            .map(|i| i["file"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        files(&["search", "--query", "lexicon"])[0],
        "beta/docs/one.md"
    );
    let both = ["search", "--query", "both repositories say this"];
    let among = |name| files(&[&both[..], &["--repository", name]].concat());
    assert_eq!(among("alpha")[0], "alpha/docs/two.md");
    assert!(among("beta").iter().all(|file| file.starts_with("beta/")));
    let unknown = [
        &["knowledge"],
        &both[..],
        &["--repository", "alhpa"],
        &LISTED,
    ]
    .concat();
    let unknown = run(at, &unknown);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.err.contains("the nearest is `alpha`"),
        "{}",
        unknown.err
    );

    let (_, stats) = knowledge(at, &["stats"], &LISTED);
    let each = json!({ "sources": 2, "observations": 2 });
    assert_eq!(
        stats["repositories"],
        json!({ "alpha": each, "beta": each })
    );
}

#[test]
fn roots_give_the_index_of_a_manifest_in_any_order_and_on_any_number_of_threads() {
    let folder = two();
    let at = folder.path();
    let (_, manifest) = knowledge(at, &["reindex"], &LISTED);
    let mut digests = vec![manifest["digest"].as_str().unwrap().to_owned()];
    fs::rename(at.join("a"), at.join("alpha")).unwrap();
    fs::rename(at.join("b"), at.join("beta")).unwrap();
    for (threads, roots) in [("1", ["alpha", "beta"]), ("7", ["./beta/", "alpha"])] {
        fs::remove_dir_all(at.join(".yuangs")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
        let roots = roots.iter().flat_map(|root| ["--root", root]);
        command.current_dir(at).env("RAYON_NUM_THREADS", threads);
        command
            .args(["knowledge", "reindex", "--format", "json"])
            .args(roots);
        let report: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        digests.push(report["digest"].as_str().unwrap().to_owned());
    }
    digests.dedup();
    assert_eq!(digests.len(), 1, "{digests:?}");
}

#[test]
fn only_what_changed_is_read_again_and_a_stale_repository_is_named() {
    let folder = two();
    let at = folder.path();
    knowledge(at, &["reindex"], &LISTED);
    assert_eq!(knowledge(at, &["reindex", "--check"], &LISTED).0, 0);
    write(at, "b/docs/one.md", "# One\n\nAnother paragraph.\n");
    let (code, report) = knowledge(at, &["reindex", "--check"], &LISTED);
    assert_eq!(
        (code, findings(&report)),
        (1, vec![("YV905", "beta/docs/one.md")])
    );
    let (_, report) = knowledge(at, &["reindex"], &LISTED);
    assert_eq!(paths(&report["sources"]["changed"]), ["beta/docs/one.md"]);
    assert_eq!(report["sources"]["unchanged"], 3);
    // A repository that is no longer listed is gone.
    write(
        at,
        "repositories.toml",
        "[[repository]]\nname = 'beta'\npath = 'b'\n",
    );
    let (_, report) = knowledge(at, &["reindex"], &LISTED);
    assert_eq!(
        paths(&report["sources"]["removed"]),
        ["alpha/docs/one.md", "alpha/docs/two.md"]
    );
}

#[test]
fn a_repository_that_cannot_be_read_changes_nothing_and_is_named() {
    let folder = two();
    let at = folder.path();
    let (_, before) = knowledge(at, &["reindex"], &LISTED);
    let faults: [(&str, &dyn Fn()); 4] = [
        ("isn't a folder", &|| {
            fs::rename(at.join("a"), at.join("gone")).unwrap();
        }),
        ("can't read `a/yuangs-verify.toml`", &|| {
            fs::create_dir(at.join("a")).unwrap();
        }),
        ("no section [knowledge]", &|| {
            write(at, "a/yuangs-verify.toml", "");
        }),
        ("names no source", &|| {
            write(at, "a/yuangs-verify.toml", "[knowledge]\n");
        }),
    ];
    write(at, "b/docs/one.md", "# One\n\nAnother paragraph.\n");
    for (why, break_it) in faults {
        break_it();
        let failed = run(at, &[&["knowledge", "reindex"], &LISTED[..]].concat());
        assert_eq!((failed.code, &*failed.out), (2, ""), "{why}");
        let named = "the repository `alpha` can't be read: ";
        assert!(
            failed.err.contains(named) && failed.err.contains(why),
            "{}",
            failed.err
        );
        // The other repository is compared, and what is indexed of this one isn't called gone.
        let (code, report) = knowledge(at, &["reindex", "--check"], &LISTED);
        assert_eq!(code, 2);
        assert_eq!(report["digest"], before["digest"]);
        assert_eq!(
            findings(&report),
            [("YV101", "alpha"), ("YV905", "beta/docs/one.md")]
        );
        // What is indexed still answers, with a warning.
        let asked = run(
            at,
            &[
                &["knowledge", "search", "--query", "semaphore"],
                &LISTED[..],
            ]
            .concat(),
        );
        assert!(
            asked.code == 0 && asked.out.contains("alpha/docs/one.md"),
            "{}",
            asked.err
        );
        assert!(
            asked.err.contains("isn't known") && asked.err.contains("alpha"),
            "{}",
            asked.err
        );
    }
    // All of them are named.
    fs::remove_dir_all(at.join("b")).unwrap();
    let failed = run(at, &[&["knowledge", "reindex"], &LISTED[..]].concat());
    assert!(
        ["`alpha`", "`beta`"]
            .iter()
            .all(|name| failed.err.contains(name)),
        "{}",
        failed.err
    );
}

#[test]
fn a_manifest_is_refused_unless_its_names_are_safe_and_unique() {
    let folder = two();
    let at = folder.path();
    let long = "x".repeat(101);
    let entry = |name: &str, path: &str| {
        format!("[[repository]]\nname = {}\npath = '{path}'\n", json!(name))
    };
    let names = [
        "",
        "../x",
        "a/b",
        "a\\b",
        ".",
        "..",
        "a.",
        "a\nb",
        "::error::b",
        "é",
        "a\u{202e}b",
        &long,
    ];
    let mut refused: Vec<(String, &str)> = names
        .map(|name| (entry(name, "a"), "can't name a repository"))
        .to_vec();
    refused.extend([
        (
            entry("x", "a") + &entry("X", "b"),
            "two repositories are called `X`",
        ),
        (
            entry("x", "a") + &entry("y", "./b/../a"),
            "`x` and `y` are the same folder",
        ),
        (
            entry("x", "a") + "map = '../m'\n",
            "leads out of the repository",
        ),
        (entry("x", "a") + "token = 1\n", "unknown key `token`"),
        (
            "[[repository]]\nname = 'x'\n".to_owned(),
            "missing field `path`",
        ),
        (
            "store = '../x.db'\n".to_owned() + &entry("x", "a"),
            "leads out of the folder",
        ),
        (String::new(), "lists no repository"),
    ]);
    for (manifest, why) in refused {
        write(at, "repositories.toml", &manifest);
        let failed = run(at, &[&["knowledge", "reindex"], &LISTED[..]].concat());
        assert_eq!((failed.code, &*failed.out), (2, ""), "{manifest}");
        assert!(failed.err.contains(why), "{manifest}: {}", failed.err);
        assert!(
            !failed.err.lines().any(|line| line.starts_with("::")),
            "{}",
            failed.err
        );
    }
    for args in [
        ["--repositories", "a", "--no-vectors", "--check"],
        ["--repositories", "nothing.toml", "--no-vectors", "--check"],
        ["--root", "a", "--root", "./a"],
        ["--root", "a", "--store", "a"],
        ["--root", "a", "--repositories", "repositories.toml"],
    ] {
        let failed = run(at, &[&["knowledge", "reindex"], &args[..]].concat());
        assert_eq!(failed.code, 2, "{args:?}: {}", failed.err);
    }
    assert!(!at.join(".yuangs").exists());
}

#[test]
fn nothing_leads_out_of_a_repository() {
    let folder = two();
    let at = folder.path();
    write(at, "secret.md", "# Secret\n\nOutside.\n");
    write(
        at,
        "a/yuangs-verify.toml",
        "[knowledge]\ndocuments = ['../secret.md']\n",
    );
    let failed = run(at, &[&["knowledge", "reindex"], &LISTED[..]].concat());
    assert!(
        failed.code == 2 && failed.err.contains("leads out"),
        "{}",
        failed.err
    );
    #[cfg(unix)]
    {
        fs::remove_file(at.join("a/yuangs-verify.toml")).unwrap();
        std::os::unix::fs::symlink(
            at.join("b/yuangs-verify.toml"),
            at.join("a/yuangs-verify.toml"),
        )
        .unwrap();
        let failed = run(at, &[&["knowledge", "reindex"], &LISTED[..]].concat());
        assert!(
            failed.code == 2 && failed.err.contains("leads out"),
            "{}",
            failed.err
        );
    }
    assert!(!at.join(".yuangs").exists());
}

#[test]
fn the_name_of_a_repository_changes_nothing_that_a_source_says() {
    let folder = two();
    let at = folder.path();
    // The folder of a skill is its stage, and a revision is resolved in its repository.
    for name in ["production", "plain"] {
        let root = at.join(name);
        let sources = "[knowledge]\nrepomap = ['.']\nskills = ['skills']\nhistory = ['HEAD']\n";
        write(&root, "yuangs-verify.toml", sources);
        write(&root, "lib.rs", "pub fn published() {}\n");
        let meta = json!({ "name": name, "version": "1.0.0", "description": "reviews" });
        write(&root, "skills/review/meta.json", &meta.to_string());
        git(&root, &["init", "-q"]);
        git(&root, &["add", "."]);
        git(&root, &["commit", "-qm", "first words"]);
    }
    let roots = ["--root", "production", "--root", "plain"];
    assert_ne!(knowledge(at, &["reindex"], &roots).0, 2);
    let (_, stats) = knowledge(at, &["stats"], &roots);
    let of = &stats["repositories"];
    assert_eq!(of["production"], of["plain"]);
    assert_eq!(
        stats["observations"],
        json!({ "code": 2, "commit": 2, "skill": 2 })
    );
    let db = rusqlite::Connection::open(at.join(".yuangs/repositories.db")).unwrap();
    let staged = "SELECT count(*) FROM document WHERE json LIKE '%\"stage\":\"experimental\"%'";
    let staged: i64 = db.query_row(staged, [], |row| row.get(0)).unwrap();
    assert_eq!(staged, 2);
}

/// A turn is weak if it quotes an item of its own repository's bank without declaring it.
#[test]
fn the_bank_of_another_repository_makes_no_turn_weak() {
    let folder = two();
    let at = folder.path();
    let said = "one two three four five six seven eight";
    for name in ["a", "b"] {
        let root = at.join(name);
        write(
            &root,
            "yuangs-verify.toml",
            "[knowledge]\ntraces = ['traces']\nbank = ['bank']\n",
        );
        let item =
            json!({"id": name, "path": format!("{name}.md"), "content": format!("{said} nine")});
        write(&root, &format!("bank/items/{name}.json"), &item.to_string());
        let turn = json!({"record": "turn", "executionId": name, "turnId": 1, "startTime": 1_769_040_000_000_i64,
            "endTime": 1_769_040_000_500_i64, "usedSkills": ["quoter"], "usedContext": ["a.md"],
            "contextSnapshot": {"inputHash": "i", "systemPromptVersion": "p", "toolSetVersion": "t"},
            "proposedAction": {"id": "w", "type": "answer", "payload": {"content": said}, "riskLevel": "low", "reasoning": "so"},
            "executionResult": {"success": true, "output": "", "cost": 0.1, "durationMs": 600.0}});
        write(&root, "traces/t.jsonl", &format!("{turn}\n"));
    }
    knowledge(at, &["reindex"], &LISTED);
    assert_ne!(knowledge(at, &["reindex", "--check"], &LISTED).0, 2);
    let db = rusqlite::Connection::open(at.join(".yuangs/repositories.db")).unwrap();
    let mut marks = db
        .prepare(
            "SELECT path, weak FROM execution_log JOIN source ON source.id = source ORDER BY path",
        )
        .unwrap();
    let marks = marks
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    let marks: Vec<(String, bool)> = marks.map(Result::unwrap).collect();
    let expected = [
        ("alpha/traces/t.jsonl", false),
        ("beta/traces/t.jsonl", true),
    ];
    assert_eq!(marks, expected.map(|(path, weak)| (path.to_owned(), weak)));
}

/// Returns the entries of a report by the names of the repositories.
fn entries(report: &Value) -> Vec<(&str, &Value)> {
    let entries = report["repositories"].as_array().unwrap().iter();
    entries.map(|e| (e["name"].as_str().unwrap(), e)).collect()
}

#[test]
fn the_report_has_an_entry_for_each_repository() {
    let folder = two();
    let at = folder.path();
    write(at, "a/docs/picture.png", "x");
    knowledge(at, &["reindex"], &LISTED);
    write(
        at,
        "a/docs/one.md",
        "# One\n\nAnother.\n\n# Two\n\nParagraph.\n",
    );
    write(at, "a/docs/three.md", "# Three\n\nNew.\n");
    fs::remove_file(at.join("b/docs/two.md")).unwrap();
    write(at, "b/docs/bad.md", "");
    fs::write(at.join("b/docs/bad.md"), b"\xff\xfe broken").unwrap();
    let (_, report) = knowledge(at, &["reindex"], &LISTED);
    let none = json!({ "errors": 0, "warnings": 0, "notes": 0 });
    let entry = |name: &str,
                 changes: [u32; 4],
                 observations: [u32; 2],
                 unread: u32,
                 findings: &Value| {
        let [added, changed, removed, unchanged] = changes;
        json!({
            "name": name,
            "sources": { "added": added, "changed": changed, "removed": removed, "unchanged": unchanged },
            "observations": { "before": observations[0], "now": observations[1] },
            "notRead": unread, "edges": 0, "skillUses": 0, "secretsHidden": 0, "findings": findings,
        })
    };
    let one = json!({ "errors": 1, "warnings": 0, "notes": 0 });
    assert_eq!(
        report["repositories"],
        json!([
            entry("alpha", [1, 1, 0, 1], [2, 4], 1, &none),
            entry("beta", [1, 0, 1, 1], [2, 1], 0, &one),
        ])
    );
    // The entries add up to what the whole run counts.
    let sum = |of: &str| -> u64 {
        let entries = entries(&report).into_iter();
        entries
            .map(|(_, e)| e.pointer(of).unwrap().as_u64().unwrap())
            .sum()
    };
    assert_eq!(
        json!(sum("/observations/now")),
        report["observations"]["now"]
    );
    assert_eq!(
        json!(sum("/observations/before")),
        report["observations"]["before"]
    );
    assert_eq!(
        json!(sum("/sources/unchanged")),
        report["sources"]["unchanged"]
    );

    let text = |args: &[&str]| run(at, &[&["knowledge", "reindex"], args, &LISTED].concat()).out;
    let again = text(&[]);
    let lines: Vec<&str> = again
        .lines()
        .filter(|l| l.starts_with("repository "))
        .collect();
    assert_eq!(
        lines,
        [
            "repository alpha: sources: 0 added, 0 changed, 0 removed, 3 unchanged; not read: 1 file; observations: 4 (before: 4); findings: 0 errors, 0 warnings, 0 notes",
            "repository beta: sources: 0 added, 0 changed, 0 removed, 2 unchanged; observations: 1 (before: 1); findings: 1 error, 0 warnings, 0 notes",
        ]
    );
    let page = text(&["--format", "markdown"]);
    let row = "| `beta` | 0 | 0 | 0 | 2 | 0 | 1 | 1 | 1 error, 0 warnings, 0 notes |";
    assert!(page.contains(row), "{page}");

    // A comparison counts too. A repository that is no longer listed is named until it is gone.
    write(
        at,
        "repositories.toml",
        "[[repository]]\nname = 'beta'\npath = 'b'\n",
    );
    let (_, report) = knowledge(at, &["reindex", "--check"], &LISTED);
    let two = json!({ "errors": 0, "warnings": 3, "notes": 0 });
    assert_eq!(
        report["repositories"],
        json!([
            { "name": "alpha", "lookedAt": 3, "findings": two },
            { "name": "beta", "lookedAt": 2, "findings": none },
        ])
    );
    let page = text(&["--check", "--format", "markdown"]);
    assert!(
        page.contains("- repository `beta`: 2 sources read: "),
        "{page}"
    );
    let check = text(&["--check"]);
    assert!(
        check.contains("\nrepository alpha: 3 sources read: 0 errors, 3 warnings, 0 notes\n"),
        "{check}"
    );
    let (_, report) = knowledge(at, &["reindex"], &LISTED);
    let removed = entries(&report)[0];
    assert_eq!(
        (removed.0, &removed.1["sources"]["removed"]),
        ("alpha", &json!(3))
    );
    // One repository is the whole run.
    for args in [&["reindex"][..], &["reindex", "--check"]] {
        assert_eq!(knowledge(at, args, &LISTED).1.get("repositories"), None);
        assert!(!text(&args[1..]).contains("repository"));
    }
}

#[test]
fn a_repository_is_counted_under_its_whole_name() {
    let folder = two();
    let at = folder.path();
    let names = ["a", "a-b", "a.b", "ab", "none"];
    for (documents, name) in names.iter().enumerate() {
        let root = at.join("roots").join(name);
        write(
            &root,
            "yuangs-verify.toml",
            "[knowledge]\ndocuments = ['docs']\n",
        );
        fs::create_dir_all(root.join("docs/a")).unwrap();
        for n in documents..names.len() - 1 {
            write(&root, &format!("docs/a/{n}.md"), "# A\n\nText.\n");
        }
    }
    let roots = names.map(|name| format!("roots/{name}"));
    let roots: Vec<&str> = roots.iter().flat_map(|root| ["--root", root]).collect();
    assert_eq!(knowledge(at, &["reindex"], &roots).0, 0);
    let (_, stats) = knowledge(at, &["stats"], &roots);
    let counted: Vec<(&String, &Value)> =
        stats["repositories"].as_object().unwrap().iter().collect();
    let of = |n: u32| json!({ "sources": n, "observations": n });
    let expected = [of(4), of(3), of(2), of(1), of(0)];
    for (((name, counts), own), expected) in counted.into_iter().zip(names).zip(&expected) {
        assert_eq!((&**name, counts), (own, expected));
    }
}

/// Indexes twice, and checks that the second run finds nothing to do.
fn reindex_is_stable(at: &Path, args: &[&str]) {
    let (code, first) = knowledge(at, &["reindex"], args);
    assert_eq!(code, 0, "{first}");
    for own in [".db", "index.md"] {
        assert!(!first.to_string().contains(own), "{args:?}: {first}");
    }
    // Reading may leave files next to the index.
    knowledge(at, &["stats"], args);
    let (code, again) = knowledge(at, &["reindex"], args);
    assert_eq!(code, 0, "{again}");
    for what in ["added", "changed", "removed"] {
        assert_eq!(again["sources"][what], json!([]), "{args:?}");
    }
    assert_eq!(again["digest"], first["digest"]);
    assert_eq!(again["notRead"], first["notRead"]);
    assert_eq!(knowledge(at, &["reindex", "--check"], args).0, 0);
}

/// A run would otherwise change the index because the last one has changed it.
#[test]
fn an_index_is_no_source_of_itself() {
    let sources = "[knowledge]\ndocuments = ['.']\nrepomap = ['.']\n";
    for store in ["a/index.md", "a/deep/.index.db", "repositories.db"] {
        let folder = two();
        let at = folder.path();
        write(at, "a/yuangs-verify.toml", sources);
        let manifest = format!("store = '{store}'\n{MANIFEST}");
        write(at, "repositories.toml", &manifest);
        reindex_is_stable(at, &LISTED);
    }
    // The index of one configuration, under its default name and as one of its documents.
    for store in ["", "store = 'docs/index.md'\n"] {
        let folder = two();
        let at = folder.path();
        write(at, "a/yuangs-verify.toml", &format!("{sources}{store}"));
        reindex_is_stable(at, &["--config", "a/yuangs-verify.toml"]);
    }
    #[cfg(unix)]
    {
        let folder = two();
        let a = folder.path().join("a");
        let named = "[knowledge]\ndocuments = ['docs', 'linked.md']\nstore = 'docs/index.md'\n";
        write(&a, "yuangs-verify.toml", named);
        std::os::unix::fs::symlink("docs/index.md", a.join("linked.md")).unwrap();
        // A source that doesn't exist yet is an error.
        write(&a, "linked.toml", &named.replace(", 'linked.md'", ""));
        assert_eq!(
            knowledge(&a, &["reindex"], &["--config", "linked.toml"]).0,
            0
        );
        reindex_is_stable(&a, &[]);
    }
}

/// Each repository has the sources that it names itself.
#[test]
fn nested_repositories_and_a_linked_one_are_indexed_under_their_names() {
    let folder = two();
    let at = folder.path();
    fs::rename(at.join("b"), at.join("a/docs/b")).unwrap();
    let nested = ["--root", "a", "--root", "a/docs/b"];
    let (code, report) = knowledge(at, &["reindex"], &nested);
    let inner: Vec<&str> = paths(&report["sources"]["added"])
        .into_iter()
        .filter(|path| path.ends_with("one.md"))
        .collect();
    let expected = ["a/docs/b/docs/one.md", "a/docs/one.md", "b/docs/one.md"];
    assert_eq!((code, inner), (0, expected.to_vec()));
    assert_eq!(knowledge(at, &["reindex", "--check"], &nested).0, 0);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a", at.join("linked")).unwrap();
        let both = ["--root", "a", "--root", "linked"];
        let refused = run(at, &[&["knowledge", "reindex"], &both[..]].concat());
        assert!(
            refused.code == 2 && refused.err.contains("`a` and `linked` are the same folder"),
            "{}",
            refused.err
        );
        assert_eq!(knowledge(at, &["reindex"], &["--root", "linked"]).0, 0);
    }
    let file = run(at, &["knowledge", "reindex", "--root", "repositories.toml"]);
    assert!(
        file.code == 2 && file.err.contains("isn't a folder"),
        "{}",
        file.err
    );
}

#[test]
fn a_manifest_may_be_long_and_have_lines_of_windows() {
    let folder = two();
    let at = folder.path();
    write(at, "repositories.toml", &MANIFEST.replace('\n', "\r\n"));
    assert_eq!(knowledge(at, &["reindex"], &LISTED).0, 0);
    let name = |n: usize| format!("[[repository]]\nname = 'r{}'\npath = 'r{n}'\n", n / 2);
    let manifest: String = (0..3_334).map(name).collect();
    write(at, "repositories.toml", &manifest);
    let refused = run(at, &[&["knowledge", "reindex"], &LISTED[..]].concat());
    assert_eq!(refused.code, 2);
    // Each is named at its line.
    for said in [
        "`r1666`\n --> repositories.toml:10001:8",
        "can't be used: 1667 mistakes",
    ] {
        let err = refused.err.replace("     -->", " -->");
        assert!(
            err.contains(said),
            "{}",
            err.get(err.len() - 400..).unwrap()
        );
    }
}

/// Names of the file system must not add lines to a report.
#[cfg(unix)]
#[test]
fn a_path_adds_no_line_to_a_report() {
    let folder = two();
    let at = folder.path();
    let name = "x\n::error::y\u{1b}[31m\u{202e}";
    write(at, &format!("a/docs/{name}.md"), "# T\n\nThe text of it.\n");
    // An index of one configuration, whose folders look like repositories to the next run.
    write(at, &format!("{name}/docs/a.md"), "# T\n\nText.\n");
    let config = format!(
        "[knowledge]\nstore = '.yuangs/repositories.db'\ndocuments = [{}]\n",
        json!(name)
    );
    write(at, "yuangs-verify.toml", &config);
    let command = |args: &[&str]| run(at, &[&["knowledge"], args].concat());
    assert_eq!(command(&["reindex"]).code, 0);
    for args in [
        &["reindex", "--check", "--format", "text"][..],
        &["reindex", "--check", "--format", "markdown"],
        &["reindex", "--check", "--format", "json"],
        &["reindex"],
        &["stats"],
        &["search", "--query", "text of it"],
        &["index"],
        &["reindex", "--root", name],
    ] {
        let listed = if args.contains(&"--root") {
            &[]
        } else {
            &LISTED[..]
        };
        let done = command(&[args, listed].concat());
        let all = done.out + &done.err;
        assert!(
            !all.lines().any(|line| line.starts_with("::"))
                && !all.contains(['\u{1b}', '\u{202e}']),
            "{args:?}: {all}"
        );
        if args[0] == "reindex" {
            assert!(all.contains("error::y"), "{args:?}: {all}");
        }
    }
}

/// A command that reads it would wait for somebody who writes.
#[cfg(unix)]
#[test]
fn no_option_names_a_pipe() {
    let folder = two();
    let at = folder.path();
    let made = Command::new("mkfifo").arg(at.join("a/pipe")).status();
    assert!(made.unwrap().success());
    let a = at.join("a");
    let config = |name: &str, text: &str| write(&a, name, &format!("[knowledge]\n{text}"));
    assert_eq!(run(&a, &["knowledge", "reindex"]).code, 0);
    config(
        "permissions.toml",
        "permissions = 'pipe'\nskills = ['docs']\n",
    );
    config(
        "source.toml",
        "documents = ['docs', 'pipe']\nstore = 'new.db'\n",
    );
    config("map.toml", "repomap = ['pipe']\nstore = 'new.db'\n");
    write(&a, "trace.jsonl", "{}\n");
    for args in [
        &["reindex", "--repositories", "pipe"][..],
        &["stats", "--repositories", "pipe"],
        &["search", "--query", "x", "--repositories", "/dev/null"],
        &["reindex", "--config", "pipe"],
        &["stats", "--config", "pipe"],
        &["skills", "evaluate", "--beside", "pipe"],
        &[
            "skills",
            "check",
            "trace.jsonl",
            "--config",
            "permissions.toml",
        ],
        &["reindex", "--config", "source.toml"],
        &["reindex", "--config", "map.toml"],
        &["reindex", "--model", "pipe"],
        &["measure", "pipe", "trace.jsonl"],
        &["measure", "trace.jsonl", "pipe"],
    ] {
        let done = run(&a, &[&["knowledge"], args].concat());
        assert_eq!((done.code, &*done.out), (2, ""), "{args:?}: {}", done.err);
        let said = if args.contains(&"--model") && !cfg!(feature = "model2vec") {
            ["`model2vec` is not part of this build"; 2]
        } else {
            ["isn't a regular file", "Not a directory"]
        };
        assert!(
            said.iter().any(|s| done.err.contains(s)),
            "{args:?}: {}",
            done.err
        );
    }
    assert!(!a.join("new.db").exists());
}

#[cfg(unix)]
#[test]
fn a_configuration_that_is_a_pipe_is_not_read() {
    let folder = two();
    let at = folder.path();
    let config = at.join("b/yuangs-verify.toml");
    fs::remove_file(&config).unwrap();
    let made = Command::new("mkfifo").arg(config).status();
    assert!(made.unwrap().success());
    let done = run(at, &[&["knowledge", "reindex"][..], &LISTED].concat());
    assert_eq!(done.code, 2, "{}", done.out);
    assert!(done.err.contains("isn't a regular file"), "{}", done.err);
}
