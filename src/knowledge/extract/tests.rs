use super::*;
use proptest::prelude::*;
use std::path::Path;

fn read(kind: SourceKind, name: &str, text: &str) -> Extracted {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    extract(&SourceFile {
        within: 0,
        kind,
        name: name.into(),
        path,
    })
}

fn codes(out: &Extracted) -> Vec<(u16, u64)> {
    out.findings
        .iter()
        .map(|f| (f.code.0, f.place.line))
        .collect()
}

fn summaries(out: &Extracted) -> Vec<&str> {
    out.observations
        .iter()
        .map(|o| o.summary.as_str())
        .collect()
}

#[test]
fn transcripts() {
    let text = include_str!("tests/transcript.jsonl");
    let out = read(SourceKind::Transcripts, "session-7.jsonl", text);
    assert_eq!(
        summaries(&out),
        [
            "user: Why does the nightly build fail?",
            "assistant: The lock file is older than the manifest."
        ]
    );
    assert_eq!(out.observations[0].task.as_deref(), Some("session-7"));
    assert_eq!(out.observations[1].lines, (2, 2));
    assert_eq!(codes(&out), [(103, 5), (102, 6), (102, 7)]);
}

#[test]
fn documents_by_section() {
    let text = concat!(
        "# House\n",
        "\n",
        "An introduction that is long enough.\n",
        "\n",
        "## Store\n",
        "```sh\n",
        "# no heading, a comment\n",
        "```\n",
        "One file of SQLite.\n",
        "## Empty\n",
        "## Next\n",
        "More about what comes next.\n"
    );
    let out = read(SourceKind::Documents, "docs/a.md", text);
    assert_eq!(
        summaries(&out),
        [
            "House: An introduction that is long enough.",
            "Store: ```sh",
            "Next: More about what comes next."
        ]
    );
    assert_eq!(out.observations[1].lines, (5, 9));
    assert_eq!(out.observations[1].refs, ["docs/a.md", "House"]);
    assert!(out.observations[1].detail.contains("# no heading"));
}

/// Returns heading path, summary and lines of each section.
fn sections(name: &str, text: &str) -> Vec<(String, (u64, u64))> {
    let out = read(SourceKind::Documents, name, text);
    assert_eq!(codes(&out), [], "{name}");
    let sections = out.observations.iter();
    sections.map(|o| (o.summary.clone(), o.lines)).collect()
}

#[test]
fn documents_of_all_formats_have_sections() {
    let expected = |rows: &[(&str, (u64, u64))]| -> Vec<(String, (u64, u64))> {
        rows.iter().map(|(s, l)| ((*s).to_owned(), *l)).collect()
    };
    assert_eq!(
        sections("a.md", "Store\n=====\nOne file.\n\nWords\n-----\nSplit.\n"),
        expected(&[("Store: One file.", (1, 3)), ("Words: Split.", (5, 7))])
    );
    assert_eq!(
        sections(
            "a.rst",
            "Store\n=====\n\nOne file.\n\nWords\n-----\n\nSplit.\n"
        ),
        expected(&[("Store: One file.", (1, 4)), ("Words: Split.", (6, 9))])
    );
    assert_eq!(
        sections("a.adoc", "= Store\n\nOne file.\n\n== Words\n\nSplit.\n"),
        expected(&[("Store: One file.", (1, 3)), ("Words: Split.", (5, 7))])
    );
    assert_eq!(
        sections("a.txt", "# One\n\n# Two\n"),
        expected(&[("# One", (1, 3))])
    );
    assert_eq!(
        sections(
            "a.html",
            concat!(
                "<title>Guide</title>\n",
                "<script>\n",
                "let a = '<h1>';\n",
                "</script>\n",
                "<style>b {}</style>\n",
                "<h1>The <b>store</b></h1>\n",
                "<p>One&nbsp;file &amp; more.\n",
                "<h2>Words</h2>\n",
                "<pre>a\n",
                "  b</pre><!-- no -->\n"
            ),
        ),
        expected(&[
            ("The store: One file & more.", (7, 7)),
            ("Words: a", (9, 10))
        ])
    );
    let notebook = "{\n \"cells\": [\n  {\"cell_type\": \"markdown\", \"source\": [\"# Store\\n\",\n   \"One file.\"]},\n  {\"cell_type\": \"code\", \"outputs\": [],\n   \"source\": \"# no heading\\nopen()\"}\n ],\n \"nbformat\": 4\n}\n";
    assert_eq!(
        sections("a.ipynb", notebook),
        expected(&[
            ("Store: One file.", (3, 4)),
            ("Store: # no heading", (5, 6))
        ])
    );
}

