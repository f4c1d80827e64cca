//! Results don't depend on the history of the index; also maps, bundles, and the window of a
//! session.

use knowledge_index::Store;
use knowledge_index::rank::{Query, Ranker, Stages};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tokens::Encoding;
use util::random::SplitMix;
use yuangs_verify::knowledge::bundle::{Parts, bundle};
use yuangs_verify::knowledge::map::map;
use yuangs_verify::knowledge::reindex;
use yuangs_verify::knowledge::retrieve::{Form, MapQuery, Print};
use yuangs_verify::knowledge::{SCHEMA, SourceKind, Sources};
use yuangs_verify::report::{safe_json, terminal};

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
    command
        .current_dir(folder)
        .arg("knowledge")
        .args(args)
        .output()
        .unwrap()
}

fn outcome(folder: &Path, args: &[&str]) -> (i32, String) {
    let output = run(folder, args);
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn update(root: &Path, store: &str, vectors: bool) -> Store {
    let sources = Sources {
        root: root.to_path_buf(),
        paths: vec![(SourceKind::Documents, "docs".into())],
        ..Sources::default()
    };
    let mut open = Store::create(&root.join(store), &SCHEMA).unwrap();
    reindex::run(
        &mut open,
        &sources,
        reindex::Settings { vectors },
        &mut |_, _| {},
    )
    .unwrap();
    open
}

/// Generates a section of five words out of forty.
fn section(numbers: &mut SplitMix) -> String {
    let words: Vec<String> = (0..5)
        .map(|_| format!("word{}", numbers.below(40)))
        .collect();
    format!("# {}\n\nhere stand {}\n", words[0], words.join(" "))
}

/// Returns the ids and scores of all answers.
fn answers(store: &Store, text: &str, stages: Stages) -> Vec<(String, String)> {
    let query = Query {
        limit: 20,
        stages,
        ..Query::new(text)
    };
    let found = Ranker::new(store).search(&query).unwrap();
    found
        .into_iter()
        .map(|f| (f.stored.id.to_string(), format!("{:?}", f.scores.evidence)))
        .collect()
}

#[test]
fn figures_do_not_depend_on_how_the_index_came_about() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut numbers = SplitMix(7);
    for n in 0..60 {
        write(at, &format!("docs/{n}.md"), &section(&mut numbers));
    }
    drop(update(at, "kept.db", true));
    for round in 0..24 {
        for _ in 0..4 {
            let name = format!("docs/{}.md", numbers.below(70));
            if numbers.below(4) == 0 {
                let _ = fs::remove_file(at.join(name));
            } else {
                write(at, &name, &section(&mut numbers));
            }
        }
        let kept = update(at, "kept.db", true);
        if round % 6 == 5 {
            let name = format!("fresh{round}.db");
            let fresh = update(at, &name, true);
            assert_eq!(kept.digest().unwrap(), fresh.digest().unwrap());
            for word in 0..40 {
                let asked = format!("word{word} word{}", (word * 7 + 3) % 40);
                assert_eq!(
                    answers(&kept, &asked, Stages::Text),
                    answers(&fresh, &asked, Stages::Text),
                    "{asked}"
                );
                assert!(!answers(&kept, &asked, Stages::Vectors).is_empty());
            }
        }
    }
    // Removed observations leave neither words nor vectors.
    let db = rusqlite::Connection::open(at.join("kept.db")).unwrap();
    let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let observations = count("SELECT count(*) FROM observation");
    assert_eq!(count("SELECT count(*) FROM words_docsize"), observations);
    assert_eq!(count("SELECT count(*) FROM vector"), observations);
}

fn code() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\nrepomap = ['src']\ndocuments = ['a.md']\n",
    );
    write(at, ".git/HEAD", "ref: refs/heads/main\n");
    write(at, ".gitignore", "/src/ignored.rs\n");
    write(
        at,
        "src/lexer.rs",
        "//! Tokens.\n\n/// Cuts a text into tokens.\npub fn lex_tokens(text: &str) -> Vec<Token> { cut(text) }\n",
    );
    write(
        at,
        "src/main.py",
        "from lexer import lex_tokens\n\ndef main():\n    lex_tokens('x')\n",
    );
    write(at, "src/ignored.rs", "pub fn never_seen() {}\n");
    write(
        at,
        "a.md",
        "# A heading\n\nSome words about nothing of interest.\n",
    );
    folder
}

