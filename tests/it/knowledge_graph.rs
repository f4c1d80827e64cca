//! The knowledge graph's kinds, weights and origins, and the tables that other programs query.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A time in milliseconds since the Unix epoch.
const START: i64 = 1_769_040_000_000;

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yuangs-verify"));
    let command = command.current_dir(folder).arg("knowledge").args(args);
    command.stdin(Stdio::null()).output().unwrap()
}

fn text(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() < Some(2), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn write(folder: &Path, name: &str, lines: &[Value]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(path, lines.join("\n")).unwrap();
}

/// A project with one execution that used a skill, the skill, and a graph.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let sources = "[knowledge]\ntraces = ['traces']\ngraph = ['g.jsonl']\nskills = ['skills']\n";
    fs::write(at.join("yuangs-verify.toml"), sources).unwrap();
    let trace = [
        json!({"record":"execution_started","executionId":"e1","rootIntent":"Fix the page","timestamp":START,"schemaVersion":"1.0","fsmVersion":"1"}),
        json!({
            "record":"turn","executionId":"e1","turnId":1,"startTime":START,"endTime":START + 400,
            "contextSnapshot":{"inputHash":"0","systemPromptVersion":"1","toolSetVersion":"1","recentMessages":[],
                "items":[{"path":"docs/page.md","hash":"0","tokens":12}]},
            "proposedAction":{"id":"a1","type":"shell_cmd","payload":{"command":"npm test"},"riskLevel":"medium","reasoning":"r"},
            "executionResult":{"success":true,"output":"12 passed","cost":0.25,"metadata":{"tokensUsed":321,"costEstimate":0.25}},
            "usedSkills":["fix-page@1.0.0"],
        }),
    ];
    write(at, "traces/e1.jsonl", &trace);
    let meta = json!({"name":"fix-page","version":"1.0.0","intent":"fix a page","author":"mia","created_at":"2026-01-01",
        "sourceContextPaths":["docs/page.md"]});
    write(at, "skills/production/fix-page/meta.json", &[meta]);
    let edge = |from: &str, kind: &str, to: &str| json!({"from":from,"to":to,"type":kind,"timestamp":START});
    let mut strong = edge("docs/page.md", "supports", "skill:fix-page");
    strong["weight"] = json!(2.5);
    let graph = [
        edge("docs/page.md", "used_in", "exec:e1"),
        edge("ctx:docs/page.md", "used_in", "e1"),
        edge("docs/other.md", "used_in", "exec:e1"),
        edge("docs/page.md", "derived_from", "skill:fix-page"),
        strong,
        json!({"from":"a","to":"b","type":"supports","timestamp":START,"weight":"much"}),
        edge("docs/page.md", "used_in", "exec:e2"),
    ];
    write(at, "g.jsonl", &graph);
    folder
}