#[test]
fn a_call_is_read_as_people_write_it_and_without_its_secrets() {
    let value = content_scan::secret::sample::fill("⟦b62:24⟧").unwrap();
    let line = serde_json::json!({"type": "assistant", "uuid": "u", "sessionId": "s", "timestamp": "2026-01-31T10:00:00Z",
        "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Fetch",
            "input": {"limit": 3, "password": value, "url": "https://example.com/\"a\""}}]}});
    let out = read(SourceKind::Traces, "s.jsonl", &format!("{line}\n"));
    let turn = out
        .observations
        .iter()
        .find(|o| o.kind == Kind::Turn)
        .unwrap();
    assert!(
        turn.detail
            .contains("Fetch url: https://example.com/\"a\" limit: 3"),
        "{turn:?}"
    );
    assert!(!leaks(&out, &value), "{out:#?}");
}

#[test]
fn a_document_that_is_no_notebook_is_reported() {
    let out = read(SourceKind::Documents, "a.ipynb", "{\"cells\": 7}");
    assert_eq!(codes(&out), [(102, 0)]);
    let out = read(
        SourceKind::Documents,
        "a.ipynb",
        "{\"cells\": [7, {\"cell_type\": \"raw\", \"source\": \"text\"}]}",
    );
    assert_eq!((codes(&out), out.observations.len()), (vec![(102, 0)], 1));
}

#[test]
fn secrets_behind_the_escapes_of_a_document_are_removed() {
    let token = content_scan::secret::sample::fill("ghp_⟦crc62:30⟧").unwrap();
    let rest = token.get(1..).unwrap();
    for (name, text) in [
        ("a.html", format!("<p>use &#103;{rest}</p>")),
        ("a.html", format!("<p>use <b>g</b>{rest}</p>")),
        (
            "a.ipynb",
            format!(
                "{{\"cells\": [{{\"cell_type\": \"code\", \"source\": [\"use \\u0067{rest}\"]}}]}}"
            ),
        ),
    ] {
        let out = read(SourceKind::Documents, name, &text);
        assert_eq!(out.observations.len(), 1, "{text}");
        assert!(!leaks(&out, &token), "{out:#?}");
    }
}

/// Creates a repository with two commits.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let repository = git2::Repository::init(folder.path()).unwrap();
    let mut parent: Option<git2::Oid> = None;
    for (n, message) in [
        "store: keep one file\n\nBecause two can differ.",
        "words: split",
    ]
    .into_iter()
    .enumerate()
    {
        std::fs::write(folder.path().join(format!("{n}.rs")), "x").unwrap();
        let mut index = repository.index().unwrap();
        index.add_path(Path::new(&format!("{n}.rs"))).unwrap();
        let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
        let time = git2::Time::new(1_700_000_000 + i64::try_from(n).unwrap(), 0);
        let who = git2::Signature::new("n", "e@example.com", &time).unwrap();
        let parents: Vec<_> = parent
            .iter()
            .map(|id| repository.find_commit(*id).unwrap())
            .collect();
        let parents: Vec<_> = parents.iter().collect();
        let id = repository.commit(Some("HEAD"), &who, &who, message, &tree, &parents);
        parent = Some(id.unwrap());
    }
    folder
}

