//! The budget of answers, what they omit, and the time from which ages are counted.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};
use tokens::Encoding;

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
    command
        .current_dir(folder)
        .arg("knowledge")
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
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

fn json_of(folder: &Path, args: &[&str]) -> Value {
    let output = run(folder, &[args, &["--format", "json"]].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {error}"))
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn message(session: &str, time: i64, content: &str) -> String {
    let message = json!({"role":"user","content":content});
    format!(
        "{}\n",
        json!({"type":"message","sessionId":session,"timestamp":time,"message":message})
    )
}

/// Creates a project with these messages and indexes it.
fn project(config: &str, messages: &[String]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "yuangs-verify.toml",
        &format!("[knowledge]\ntranscripts = ['t']\n{config}"),
    );
    write(folder.path(), "t/s.jsonl", &messages.concat());
    text(folder.path(), &["reindex", "--no-vectors"]);
    folder
}

fn tokens(text: &str) -> usize {
    Encoding::default().count(text)
}

const START: i64 = 1_769_000_000_000;

#[test]
fn a_long_name_neither_breaks_a_budget_nor_silences_the_others() {
    let long = "long id word ".repeat(900);
    let mut all = vec![message(
        &long,
        START + 9_000,
        "what belongs to a very long name of a session",
    )];
    all.extend((0..20).map(|n| {
        message(
            "short",
            START + n,
            &format!("message number {n} of an ordinary session"),
        )
    }));
    let folder = project("[knowledge.profiles.default]\nindex-tokens = 600\n", &all);
    let at = folder.path();
    for form in ["text", "json"] {
        let index = text(at, &["index", "--format", form]);
        assert!(
            index.contains("number 19") && tokens(&index) <= 600,
            "{index}"
        );
        let query = text(
            at,
            &[
                "index",
                "--query",
                "session",
                "--no-vectors",
                "--format",
                form,
            ],
        );
        assert!(
            query.contains("an ordinary session") && tokens(&query) <= 600,
            "{query}"
        );
        let bundle = text(
            at,
            &[
                "bundle",
                "--query",
                "ordinary",
                "--no-vectors",
                "--format",
                form,
            ],
        );
        assert!(
            bundle.contains("number 19") && tokens(&bundle) <= 2_200,
            "{bundle}"
        );
    }
    let first = json_of(at, &["index"])["items"][0].clone();
    assert!(
        first["task"]
            .as_str()
            .unwrap()
            .ends_with("more characters)"),
        "{first}"
    );
    for form in ["text", "json"] {
        let detail = text(
            at,
            &[
                "detail",
                "--ids",
                first["id"].as_str().unwrap(),
                "--format",
                form,
            ],
        );
        assert!(
            tokens(&detail) <= 1_500 && detail.contains("very long name"),
            "{} {detail}",
            tokens(&detail)
        );
        let around = text(
            at,
            &[
                "timeline",
                "--ids",
                first["id"].as_str().unwrap(),
                "--format",
                form,
            ],
        );
        assert!(
            tokens(&around) <= 800 && around.contains("number 19"),
            "{around}"
        );
    }
}

#[test]
fn what_one_source_may_say_is_counted_as_it_is_printed() {
    let all: Vec<String> = (0..20)
        .map(|n| {
            message(
                "s",
                START + n,
                &format!("message number {n} of this session"),
            )
        })
        .collect();
    let folder = project(
        "[knowledge.profiles.small]\nmax-per-source-tokens = 100\n",
        &all,
    );
    let index = json_of(folder.path(), &["index", "--profile", "small"]);
    let items = index["items"].as_array().unwrap();
    let spent: usize = items.iter().map(|i| tokens(&i.to_string())).sum();
    assert!(!items.is_empty() && spent <= 100, "{spent}: {index:#}");
    assert_eq!(index["leftOut"], 20 - items.len());
    let lines = text(folder.path(), &["index", "--profile", "small"]);
    assert!(
        lines.contains("left out") && lines.lines().count() > items.len(),
        "{lines}"
    );
}

#[test]
fn what_is_left_out_is_counted() {
    let all: Vec<String> = (0..700)
        .map(|n| {
            message(
                "s",
                START + n,
                &format!("message number{n} about the parser it has"),
            )
        })
        .collect();
    let folder = project("", &all);
    let at = folder.path();
    for args in [
        &["index"][..],
        &["index", "--query", "parser", "--no-vectors"],
        &["search", "--query", "parser", "--no-vectors"],
        &[
            "search",
            "--query",
            "parser",
            "--no-vectors",
            "--limit",
            "3",
        ],
    ] {
        let answer = json_of(at, args);
        let sum = answer["shown"].as_u64().unwrap() + answer["leftOut"].as_u64().unwrap();
        assert!(
            sum == 700 && answer["shown"] != 0 && answer.get("leftOutAtLeast").is_none(),
            "{args:?}: {answer:#}"
        );
        let lines = text(at, args);
        assert!(
            lines.contains(" shown, ") && lines.ends_with(" left out)\n"),
            "{lines}"
        );
    }
    let bundle = json_of(at, &["bundle", "--query", "parser", "--no-vectors"]);
    for section in bundle["sections"].as_array().unwrap() {
        let sum = section["shown"].as_u64().unwrap() + section["leftOut"].as_u64().unwrap();
        let expected = if ["task", "events", "chunks"].contains(&section["layer"].as_str().unwrap())
        {
            700
        } else {
            0
        };
        assert_eq!(sum, expected, "{}", section["layer"]);
    }
    // With vectors, not everything is compared, and the output says so.
    text(at, &["reindex"]);
    let lines = text(at, &["search", "--query", "parser"]);
    assert!(
        lines.contains(" shown, ") && lines.contains(" left out)"),
        "{lines}"
    );
}

#[test]
fn a_long_timeline_is_told_in_time() {
    let all: Vec<String> = (0..4000)
        .map(|n| {
            message(
                "s",
                START + n,
                &format!("message number {n} of a long session"),
            )
        })
        .collect();
    let limits = "[knowledge.profiles.wide]\nbudget-tokens = 30000\ntimeline-tokens = 30000\n";
    let folder = project(limits, &all);
    let newest = json_of(folder.path(), &["index"])["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let answer = text(
        folder.path(),
        &[
            "timeline",
            "--ids",
            &newest,
            "--around",
            "100000",
            "--profile",
            "wide",
        ],
    );
    assert!(answer.contains(&newest) && answer.lines().count() > 500 && tokens(&answer) <= 30_000);
}

#[test]
fn answers_do_not_depend_on_what_was_changed_and_changed_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\ndocuments = ['docs']\n",
    );
    let state = |n: usize, word: &str| {
        write(
            at,
            &format!("docs/{n}.md"),
            &format!("# Part\n\nThe parser has the part p{n} {word}.\n"),
        );
    };
    (0..150).for_each(|n| state(n, "here"));
    text(at, &["reindex", "--no-vectors"]);
    let ask = || {
        text(
            at,
            &[
                "search",
                "--query",
                "parser",
                "--no-vectors",
                "--limit",
                "40",
                "--format",
                "json",
            ],
        )
    };
    let before = (
        ask(),
        json_of(at, &["reindex", "--no-vectors"])["digest"].clone(),
    );
    for round in 0..3 {
        (round * 20..round * 20 + 30).for_each(|n| state(n, "there"));
        text(at, &["reindex", "--no-vectors"]);
        (round * 20..round * 20 + 30).for_each(|n| state(n, "here"));
        let digest = json_of(at, &["reindex", "--no-vectors"])["digest"].clone();
        assert_eq!((ask(), digest), before, "{round}");
    }
}

