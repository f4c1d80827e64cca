//! The index of knowledge from the command line: atomic, reproducible and within budgets.

use knowledge_index::rank::{Query, Weights, eval};
use knowledge_index::{Filter, Id, Store};
use proptest::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use yuangs_verify::knowledge::retrieve::{self, Anchor, Budget, Form, Print};
use yuangs_verify::knowledge::{SCHEMA, SourceKind, Sources, reindex};
use yuangs_verify::report::{safe_json, terminal};

const CONFIG: &str = "[knowledge]
traces = ['traces']
transcripts = ['transcripts']
documents = ['docs']
progress = ['PROGRESS.md']
summaries = ['SUMMARY.md']
runs = ['runs']
graph = ['graph.jsonl']
bank = ['bank']
skills = ['skills']
";

fn tool(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
    command.current_dir(folder).arg("knowledge");
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    tool(folder).args(args).output().unwrap()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let output = run(folder, &[args, &["--format", "json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {error}"))
}

fn text(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Creates a project with every kind of source.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "yuangs-verify.toml", CONFIG);
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/traces/demo/react-fix.jsonl");
    write(
        at,
        "traces/react-fix.jsonl",
        &fs::read_to_string(demo).unwrap(),
    );
    write(
        at,
        "transcripts/s1.jsonl",
        "{\"type\":\"message\",\"timestamp\":1769040000000,\"message\":{\"role\":\"user\",\"content\":\"夜间重新索引为什么失败了？请看一看构建的日志\"}}\n",
    );
    write(
        at,
        "docs/store.md",
        "# Store\n\nThe index is one file of SQLite in WAL mode.\n\n## Parser\n\n`parseHTTPHeader` splits header lines at the colon.\n",
    );
    write(at, "PROGRESS.md", "- 2026-01-22 10:00 tests are green\n");
    write(
        at,
        "SUMMARY.md",
        "## 2026-01-22\n- wrote the writer of the store\n",
    );
    write(
        at,
        "runs/1.json",
        "{\"task_id\":\"t1\",\"command\":\"cargo test\",\"exitCode\":0}",
    );
    write(
        at,
        "graph.jsonl",
        "{\"from\":\"ctx:readme\",\"to\":\"exec:react-fix\",\"type\":\"used_in\",\"timestamp\":1769040000000}\n",
    );
    write(
        at,
        "bank/items/readme.json",
        "{\"id\":\"readme\",\"path\":\"README.md\",\"type\":\"file\",\"content\":\"what it is\"}",
    );
    write(
        at,
        "skills/production/make/meta.json",
        "{\"name\":\"make\",\"version\":\"1.0.0\",\"intent\":\"make a build\",\"author\":\"a\",\"created_at\":\"2026-01-01\"}",
    );
    folder
}