#[test]
fn commits_are_observations() {
    let folder = repository();
    let out = extract(&SourceFile {
        within: 0,
        kind: SourceKind::History,
        name: "HEAD".into(),
        path: folder.path().to_owned(),
    });
    assert_eq!(codes(&out), []);
    assert_eq!(summaries(&out), ["store: keep one file", "words: split"]);
    let [first, second] = &out.observations[..] else {
        panic!("{out:?}");
    };
    assert!(first.detail.contains("Because two can differ."));
    assert_eq!(first.time, Some(1_700_000_000_000));
    assert_eq!(second.refs[1..], ["1.rs"]);
    let gone = extract(&SourceFile {
        within: 0,
        kind: SourceKind::History,
        name: "nobody".into(),
        path: folder.path().to_owned(),
    });
    assert_eq!(codes(&gone), [(101, 0)]);
}

#[cfg(feature = "repomap")]
#[test]
fn code_is_found_by_the_text_of_its_definitions() {
    let text = "fn one() {\n    open();\n}\n\nconst A: u8 = 1;\n\nfn two() {\n    close();\n}\n";
    let out = read(SourceKind::RepoMap, "a.rs", text);
    let found: Vec<_> = out
        .observations
        .iter()
        .map(|o| (o.summary.as_str(), o.lines))
        .collect();
    assert_eq!(
        found[1..],
        [("a.rs: fn one()", (1, 3)), ("a.rs: fn two()", (7, 9))]
    );
    assert!(out.observations[2].detail.contains("close();"));
}

#[test]
fn faults_of_many_lines_are_one() {
    let text = format!("{}{{}}\n", "no\n".repeat(1146));
    let out = read(SourceKind::Transcripts, "a.jsonl", &text);
    let not_json: Vec<_> = out.findings.iter().filter(|f| f.code.0 == 102).collect();
    assert_eq!(not_json.len(), 1, "{:?}", out.findings);
    assert!(
        not_json[0].message.contains("1146 lines"),
        "{}",
        not_json[0].message
    );
    let few = read(SourceKind::Transcripts, "a.jsonl", "no\nno\n");
    assert_eq!(codes(&few), [(102, 1), (102, 2)]);
}

#[test]
fn rows_of_timelines_and_logs() {
    let text = concat!(
        "# Progress\n",
        "| time | event |\n",
        "| --- | --- |\n",
        "| 2026-01-31 10:20 | tests are green |\n",
        "| later | no time |\n",
        "\n",
        "## Plan\n",
        "- [x] 2026-02-01 shipped\n",
        "  with notes\n",
        "- undated\n"
    );
    let progress = read(SourceKind::Progress, "PROGRESS.md", text);
    assert_eq!(
        summaries(&progress),
        ["2026-01-31 10:20 | tests are green", "2026-02-01 shipped"]
    );
    assert_eq!(
        progress.observations[1].detail,
        "2026-02-01 shipped\nwith notes"
    );
    assert_eq!(progress.observations[1].lines, (8, 9));
    assert_eq!(progress.observations[1].task.as_deref(), Some("Plan"));
    let log = read(
        SourceKind::Summaries,
        "SUMMARY.md",
        "## 2026-01-31\n- first\n1. second\n",
    );
    assert_eq!(summaries(&log), ["first", "second"]);
    assert_eq!(log.observations[0].time, Some(1_769_817_600_000));
}

#[test]
fn runs() {
    let out = read(
        SourceKind::Runs,
        "runs/7.json",
        r#"{"task_id":"t7","command":"npm test","exitCode":1,"startedAt":1769817600000,"stderr":"a\nb\nc\nd\ne\nf\ng\nlast words"}"#,
    );
    assert_eq!(out.observations[0].task.as_deref(), Some("t7"));
    let detail = &out.observations[0].detail;
    assert!(
        detail.contains("exit code: 1")
            && detail.ends_with("exit code: 1")
            && detail.contains("last words"),
        "{detail}"
    );
    assert!(
        !detail.contains("\na\n"),
        "only the end of an error is kept"
    );
    assert_eq!(
        codes(&read(SourceKind::Runs, "a.json", "{\"x\":1}")),
        [(103, 1)]
    );
    assert_eq!(codes(&read(SourceKind::Runs, "a.json", "[")), [(102, 1)]);
}