/// Returns the decay of the answer about a word, by `--explain`.
fn decay(at: &Path, word: &str) -> f64 {
    let found = json_of(
        at,
        &["search", "--query", word, "--no-vectors", "--explain"],
    );
    found["items"][0]["scores"]["decay"].as_f64().unwrap()
}

const DAY: i64 = 86_400_000;

#[test]
fn age_takes_as_it_is_configured() {
    let all = [
        message("s", START - 45 * DAY, "the oldest thing is about lexers"),
        message("s", START, "the newest thing is about trees"),
    ];
    for (config, expected) in [
        ("", 0.354),
        ("decay = 'exponential'\n", 0.354),
        ("decay = 'linear'\n", 0.25),
        ("decay = 'step'\n", 0.5),
    ] {
        let folder = project(config, &all);
        assert!(
            (decay(folder.path(), "lexers") - expected).abs() < 1e-9,
            "{config}: {}",
            decay(folder.path(), "lexers")
        );
    }
    let folder = project("", &all);
    write(
        folder.path(),
        "yuangs-verify.toml",
        "[knowledge]\ntranscripts = ['t']\ndecay = 'sudden'\n",
    );
    assert_eq!(
        run(folder.path(), &["search", "--query", "x"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn a_date_in_the_future_makes_nothing_old() {
    let future = 250_000_000_000_000;
    let all = [
        message("s", START, "the true thing is about lexers"),
        message("s", future, "the false thing is about trees"),
    ];
    let folder = project("", &all);
    let at = folder.path();
    assert!((decay(at, "lexers") - 1.0).abs() < 1e-9);
    let output = run(at, &["search", "--query", "lexers", "--no-vectors"]);
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("1 observation is dated in the future")
    );
    assert!(
        run(
            at,
            &[
                "search",
                "--query",
                "lexers",
                "--no-vectors",
                "--now",
                "2026-01-22"
            ]
        )
        .stderr
        .is_empty()
    );

    let now = i64::try_from(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_millis(),
    )
    .unwrap();
    let item = |id: &str, used: i64| {
        let text = json!({"id":id,"path":format!("{id}.md"),"importance":{"useCount":9,"successCount":9,"confidence":0.6,"lastUsed":used}});
        write(at, &format!("bank/items/{id}.json"), &text.to_string());
    };
    write(at, "yuangs-verify.toml", "[knowledge]\nbank = ['bank']\n");
    (0..3).for_each(|n| item(&format!("used{n}"), now - n * DAY));
    item("false", now + 40_000 * DAY);
    for args in [
        &["memory", "status"][..],
        &["memory", "apply", "--yes"],
        &["context", "stages"],
    ] {
        let reported = text(at, args);
        assert!(
            !reported.contains("archive  ") && !reported.contains("archived  "),
            "{args:?}: {reported}"
        );
        assert!(
            reported.contains("by their own account") && reported.contains(": false\n"),
            "{args:?}: {reported}"
        );
    }
    // Unused items become idle, even if nothing newer is recorded.
    fs::remove_dir_all(at.join("bank")).unwrap();
    let idle = json!({"id":"idle","path":"idle.md","importance":{"useCount":9,"successCount":1,"failureCount":8,"confidence":0.3,"lastUsed":now - 400 * DAY}});
    write(at, "bank/items/idle.json", &idle.to_string());
    let reported = text(at, &["memory", "apply", "--yes", "--now", "2100-01-01"]);
    assert!(
        reported.contains("archive ") && reported.contains("changed bank/items/idle.json"),
        "{reported}"
    );
}

#[test]
fn the_graph_knows_a_context_by_all_its_names_and_which_way_edges_lead() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        "yuangs-verify.toml",
        "[knowledge]\ngraph = ['g.jsonl']\nbank = ['bank']\nskills = ['skills']\n",
    );
    write(
        at,
        "bank/items/a.json",
        &json!({"id":"a","path":"docs/a.md"}).to_string(),
    );
    for run in ["e1", "e2"] {
        let text = json!({"record":"execution_started","executionId":run}).to_string();
        write(at, &format!("traces/{run}.jsonl"), &text);
    }
    let meta = json!({"name":"make","version":"1.0.0","intent":"make a build","author":"a","created_at":"2026-01-01"});
    write(at, "skills/production/make/meta.json", &meta.to_string());
    let edge = |from: &str, kind: &str, to: &str| {
        format!(
            "{}\n",
            json!({"from":from,"to":to,"type":kind,"timestamp":START})
        )
    };
    let nodes = json!({"id":"exec:e1","type":"execution"}).to_string()
        + "\n"
        + &json!({"id":"exec:e2","type":"execution"}).to_string()
        + "\n";
    let edges = [
        edge("a", "used_in", "exec:e1"),
        edge("context:a", "used_in", "exec:e1"),
        edge("docs/a.md", "used_in", "exec:e2"),
        edge("exec:e1", "validated_by", "skill:make"),
        edge("exec:e1", "used_in", "ctx:a"),
        edge("make", "used_in", "exec:e1"),
        edge("ctx:a", "validated_by", "skill:make"),
    ];
    write(at, "g.jsonl", &(nodes + &edges.concat()));
    run(at, &["reindex", "--no-vectors"]);
    let stats = json_of(at, &["graph", "stats"]);
    let rows: Vec<(&str, u64)> = stats["contexts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (c["context"].as_str().unwrap(), c["used"].as_u64().unwrap()))
        .collect();
    assert_eq!(
        rows.iter().find(|(name, _)| *name == "a"),
        Some(&("a", 2)),
        "{rows:?}"
    );
    assert!(
        !rows
            .iter()
            .any(|(name, _)| ["context:a", "docs/a.md"].contains(name)),
        "{rows:?}"
    );
    let trace = text(at, &["graph", "trace", "e1"]);
    assert!(trace.contains("g.jsonl:3, g.jsonl:4"), "{trace}");
    let checked = json_of(at, &["graph", "check"]);
    let mut wrong: Vec<u64> = checked["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["code"] == "YV103")
        .map(|f| f["line"].as_u64().unwrap())
        .collect();
    wrong.dedup();
    assert_eq!(wrong, [7, 8, 9], "{checked:#}");
}