#[test]
fn two_runs_give_one_digest_and_changes_are_found() {
    let folder = project();
    let at = folder.path();
    let first = json(at, &["reindex"]);
    assert_eq!(
        first["sources"]["added"].as_array().unwrap().len(),
        9,
        "{first:#}"
    );
    assert_eq!(first["findings"].as_array().unwrap().len(), 0, "{first:#}");
    let again = json(at, &["reindex"]);
    assert_eq!(
        (&again["digest"], &again["sources"]["unchanged"]),
        (&first["digest"], &Value::from(9))
    );
    assert_eq!(
        again["observations"]["before"],
        again["observations"]["now"]
    );
    assert!(text(at, &["reindex", "--check"]).contains("0 errors, 0 warnings, 0 notes"));

    write(
        at,
        "docs/store.md",
        "# Store\n\nEverything about it was written again.\n",
    );
    write(
        at,
        "docs/new.md",
        "# New\n\nA document that wasn't there before.\n",
    );
    fs::remove_file(at.join("runs/1.json")).unwrap();
    let stale = json(at, &["reindex", "--check"]);
    let codes: Vec<&str> = stale["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["YV905"; 3]);
    assert_eq!(run(at, &["reindex", "--check"]).status.code(), Some(1));
    assert_eq!(
        run(at, &["reindex", "--check", "--fail-on", "never"])
            .status
            .code(),
        Some(0)
    );
    let changed = json(at, &["reindex"]);
    let count = |what: &str| changed["sources"][what].as_array().unwrap().len();
    assert_eq!(
        (count("added"), count("changed"), count("removed")),
        (1, 1, 1)
    );
    assert_ne!(changed["digest"], first["digest"]);
    assert!(!text(at, &["index", "--query", "document that was not there"]).is_empty());
    assert_eq!(
        run(at, &["index", "--query", "cargo", "--no-vectors"])
            .status
            .code(),
        Some(3),
        "what is gone isn't found"
    );
    // A new index has the same digest.
    fs::remove_dir_all(at.join(".yuangs")).unwrap();
    assert_eq!(json(at, &["reindex"])["digest"], changed["digest"]);
}

#[test]
fn every_kind_of_word_is_found() {
    let folder = project();
    let at = folder.path();
    text(at, &["reindex"]);
    for (question, answer) in [
        ("索引", "夜间重新索引"),
        ("日", "夜间重新索引"),
        ("http header", "parseHTTPHeader"),
        ("parse_http_header", "parseHTTPHeader"),
        ("PARSEHTTPHEADER", "parseHTTPHeader"),
        ("lines", "parseHTTPHeader"),
        ("README.md", "README.md"),
        ("make builds", "make 1.0.0"),
    ] {
        for more in [&["--no-vectors"][..], &[]] {
            let found = text(at, &[&["search", "--query", question], more].concat());
            assert!(found.contains(answer), "{question}: {found}");
        }
    }
    let explained = text(
        at,
        &["search", "--query", "header", "--explain", "--limit", "1"],
    );
    assert!(
        explained.contains("bm25") && explained.contains("cosine") && explained.contains("decay"),
        "{explained}"
    );
}

#[test]
fn layers_lead_into_each_other() {
    let folder = project();
    let at = folder.path();
    text(at, &["reindex"]);
    let index = json(
        at,
        &["index", "--query", "read README", "--task", "react-fix"],
    );
    let id = index["items"][0]["id"].as_str().unwrap().to_owned();
    let timeline = text(at, &["timeline", "--ids", &id, "--around", "2"]);
    assert!(
        timeline.contains(&id) && timeline.lines().count() >= 3,
        "{timeline}"
    );
    assert!(
        text(at, &["timeline", "--task", "react-fix"])
            .lines()
            .count()
            == 5
    );
    assert!(text(at, &["detail", "--ids", &id.to_uppercase()]).contains(&id));
    for wrong in [
        &["detail"][..],
        &["detail", "--ids", "nope"],
        &["timeline", "--task", "nope"],
        &["timeline"],
        &["index", "--profile", "x"],
    ] {
        assert_eq!(run(at, wrong).status.code(), Some(2), "{wrong:?}");
    }
    // The same question gives the same bytes.
    assert_eq!(
        text(at, &["index", "--query", "the store"]),
        text(at, &["index", "--query", "the store"])
    );
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = project();
    let at = folder.path();
    for args in [&["index"][..], &["reindex", "--check"]] {
        let output = run(at, args);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("knowledge reindex"));
    }
    for config in [
        "",
        "[knowledge]\n",
        "[knowledge]\ndocuments = ['..']\n",
        "[knowledge]\nstore = '../x'\ndocuments = ['docs']\n",
    ] {
        write(at, "yuangs-verify.toml", config);
        assert_eq!(run(at, &["reindex"]).status.code(), Some(2), "{config}");
    }
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\ndocuments = ['missing.md']\n",
    );
    assert_eq!(run(at, &["reindex"]).status.code(), Some(2));
    write(at, "empty/x.txt", "");
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\ndocuments = ['empty']\n",
    );
    assert_eq!(
        run(at, &["reindex"]).status.code(),
        Some(3),
        "nothing was indexed"
    );
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\nstore = 'docs/store.md'\ndocuments = ['docs']\n",
    );
    let before = fs::read(at.join("docs/store.md")).unwrap();
    assert_eq!(run(at, &["reindex"]).status.code(), Some(2));
    assert_eq!(
        fs::read(at.join("docs/store.md")).unwrap(),
        before,
        "nothing is overwritten"
    );
}