#[test]
fn both_forms_of_the_graph() {
    let text = include_str!("tests/graph.jsonl");
    let out = read(SourceKind::Graph, "graph.jsonl", text);
    assert_eq!(out.edges.len(), 2);
    assert_eq!(
        (out.edges[1].kind.as_str(), out.edges[1].meta.as_deref()),
        ("validated_by", Some("{\"success\":true}"))
    );
    assert_eq!(out.nodes.len(), 1);
    assert_eq!(
        codes(&out),
        [
            (103, 4),
            (103, 5),
            (103, 6),
            (103, 7),
            (103, 8),
            (103, 9),
            (103, 10),
            (103, 11),
            (106, 12)
        ]
    );
}

#[test]
fn banks_and_skills() {
    let twice = r#"{"id":"i1","path":"a.rs","importance":{"useCount":1,"useCount":9}}"#;
    let out = read(SourceKind::Bank, "bank/items/i1.json", twice);
    assert_eq!((codes(&out), out.documents.len()), (vec![(106, 1)], 0));
    let strange = r#"{"id":"i1","path":"a.rs","importance":{"failureCount":"50"},"frozen":1}"#;
    assert_eq!(
        codes(&read(SourceKind::Bank, "bank/items/i1.json", strange)),
        [(103, 1), (103, 1)]
    );
    let listed = r#"{"items":[{"id":"i1","path":"a.rs","useCount":-1}]}"#;
    assert_eq!(
        codes(&read(SourceKind::Bank, "bank/index.json", listed)),
        [(103, 1)]
    );
    let change =
        r#"{"skill_name":"a","new_status":"retired","new_status":"production","promoted_at":5}"#;
    let out = read(SourceKind::Skills, "skills/promotions.jsonl", change);
    assert_eq!((codes(&out), out.promotions.len()), (vec![(106, 1)], 0));
    let meta = r#"{"name":"a","name":"b","version":"1.0.0","intent":"fix a build","author":"a","created_at":"2026-01-31"}"#;
    assert_eq!(
        codes(&read(SourceKind::Skills, "skills/a/meta.json", meta)),
        [(106, 1)]
    );
    let index = read(
        SourceKind::Bank,
        "bank/index.json",
        r#"{"version":1,"items":[{"id":"i1","path":"src/a.rs"},{"id":7}]}"#,
    );
    assert_eq!((index.names.len(), codes(&index)), (2, vec![(901, 1)]));
    let item = read(
        SourceKind::Bank,
        "bank/items/i1.json",
        r#"{"id":"i1","path":"src/a.rs","type":"file","content":"fn main() {}","summary":"the entry point","importance":{"confidence":0.5}}"#,
    );
    assert_eq!(summaries(&item), ["src/a.rs: the entry point"]);
    assert!(!item.documents[0].1.contains("fn main"));
    let skill = |intent: &str| {
        format!(
            r#"{{"name":"fix-build","version":"1.0.0","intent":"{intent}","author":"a","created_at":"2026-01-01"}}"#
        )
    };
    let good = read(
        SourceKind::Skills,
        "skills/production/fix-build/meta.json",
        &skill("fix a broken build"),
    );
    assert_eq!(
        summaries(&good),
        ["fix-build 1.0.0 (production): fix a broken build"]
    );
    for intent in ["any", "*", "", "Everything"] {
        assert_eq!(
            codes(&read(SourceKind::Skills, "s/meta.json", &skill(intent))),
            [(901, 1)],
            "{intent}"
        );
    }
    assert_eq!(
        codes(&read(SourceKind::Skills, "s/meta.json", "{\"name\":\"n\"}")).len(),
        4
    );
}

#[test]
fn traces_of_every_format() {
    let mut kinds = std::collections::BTreeSet::new();
    for folder in ["demo", "native", "legal"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("corpora/traces")
            .join(folder);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.ends_with(".expect") || path.is_dir() {
                continue;
            }
            let out = extract(&SourceFile {
                within: 0,
                kind: SourceKind::Traces,
                name: name.clone(),
                path,
            });
            assert!(
                !out.observations.is_empty() || !out.findings.is_empty() || name.contains("cast"),
                "{name}"
            );
            kinds.extend(out.observations.iter().map(|o| o.kind.name()));
        }
    }
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        ["command", "execution", "turn"]
    );
}