#[test]
fn what_an_execution_had_in_view_is_known() {
    let folder = project();
    let at = folder.path();
    text(at, &["reindex", "--no-vectors"]);
    let checked: Value =
        serde_json::from_str(&text(at, &["graph", "check", "--format", "json"])).unwrap();
    let found: Vec<(&str, u64)> = checked["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["file"] == "g.jsonl")
        .map(|f| (f["code"].as_str().unwrap(), f["line"].as_u64().unwrap()))
        .collect();
    // Lines 1, 2, 4 and 5 name what the execution had in view; nothing is known of `exec:e2`, and a
    // weight is a number.
    assert_eq!(
        found,
        [("YV902", 3), ("YV103", 6), ("YV902", 7), ("YV902", 7)],
        "{checked:#}"
    );
}

#[test]
fn kinds_weights_and_origins_are_drawn() {
    let folder = project();
    let at = folder.path();
    text(at, &["reindex", "--no-vectors"]);
    let dot = text(at, &["graph", "export"]);
    for part in [
        "[label=\"docs/page.md\", shape=box, fillcolor=\"#4ea1d3\"]",
        "[label=\"exec:e1\", shape=hexagon,",
        "[label=\"skill:fix-page\", shape=ellipse,",
        "[label=\"supports 2.5\", style=bold,",
        "[label=\"derived_from 1\", style=solid, tooltip=\"skills/production/fix-page/meta.json:1\"]",
    ] {
        assert!(dot.contains(part), "{part}: {dot}");
    }
    // Two executions, one of them by two names, as one context is.
    assert_eq!(dot.matches("shape=hexagon").count(), 2, "{dot}");
    assert_eq!(dot.matches("label=\"ctx:docs/page.md").count(), 0, "{dot}");
    let mermaid = text(at, &["graph", "export", "--format", "mermaid"]);
    for part in [
        "([\"skill:fix-page\"])",
        "{{\"exec:e1\"}}",
        " ==>|supports 2.5 g.jsonl:5| ",
    ] {
        assert!(mermaid.contains(part), "{part}: {mermaid}");
    }
    let provenance = text(at, &["graph", "provenance", "fix-page"]);
    for place in ["g.jsonl:4", "skills/production/fix-page/meta.json:1"] {
        assert!(provenance.contains(place), "{provenance}");
    }
}

#[test]
fn the_store_answers_the_queries_of_the_system() {
    let folder = project();
    let at = folder.path();
    text(at, &["reindex", "--no-vectors"]);
    let db = rusqlite::Connection::open(at.join(".yuangs/index.db")).unwrap();
    let log =
        "SELECT intent, tokens_used, input_json, output_json, metadata_json FROM execution_log";
    let row = db
        .query_row(log, [], |row| {
            let part = |n| row.get::<_, String>(n);
            Ok((
                part(0)?,
                row.get::<_, i64>(1)?,
                [part(2)?, part(3)?, part(4)?],
            ))
        })
        .unwrap();
    assert_eq!((&*row.0, row.1), ("fix a page", 321));
    let [input, output, metadata] = row
        .2
        .map(|text| serde_json::from_str::<Value>(&text).unwrap());
    assert_eq!(input["rootIntent"], "Fix the page");
    assert_eq!(input["action"]["payload"]["command"], "npm test");
    assert_eq!(output["output"], "12 passed");
    assert_eq!(metadata["costEstimate"], 0.25);
    let best = "SELECT id, skill_name FROM skill_stats WHERE intent = 'fix a page' ORDER BY current_score DESC LIMIT 1";
    let best: (i64, String) = db
        .query_row(best, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    assert_eq!(best, (1, "fix-page".into()));
    let indices =
        "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name GLOB 'idx_skill_stats_*'";
    let indices: i64 = db.query_row(indices, [], |row| row.get(0)).unwrap();
    assert_eq!(indices, 3);
    // An intent that somebody wrote into the store isn't that of its sources.
    let check = ["reindex", "--check", "--no-vectors"];
    assert_eq!(run(at, &check).status.code(), Some(0));
    db.execute("UPDATE execution_log SET intent = 'anything'", [])
        .unwrap();
    assert_eq!(run(at, &check).status.code(), Some(1));
    text(at, &["reindex", "--no-vectors"]);
    assert_eq!(run(at, &check).status.code(), Some(0));
}

#[test]
fn the_store_keeps_the_metrics_of_a_promotion() {
    let folder = project();
    let at = folder.path();
    let change = json!({"skill_name":"fix-page","skill_version":"1.0.0","old_status":"experimental","new_status":"production",
        "score":0.91,"metrics":{"success_rate":0.95},"reason":"green for a month","by":"mia","promoted_at":START + 500});
    write(at, "skills/promotions.jsonl", &[change]);
    text(at, &["reindex", "--no-vectors"]);
    let db = rusqlite::Connection::open(at.join(".yuangs/index.db")).unwrap();
    let history = "SELECT old_status, new_status, metrics_json, reason, promoted_at FROM promotion_history WHERE skill_name = 'fix-page'";
    let row = db
        .query_row(history, [], |row| {
            let part = |n| row.get::<_, String>(n);
            Ok(([part(0)?, part(1)?, part(2)?, part(3)?], row.get(4)?))
        })
        .unwrap();
    let metrics: Value = serde_json::from_str(&row.0[2]).unwrap();
    let expected = ["experimental", "production", &row.0[2], "green for a month"];
    assert_eq!(row, (expected.map(str::to_owned), START + 500));
    assert_eq!(metrics["success_rate"], 0.95, "what the line says");
}

/// A change: new status, score, success rate, mean cost, executions and the time of the last one.
type Row = (
    String,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<i64>,
    Option<i64>,
);

#[test]
fn the_store_completes_the_metrics_of_a_promotion_from_the_evidence() {
    let folder = project();
    let at = folder.path();
    let change = |old: &str, new: &str, more: Value, after: i64| {
        let mut change = json!({"skill_name":"fix-page","old_status":old,"new_status":new,"promoted_at":START + after});
        let members = change.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        change
    };
    // Before the only use, after it, and a retirement that records other figures.
    let said = json!({"metrics_json":"{\"success_rate\":0.1,\"avgCost\":9}","score":0.2});
    let changes = [
        change("candidate", "experimental", json!({}), 0),
        change("experimental", "production", json!({}), 500),
        change("production", "retired", said, 600),
    ];
    write(at, "skills/promotions.jsonl", &changes);
    text(at, &["reindex", "--no-vectors"]);
    let db = rusqlite::Connection::open(at.join(".yuangs/index.db")).unwrap();
    // A query over the decisions of the system.
    let sql = "SELECT new_status, score, json_extract(metrics_json, '$.success_rate'), json_extract(metrics_json, '$.avg_cost'),
        json_extract(metrics_json, '$.execution_count'), json_extract(metrics_json, '$.last_execution_at')
        FROM promotion_history ORDER BY promoted_at";
    let rows = || -> Vec<Row> {
        let mut select = db.prepare(sql).unwrap();
        let rows = select.query_map([], |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
                row.get(5)?,
            ))
        });
        rows.unwrap().map(Result::unwrap).collect()
    };
    let last = Some(START + 400);
    // One success at a quarter of the cost limit, without a recorded latency.
    let score = 0.4 + 0.75 * 0.2 + 0.15 + 0.1;
    let found = rows();
    assert!((found[1].1.unwrap() - score).abs() < 1e-9, "{found:?}");
    let expected = [
        ("experimental".to_owned(), None, None, None, None, None),
        (
            "production".to_owned(),
            found[1].1,
            Some(1.0),
            Some(0.25),
            Some(1),
            last,
        ),
        (
            "retired".to_owned(),
            Some(0.2),
            Some(0.1),
            None,
            Some(1),
            last,
        ),
    ];
    assert_eq!(found, expected);
    // Metrics that somebody wrote into the store aren't those of its sources.
    let check = ["reindex", "--check", "--no-vectors"];
    assert_eq!(run(at, &check).status.code(), Some(0));
    let printed = |args: &[&str]| String::from_utf8(run(at, args).stdout).unwrap();
    assert!(
        !printed(&check).contains("figures of skills"),
        "{}",
        printed(&check)
    );
    db.execute(
        "UPDATE promotion_history SET metrics_json = '{}' WHERE new_status = 'production'",
        [],
    )
    .unwrap();
    assert!(
        printed(&check).contains("figures of skills"),
        "{}",
        printed(&check)
    );
    text(at, &["reindex", "--no-vectors"]);
    assert_eq!(rows(), expected);
}