#[test]
fn code_is_mapped_and_found() {
    let folder = code();
    let at = folder.path();
    assert_eq!(outcome(at, &["reindex"]).0, 0);
    let (code, map) = outcome(at, &["map"]);
    assert_eq!(code, 0);
    assert!(
        map.contains("pub fn lex_tokens(text: &str) -> Vec<Token>") && map.contains("src/main.py"),
        "{map}"
    );
    assert!(!map.contains("never_seen"));
    let (_, found) = outcome(at, &["search", "--query", "lexTokens", "--no-vectors"]);
    assert!(found.contains("src/lexer.rs:1"), "{found}");
    let (_, json) = outcome(at, &["map", "--format", "json"]);
    assert!(
        serde_json::from_str::<Value>(&json).unwrap()["definitions"].is_object(),
        "{json}"
    );
    assert_eq!(outcome(at, &["map", "--focus", "src/lexer.rs"]).0, 0);
    assert_eq!(outcome(at, &["map", "--focus", "src/none.rs"]).0, 2);
    assert_eq!(outcome(at, &["reindex", "--check"]).0, 0);
    // Changed files are read again, and removed ones disappear.
    write(at, "src/lexer.rs", "pub fn lex_words() {}\n");
    fs::remove_file(at.join("src/main.py")).unwrap();
    assert_eq!(outcome(at, &["reindex", "--check"]).0, 1);
    assert_eq!(outcome(at, &["reindex"]).0, 0);
    let (_, map) = outcome(at, &["map"]);
    assert!(
        map.contains("lex_words") && !map.contains("lex_tokens") && !map.contains("main.py"),
        "{map}"
    );
    // Without code, there is nothing to map.
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\ndocuments = ['a.md']\n",
    );
    assert_eq!(outcome(at, &["reindex"]).0, 0);
    assert_eq!(outcome(at, &["map"]).0, 3);
}

#[test]
fn a_bundle_has_its_parts() {
    let folder = code();
    let at = folder.path();
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\nruns = ['runs']\ntranscripts = ['t']\nsummaries = ['SUMMARY.md']\ndocuments = ['a.md']\nrepomap = ['src']\n\
         [knowledge.profiles.small.bundle]\nsummary = 50\ntotal = 400\n[knowledge.profiles.tiny.bundle]\nevents = 9\n",
    );
    write(
        at,
        "SUMMARY.md",
        &"## 2026-01-22\n- wrote the writer of the store, at some length\n".repeat(40),
    );
    write(
        at,
        "runs/1.json",
        "{\"task_id\":\"t1\",\"command\":\"cargo test\",\"exitCode\":0,\"timestamp\":1769040000000}",
    );
    let said = json!({ "type": "message", "sessionId": "t2", "timestamp": 1_769_050_000_000_i64,
        "message": { "role": "user", "content": "let us look at how lex_tokens cuts words" } });
    write(at, "t/s.jsonl", &format!("{said}\n"));
    assert_eq!(outcome(at, &["reindex"]).0, 0);
    let (code, text) = outcome(at, &["bundle", "--query", "lex_tokens"]);
    assert_eq!(code, 0);
    let parts = [
        "## Profile",
        "## Task state",
        "## Summary",
        "## Recent events",
        "## Semantic chunks",
    ];
    let places: Vec<usize> = parts.iter().map(|p| text.find(p).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    assert!(
        text.contains("left out") && text.contains("Cuts a text into tokens"),
        "{text}"
    );
    assert!(Encoding::default().count(&text) <= 2_200);
    // The task with the newest event.
    assert!(
        text[places[1]..places[2]].contains("let us look at"),
        "{text}"
    );
    let (_, other) = outcome(at, &["bundle", "--task", "t1"]);
    assert!(other.contains("cargo test"), "{other}");
    assert_eq!(outcome(at, &["bundle", "--task", "none"]).0, 2);
    let (_, small) = outcome(at, &["bundle", "--profile", "small"]);
    assert!(
        Encoding::default().count(&small) <= 400 && parts.iter().all(|p| small.contains(p)),
        "{small}"
    );
    assert_eq!(outcome(at, &["bundle", "--profile", "tiny"]).0, 2);
    let (_, json) = outcome(at, &["bundle", "--format", "json"]);
    assert_eq!(
        serde_json::from_str::<Value>(&json).unwrap()["sections"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]
    /// Neither a bundle nor a map exceeds its budget, whatever the sources contain.
    #[test]
    fn bundles_and_maps_never_exceed_their_budgets(
        words in proptest::collection::vec("(\\PC|[ab \n\u{1b}\u{202e}\u{4e2d}]){1,300}", 3..20),
        parts in (50usize..300, 50usize..400, 50usize..500, 50usize..600, 50usize..900),
        total in 400usize..2500,
        tokens in 150usize..1500,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        for (n, word) in words.iter().enumerate() {
            let content = format!("about twenty letters {word}").repeat(1 + n % 4);
            let record = json!({ "type": "message", "timestamp": n, "message": { "role": "user", "content": content } });
            write(at, &format!("t/{n}.jsonl"), &format!("{record}\n"));
            write(at, &format!("l/{n}.md"), &format!("- {content}\n").repeat(5));
            write(at, &format!("c/{n}.py"), &format!("# {word}\ndef f{n}(a='{word}'):\n    f0()\n"));
        }
        let mut store = Store::create(&at.join("index.db"), &SCHEMA).unwrap();
        let paths = [(SourceKind::Transcripts, "t"), (SourceKind::Summaries, "l"), (SourceKind::RepoMap, "c")];
        let sources = Sources { root: at.to_path_buf(), paths: paths.map(|(kind, path)| (kind, path.to_owned())).to_vec(), ..Sources::default() };
        reindex::run(&mut store, &sources, reindex::Settings { vectors: true }, &mut |_, _| {}).unwrap();
        let (profile, task, summary, events, chunks) = parts;
        let parts = Parts { profile, task, summary, events, chunks, total };
        for form in [Form::Text, Form::Json] {
            let print = Print { form, escape: |t| terminal(t).into_owned(), safe_json, explain: false };
            for text in ["", "twenty letters 中"] {
                let query = Query { now: Some(0), ..Query::new(text) };
                let answer = bundle(&store, &query, &parts, print).unwrap();
                prop_assert_eq!(Encoding::default().count(&answer.text), answer.tokens);
                prop_assert!(answer.tokens <= total && answer.shown + answer.left_out > 0, "{} > {}", answer.tokens, total);
                if form == Form::Text {
                    let budgets = [profile, task, summary, events, chunks];
                    let whole = format!("\n{}", answer.text);
                    let sections: Vec<&str> = whole.split("\n## ").skip(1).collect();
                    prop_assert_eq!(sections.len(), 5, "{}", answer.text);
                    for (section, budget) in sections.iter().zip(budgets) {
                        prop_assert!(Encoding::default().count(&format!("## {section}")) <= budget, "{} {}", budget, section);
                    }
                }
            }
            let asked = MapQuery { query: "f0", focus: &[], explain: form == Form::Text };
            if let Ok(answer) = map(&store, asked, tokens, form) {
                prop_assert!(Encoding::default().count(&answer.text) <= tokens);
            }
        }
    }
}

#[test]
fn the_window_of_a_session_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let message =
        json!({ "type": "message", "message": { "role": "user", "content": "word ".repeat(700) } });
    write(at, "s.jsonl", &format!("{message}\n").repeat(12));
    let (code, text) = outcome(at, &["window", "s.jsonl"]);
    assert_eq!((code, text.lines().next()), (0, Some("none")), "{text}");
    assert!(text.contains("flush due: hard"), "{text}");
    for (window, level, expected) in [
        ("17000", "flush_soon", 0),
        ("14000", "flush_now", 0),
        ("12500", "critical", 1),
    ] {
        let (code, text) = outcome(at, &["window", "s.jsonl", "--window", window]);
        assert_eq!(
            (code, text.lines().next()),
            (expected, Some(level)),
            "{text}"
        );
    }
    assert_eq!(
        outcome(
            at,
            &[
                "window",
                "s.jsonl",
                "--window",
                "14000",
                "--fail-at",
                "flush_now"
            ]
        )
        .0,
        1
    );
    let (_, json) = outcome(at, &["window", "s.jsonl", "--format", "json"]);
    assert_eq!(
        serde_json::from_str::<Value>(&json).unwrap()["sinceFlush"]["messages"],
        12
    );
    assert!(json.contains("\"reserve\":4000"), "{json}");
    let all = outcome(at, &["window", "s.jsonl", "--window", "4000"]);
    assert_eq!(all.0, 2, "nothing of the window is left: {}", all.1);
    write(at, "empty.jsonl", "");
    write(at, "broken.jsonl", "{\n");
    let codes = ["empty.jsonl", "broken.jsonl", "none.jsonl", "."]
        .map(|name| outcome(at, &["window", name]).0);
    assert_eq!(codes, [3, 1, 2, 2]);
}