#[test]
fn a_trace_says_what_was_done_and_what_came_of_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces/demo/react-fix.jsonl");
    let out = extract(&SourceFile {
        within: 0,
        kind: SourceKind::Traces,
        name: "react-fix.jsonl".into(),
        path,
    });
    assert_eq!(out.observations.len(), 5);
    let first = &out.observations[0];
    assert!(
        first
            .summary
            .starts_with("turn 1: [approved by policy; failed] tool_call"),
        "{}",
        first.summary
    );
    assert!(first.refs.contains(&"README.md".to_owned()));
    assert!(
        first.detail.contains("rule allow-read-only"),
        "{}",
        first.detail
    );
    assert_eq!(
        out.observations[4].summary,
        "[goal_satisfied; 4 turns] read README.md"
    );
}

#[test]
fn short_sections_are_kept() {
    let out = read(
        SourceKind::Documents,
        "a.md",
        "# 端口\n\n端口是 8080。\n\n# Empty\n\n# Key\n\nF5\n",
    );
    assert_eq!(summaries(&out), ["端口: 端口是 8080。", "Key: F5"]);
}

#[test]
fn secrets_are_stored_nowhere() {
    let token = content_scan::secret::sample::fill("ghp_⟦crc62:30⟧").unwrap();
    let value = content_scan::secret::sample::fill("⟦b62:24⟧").unwrap();
    let cases = [
        (
            SourceKind::Documents,
            "a.md",
            format!("# Setup\nexport the token {token} before you start\n"),
        ),
        (
            SourceKind::Progress,
            "p.md",
            format!("- 2026-01-31 rotated {token}\n"),
        ),
        (
            SourceKind::Runs,
            "r.json",
            format!("{{\"command\":\"curl -H 'Authorization: {token}' x\",\"exitCode\":0}}"),
        ),
        (
            SourceKind::Transcripts,
            "t.jsonl",
            format!(
                "{{\"type\":\"message\",\"password\":\"{value}\",\"message\":{{\"role\":\"user\",\"content\":\"it is {value}, remember that\"}}}}\n"
            ),
        ),
        (
            SourceKind::Graph,
            "g.jsonl",
            format!("{{\"from\":\"{token}\",\"to\":\"b\",\"type\":\"used_in\",\"timestamp\":1}}\n"),
        ),
        (
            SourceKind::Bank,
            "i.json",
            format!("{{\"id\":\"i\",\"path\":\"p\",\"content\":\"{token}\"}}"),
        ),
        (
            SourceKind::Traces,
            "t2.jsonl",
            format!(
                "{{\"from\":\"IDLE\",\"to\":\"THINKING\",\"timestamp\":1,\"payload\":{{}}}}\n{{\"from\":\"THINKING\",\"to\":\"PROPOSING\",\"timestamp\":2,\"payload\":{{\"thought\":\"use {token}\"}}}}\n"
            ),
        ),
    ];
    for (kind, name, text) in cases {
        let out = read(kind, name, &text);
        let stored = format!("{out:?}");
        for secret in [&token, &value] {
            assert!(
                !stored.contains(secret.get(4..16).unwrap()),
                "{name}: {stored}"
            );
        }
        assert!(out.hidden > 0 || kind == SourceKind::Traces, "{name}");
        assert!(
            !out.observations.is_empty() || !out.edges.is_empty(),
            "{name}"
        );
    }
}

/// Whether any 16 consecutive characters of a secret are stored.
fn leaks(out: &Extracted, secret: &str) -> bool {
    let stored = format!("{out:?}").replace("\\n", "\n");
    secret
        .as_bytes()
        .windows(16)
        .any(|part| memchr::memmem::find(stored.as_bytes(), part).is_some())
}