#[test]
fn broken_lines_are_findings_every_time() {
    let folder = project();
    let at = folder.path();
    write(
        at,
        "graph.jsonl",
        "{broken\n{\"from\":\"a\",\"to\":\"exec:react-fix\",\"type\":\"used_in\",\"timestamp\":1769000000000}\n",
    );
    for _ in 0..2 {
        let report = json(at, &["reindex"]);
        let found: Vec<(&str, u64)> = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| (f["code"].as_str().unwrap(), f["line"].as_u64().unwrap()))
            .collect();
        assert_eq!(found, [("YV102", 1), ("YV902", 2)], "{report:#}");
    }
    assert_eq!(run(at, &["reindex"]).status.code(), Some(1));
}

#[test]
fn hostile_text_acts_on_nothing() {
    let folder = project();
    let at = folder.path();
    write(
        at,
        "docs/evil.md",
        "# Evil \u{1b}[2J\u{202e}\n\n::error::owned \u{1b}]0;x\u{7} ##[error] and some words\n",
    );
    write(
        at,
        "docs/\u{202e}name.md",
        "# Fine\n\nA document with a hostile name.\n",
    );
    let mut all = String::new();
    for args in [
        &["reindex"][..],
        &["reindex", "--format", "json"],
        &["reindex", "--format", "markdown"],
        &["search", "--query", "evil owned words"],
        &["search", "--query", "evil owned words", "--format", "json"],
        &["index"],
    ] {
        all.push_str(&text(at, args));
    }
    let id = json(at, &["index", "--query", "owned words"])["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    all.push_str(&text(at, &["detail", "--ids", &id]));
    assert!(all.contains("owned"));
    assert!(
        !all.chars()
            .any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'),
        "{all}"
    );
    assert!(
        !all.contains("##[") && !all.lines().any(|l| l.starts_with("::")),
        "{all}"
    );
}

/// Runs a reindex and kills it after `delay`. Returns whether it had finished.
fn interrupted(folder: &Path, delay: Duration) -> bool {
    let mut child = tool(folder)
        .args(["reindex", "--no-vectors"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(delay);
    child.kill().unwrap();
    child.wait().unwrap().success()
}

/// A run that is killed at any moment leaves the old index or the new one.
#[test]
fn a_killed_run_leaves_the_old_index_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\ndocuments = ['docs']\n",
    );
    let state = |n: u32| {
        for file in 0..12 {
            let sections: String = (0..6)
                .map(|s| {
                    format!(
                        "## Section {s}\n\nState {n} of file {file}, section {s}, with words.\n"
                    )
                })
                .collect();
            write(at, &format!("docs/{file}.md"), &sections);
        }
    };
    let digest = |json: &Value| json["digest"].as_str().unwrap().to_owned();
    state(0);
    let start = std::time::Instant::now();
    let zero = digest(&json(at, &["reindex", "--no-vectors"]));
    let mut whole = start.elapsed();
    state(1);
    let one = digest(&json(at, &["reindex", "--no-vectors"]));
    assert_ne!(zero, one);
    let stored = || {
        Store::open(&at.join(".yuangs/index.db"), &SCHEMA)
            .unwrap()
            .digest()
            .unwrap()
    };
    let (mut olds, mut news, mut target) = (0, 0, 1);
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut before = one.clone();
    for kill in 0..110 {
        if before == [&zero, &one][target as usize].as_str() {
            target = 1 - target;
            state(target);
        }
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let share = f64::from(u32::try_from(random % 1000).unwrap()) / 1000.0;
        // The duration depends on other load of the machine, so the range adapts to it.
        let done = interrupted(at, whole.mul_f64(share));
        whole = whole.mul_f64(if done { 0.9 } else { 1.05 });
        let now = stored();
        assert!(
            now == zero || now == one,
            "kill {kill}: neither the old nor the new index"
        );
        let wanted = if target == 0 { &zero } else { &one };
        if now == before {
            olds += 1;
        } else {
            news += 1;
        }
        assert!(now == before || now == *wanted);
        before = now;
    }
    assert!(
        olds > 10 && news > 3,
        "{olds} kills left the old index, {news} the new one: the moments weren't random"
    );
    let last = digest(&json(at, &["reindex", "--no-vectors"]));
    assert_eq!(last, if target == 0 { zero } else { one });
}

fn tokens(text: &str) -> usize {
    tokens::Encoding::default().count(text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    /// No answer exceeds its budget, whatever the sources contain.
    #[test]
    fn budgets_are_never_exceeded(
        words in proptest::collection::vec("(\\PC|[ab \n\u{1b}\u{202e}\u{4e2d}]){1,300}", 3..20),
        budgets in (100usize..1500, 100usize..1000, 100usize..1600, 100usize..3000),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        for (n, word) in words.iter().enumerate() {
            let content = format!("about twenty letters {word}").repeat(1 + n % 4);
            let record = serde_json::json!({ "type": "message", "timestamp": n, "message": { "role": "user", "content": content } });
            write(at, &format!("t/{n}.jsonl"), &format!("{record}\n"));
        }
        let mut store = Store::create(&at.join("index.db"), &SCHEMA).unwrap();
        let sources = Sources { root: at.to_path_buf(), paths: vec![(SourceKind::Transcripts, "t".into())], ..Sources::default() };
        reindex::run(&mut store, &sources, reindex::Settings { vectors: true }, &mut |_, _| {}).unwrap();
        let (index, timeline, detail, total) = budgets;
        let budget = Budget { total, index, timeline, detail, map: 1_500, per_source: None };
        let query = Query { now: Some(0), limit: 50, ..Query::new("twenty letters 中") };
        for form in [Form::Text, Form::Json] {
            let print = Print { form, escape: |t| terminal(t).into_owned(), safe_json, explain: true };
            let all = retrieve::index(&store, None, &Filter::default(), &Budget::default(), Print { form: Form::Json, ..print }).unwrap();
            let all: Value = serde_json::from_str(&all.text).unwrap();
            let ids: Vec<Id> = all["items"].as_array().unwrap().iter().map(|i| Id::typed(i["id"].as_str().unwrap())).collect();
            prop_assert!(!ids.is_empty());
            let middle = Anchor::Id(ids[0].clone());
            let answers = [
                (retrieve::index(&store, None, &Filter::default(), &budget, print), index.min(total)),
                (retrieve::index(&store, Some(&query), &Filter::default(), &budget, print), index.min(total)),
                (retrieve::timeline(&store, &middle, 5, &budget, print), timeline.min(total)),
                (retrieve::timeline(&store, &Anchor::Task("0"), 5, &budget, print), timeline.min(total)),
                (retrieve::detail(&store, &ids, &budget, print), total),
                (retrieve::search(&store, &query, &budget, print), total),
            ];
            for (n, (answer, budget)) in answers.into_iter().enumerate() {
                let answer = answer.unwrap();
                prop_assert_eq!(tokens(&answer.text), answer.tokens);
                prop_assert!(answer.tokens <= budget && !answer.text.is_empty(), "{}: {} > {}", n, answer.tokens, budget);
                prop_assert!(form == Form::Text || serde_json::from_str::<Value>(&answer.text).is_ok());
                prop_assert!(answer.shown > 0 || answer.left_out > 0 || answer.is_refused, "{}", answer.text);
            }
        }
    }
}

fn measured(documents: &str, questions: &str) -> Vec<eval::Group> {
    let read = |name: &str| {
        fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("corpora/retrieval")
                .join(name),
        )
        .unwrap()
    };
    let corpus = eval::Corpus::parse(&read(documents), &read(questions)).unwrap();
    eval::evaluate(&corpus, None, Weights::default()).unwrap()
}

#[test]
fn the_judged_corpus_is_answered_as_well_as_before() {
    let figures = measured("documents.jsonl", "questions.jsonl");
    let all = figures.iter().find(|f| f.group == "all").unwrap();
    assert!(all.questions >= 200);
    let [text, vectors, both] = all.figures;
    assert!(both.ndcg >= FLOORS.0 && both.recall >= FLOORS.1, "{all:?}");
    assert!(
        both.ndcg + 0.005 > text.ndcg && both.ndcg > vectors.ndcg,
        "both together are about the best: {all:?}"
    );
}

/// Measured values, minus a margin for changes in rounding.
const FLOORS: (f64, f64) = (0.945, 0.96);

/// Questions that no document answers are refused, and the others are answered.
#[test]
fn questions_without_an_answer_are_refused() {
    for name in ["fit.jsonl", "held-out.jsonl"] {
        let figures = measured("documents.jsonl", name);
        let all = figures.iter().find(|f| f.group == "all").unwrap();
        assert!(all.questions >= 50 && all.unanswerable >= 50, "{name}");
        let [.., both] = all.figures;
        assert!(both.answered <= 0.05, "{name}: {both:?}");
        assert!(both.refused <= 0.15 && both.mrr >= 0.84, "{name}: {both:?}");
    }
}

/// Chinese questions in other words than those of their answers: most pairs of characters are
/// unknown.
#[test]
fn chinese_questions_in_other_words_are_answered() {
    let figures = measured("chinese-documents.jsonl", "chinese-questions.jsonl");
    let all = figures.iter().find(|f| f.group == "all").unwrap();
    assert!(all.questions >= 14 && all.unanswerable >= 11);
    let [.., both] = all.figures;
    assert!(both.hit_at_1 >= 0.7 && both.answered <= 0.1, "{both:?}");
}

#[test]
fn the_graph_is_told_with_its_lines_and_drawn() {
    let folder = project();
    let at = folder.path();
    write(at, "graph.jsonl", include_str!("knowledge/graph.jsonl"));
    let used = "\"importance\":{\"confidence\":0.9,\"lastUsed\":1769040000000},\"usageStats\":{\"referencedCount\":6,\"verifiedUseful\":6}";
    write(
        at,
        "bank/items/readme.json",
        &format!("{{\"id\":\"readme\",\"path\":\"README.md\",\"content\":\"what it is\",{used}}}"),
    );
    text(at, &["reindex"]);
    assert_eq!(run(at, &["graph", "check"]).status.code(), Some(1));
    let checked = json(at, &["graph", "check"]);
    assert_eq!(
        (
            &checked["findings"][0]["code"],
            &checked["findings"][0]["line"]
        ),
        (&"YV902".into(), &4.into())
    );
    let trace = text(at, &["graph", "trace", "react-fix"]);
    for line in [
        "used          ctx:readme  [graph.jsonl:1]",
        "validated     skill:make (succeeded)  [graph.jsonl:2]",
    ] {
        assert!(trace.contains(line), "{trace}");
    }
    assert!(
        trace.contains("promoted      ctx:readme (to skill:make)  [graph.jsonl:3, graph.jsonl:1]"),
        "{trace}"
    );
    assert_eq!(
        run(at, &["graph", "trace", "nobody"]).status.code(),
        Some(3)
    );
    let stats = json(at, &["graph", "stats"]);
    let readme = stats["contexts"]
        .as_array()
        .unwrap()
        .iter()
        .find(|c| c["context"] == "ctx:readme")
        .unwrap()
        .clone();
    assert_eq!(
        (&readme["used"], &readme["validated"], &readme["promoted"]),
        (&1.into(), &1.into(), &1.into())
    );
    assert_eq!(
        json(at, &["graph", "provenance", "make"])["statements"]
            .as_array()
            .unwrap()
            .len(),
        2
    );

    let graphml = text(at, &["graph", "export", "--format", "graphml"]);
    let document = roxmltree::Document::parse(&graphml).unwrap();
    let count = |tag: &str| {
        document
            .descendants()
            .filter(|n| n.has_tag_name(("http://graphml.graphdrawing.org/xmlns", tag)))
            .count()
    };
    assert_eq!((count("node"), count("edge")), (4, 4));
    let dot = text(at, &["graph", "export"]);
    assert!(
        dot.contains("label=\"ctx:\\\"]; evil <b>&\\\\u{001b}\\\\u{202e}|\""),
        "{dot}"
    );
    let mermaid = text(at, &["graph", "export", "--format", "mermaid"]);
    assert!(
        mermaid.contains("#34;") && !mermaid.contains("\"]; evil"),
        "{mermaid}"
    );
    assert_eq!(
        json(at, &["graph", "export"])["nodes"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
}