#[test]
fn a_compaction_that_loses_a_decision_fails() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let said = json!({ "type": "message", "message": { "role": "assistant",
        "content": "I looked.\nDecision: use SQLite for the index\n决定：不使用网络" } });
    let kept =
        json!({ "type": "compaction", "summary": "- use SQLite for the index\n- 不使用网络" });
    let lossy = json!({ "type": "compaction", "summary": "We use SQLite for the index. 使用网络" });
    write(at, "kept.jsonl", &format!("{said}\n{kept}\n"));
    write(at, "lossy.jsonl", &format!("{said}\n{kept}\n{lossy}\n"));
    write(at, "none.jsonl", &format!("{said}\n"));
    let (code, text) = outcome(at, &["compaction", "kept.jsonl"]);
    assert_eq!(
        (code, text.as_str()),
        (0, "1 compactions, 2 decisions, 0 lost\n")
    );
    let (code, text) = outcome(at, &["compaction", "lossy.jsonl"]);
    assert_eq!(code, 1);
    assert!(
        text.starts_with(
            "lossy.jsonl:1: lost decision: 不使用网络\n  the compaction at line 3 doesn't say it\n"
        ),
        "{text}"
    );
    let (_, json) = outcome(at, &["compaction", "lossy.jsonl", "--format", "json"]);
    assert_eq!(
        serde_json::from_str::<Value>(&json).unwrap()["lost"][0]["compaction"],
        3
    );
    assert_eq!(
        outcome(at, &["compaction", "none.jsonl"]).0,
        3,
        "nothing was compacted, nothing was checked"
    );
}