#[test]
fn a_secret_longer_than_a_piece_is_stored_nowhere() {
    let body = content_scan::secret::sample::fill("⟦pem:40⟧").unwrap();
    let key = |indent: &str| {
        let lines: String = body
            .lines()
            .map(|line| format!("{indent}{line}\n"))
            .collect();
        format!(
            "{indent}-----BEGIN RSA PRIVATE KEY-----\n{lines}{indent}-----END RSA PRIVATE KEY-----\n"
        )
    };
    let parts = serde_json::json!({"type":"message","message":{"role":"user","content":[
        {"type":"text","text":"here it comes\n-----BEGIN RSA PRIVATE KEY-----"}, {"type":"text","text":body},
        {"type":"text","text":"-----END RSA PRIVATE KEY-----"}]}});
    for (kind, name, text) in [
        (SourceKind::Documents, "a.md", format!("# Key\n{}", key(""))),
        (
            SourceKind::Progress,
            "p.md",
            format!("- 2026-01-31 rotated it\n{}", key("    ")),
        ),
        (
            SourceKind::Summaries,
            "s.md",
            format!("## 2026-01-31\n- the new key\n{}", key("  ")),
        ),
        (SourceKind::Transcripts, "t.jsonl", parts.to_string()),
        (
            SourceKind::RepoMap,
            "a.py",
            format!("KEY = 1\ndef f():\n    \"\"\"\n{}\"\"\"\n", key("")),
        ),
    ] {
        let out = read(kind, name, &text);
        assert!(!out.observations.is_empty(), "{name}");
        for line in body.lines().filter(|l| l.len() >= 16) {
            assert!(!leaks(&out, line), "{name}: {out:#?}");
        }
    }
    let token =
        content_scan::secret::sample::fill("eyJhbGciOiJIUzI1NiJ9.eyJ⟦url:2500⟧.⟦url:43⟧").unwrap();
    let out = read(
        SourceKind::Documents,
        "jwt.md",
        &format!("# Login\nThe answer is `{token}` for now.\n"),
    );
    assert!(
        out.observations.len() > 1 && !leaks(&out, &token),
        "{out:#?}"
    );
}

#[test]
fn a_secret_across_the_end_of_a_piece_is_stored_nowhere() {
    let token = content_scan::secret::sample::fill("ghp_⟦crc62:30⟧").unwrap();
    for before in (1500..1640).step_by(2) {
        let text = format!(
            "# Long\n{}{token} {}\n",
            "ab ".repeat(before / 3),
            "and so on ".repeat(200)
        );
        let out = read(SourceKind::Documents, "a.md", &text);
        assert!(
            out.observations.len() > 1 && !leaks(&out, &token),
            "{before}: {out:#?}"
        );
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.md");
    std::fs::write(&path, b"fine\nnot \xff fine\n").unwrap();
    let out = extract(&SourceFile {
        within: 0,
        kind: SourceKind::Documents,
        name: "a.md".into(),
        path,
    });
    assert_eq!(codes(&out), [(101, 2)]);
    let gone = SourceFile {
        within: 0,
        kind: SourceKind::Documents,
        name: "b.md".into(),
        path: folder.path().join("b.md"),
    };
    assert_eq!(codes(&extract(&gone)), [(101, 0)]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    /// Any text gives observations within their bounds, or findings, and never wrong lines or a
    /// crash.
    #[test]
    fn any_text_is_read(text in concat!(
"(\\PC|[#|`\n",
"{}\":\\[\\]-]|- |\\{\"type\":\"message\"\\}|2026-01-31){0,120}"
), kind in 1usize..9, ending in 0usize..6) {
        let kind = SourceKind::ALL[kind];
        let lines = text.lines().count().max(1) as u64;
        let name = ["x.json", "x.rst", "x.adoc", "x.html", "x.ipynb", "x.txt"][ending];
        let out = read(kind, name, &text);
        for observation in &out.observations {
            prop_assert!(observation.summary.chars().count() <= knowledge_index::SUMMARY);
            prop_assert!(!observation.summary.contains('\n'));
            prop_assert!(observation.lines.0 >= 1 && observation.lines.0 <= observation.lines.1 && observation.lines.1 <= lines,
                "{:?} of {} lines", observation.lines, lines);
        }
        for finding in &out.findings {
            prop_assert!(finding.place.line <= lines + 1);
        }
    }
}
