//! Sessions over several files: each call counts once, and a rejection in one file is known in the
//! others.

use crate::support::{codes, json_report, run, write};
use serde_json::{Value, json};
use std::path::Path;

/// A record of a session of Claude Code.
fn record(kind: &str, minute: u8, agent: Option<&str>, content: Value) -> Value {
    let mut record = json!({
        "type": kind, "sessionId": "s1", "cwd": "/home/mia/app", "isSidechain": agent.is_some(),
        "uuid": format!("{kind}-{minute}"), "timestamp": format!("2026-03-02T08:{minute:02}:00Z"),
        "message": {"role": kind, "content": content},
    });
    if let Some(agent) = agent {
        record["agentId"] = agent.into();
    }
    record
}

fn call(minute: u8, agent: Option<&str>, id: &str, command: &str) -> Value {
    let block =
        json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
    record("assistant", minute, agent, json!([block]))
}

fn result(minute: u8, agent: Option<&str>, id: &str, rejected: bool) -> Value {
    let content = if rejected {
        "The user doesn't want to proceed with this tool use."
    } else {
        "done"
    };
    let block =
        json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": rejected});
    let mut record = record("user", minute, agent, json!([block]));
    if rejected {
        record["toolUseResult"] = "User rejected tool use".into();
    }
    record
}

/// What the session behind a sub-agent notes of a record of it.
fn progress(minute: u8, inner: &Value) -> Value {
    let mut note = record("progress", minute, None, json!(null));
    note["message"] = json!(null);
    note["data"] = json!({"type": "agent_progress", "agentId": "ab1", "message": inner});
    note
}

fn write_lines(folder: &Path, name: &str, records: &[Value]) {
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    write(folder, name, &lines);
}

fn rows(folder: &Path, paths: &[&str]) -> Vec<Value> {
    let args = [&["export", "--format", "jsonl", "--table", "turns"], paths].concat();
    let done = run(folder, &args);
    let lines = done
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// Execution and call of each row.
fn calls(rows: &[Value]) -> Vec<(&str, &str)> {
    rows.iter()
        .map(|row| {
            (
                row["execution"].as_str().unwrap(),
                row["call_id"].as_str().unwrap(),
            )
        })
        .collect()
}

#[test]
fn calls_that_progress_repeats_count_once() {
    let folder = tempfile::tempdir().unwrap();
    let agent = Some("ab1");
    let own = [
        call(4, agent, "b", "ls"),
        result(5, agent, "b", false),
        call(6, agent, "c", "pwd"),
        result(7, agent, "c", false),
    ];
    let mut main = vec![call(1, None, "a", "ls"), result(2, None, "a", false)];
    main.extend(
        own.iter()
            .zip(4..)
            .map(|(inner, minute)| progress(minute, inner)),
    );
    // The note is of another command than the sub-agent's own record: both are on record.
    main.push(progress(8, &call(8, agent, "c", "rm -rf /srv")));
    main.push(progress(9, &result(9, agent, "c", false)));
    write_lines(folder.path(), "p/s1.jsonl", &main);
    write_lines(folder.path(), "p/s1/subagents/agent-ab1.jsonl", &own);
    let alone = rows(folder.path(), &["p/s1.jsonl"]);
    let expected = [
        ("s1/ab1", "b"),
        ("s1/ab1", "c"),
        ("s1", "a"),
        ("s1/ab1", "c#3"),
    ];
    assert_eq!(calls(&alone), expected);
    let all = rows(folder.path(), &["p"]);
    let expected = [
        ("s1", "a"),
        ("s1/ab1", "c"),
        ("s1/ab1", "b"),
        ("s1/ab1", "c"),
    ];
    assert_eq!(calls(&all), expected);
    let files = |n: usize| all[n]["file"].as_str().unwrap();
    assert_eq!(
        [files(1), files(2)],
        ["p/s1.jsonl", "p/s1/subagents/agent-ab1.jsonl"]
    );
    let done = run(folder.path(), &["convert", "p"]);
    assert_eq!(
        done.out.matches("\"record\":\"call\"").count(),
        4,
        "{}",
        done.out
    );
}

#[test]
fn a_rejection_is_known_in_the_other_files_of_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let agent = Some("ab1");
    let rejected = |minute| {
        let after = result(minute + 2, None, "a", true);
        [call(minute, None, "a", "make upload"), after]
    };
    let ran = |minute, id, command| {
        let after = result(minute + 1, agent, id, false);
        [call(minute, agent, id, command), after]
    };
    let found = |main: &[Value], own: &[Value]| {
        write_lines(folder.path(), "p/s1.jsonl", main);
        write_lines(folder.path(), "p/agent-ab1.jsonl", own);
        let (_, report) = json_report(folder.path(), &["replay", "p"]);
        let findings = report["findings"].as_array().unwrap().iter();
        let repeats = findings.filter(|f| f["code"] == "YV324");
        let places = repeats.map(|f| {
            let related = f["related"][0]["file"].as_str().unwrap_or_default();
            format!("{}:{} {related}", f["file"].as_str().unwrap(), f["line"])
        });
        let places: Vec<String> = places.collect();
        // The conversion of both files gives the same.
        let converted = run(folder.path(), &["convert", "p"]).out;
        write(folder.path(), "converted.jsonl", &converted);
        let (_, report) = json_report(folder.path(), &["replay", "converted.jsonl"]);
        let count = |report: &Value| codes(report).iter().filter(|c| **c == "YV324").count();
        assert_eq!(count(&report), places.len(), "{converted}");
        // Executions that aren't a session and its sub-agent have nothing to do with each other.
        let samples = converted.replace("\"s1/ab1\"", "\"log/2\"");
        let samples = samples.replace("\"s1\"", "\"log/1\"");
        write(folder.path(), "samples.jsonl", &samples);
        let (_, report) = json_report(folder.path(), &["replay", "samples.jsonl"]);
        assert_eq!(count(&report), 0, "{samples}");
        places
    };
    let repeat = ["p/agent-ab1.jsonl:1 p/s1.jsonl"];
    assert_eq!(found(&rejected(1), &ran(6, "b", "make upload")), repeat);
    // Asked for before the answer was there, another action, or the same call.
    assert!(found(&rejected(5), &ran(6, "b", "make upload")).is_empty());
    assert!(found(&rejected(1), &ran(6, "b", "make")).is_empty());
    assert!(found(&rejected(1), &ran(6, "a", "make upload")).is_empty());
    // Without times nobody knows which came first.
    let timeless = ran(6, "b", "make upload").map(|mut record| {
        record["timestamp"] = Value::Null;
        record
    });
    assert!(found(&rejected(1), &timeless).is_empty());
    // A resumed session repeats what the first file holds and reports.
    let again = [
        rejected(1),
        ran(6, "b", "make upload").map(|mut record| {
            record["agentId"] = Value::Null;
            record["isSidechain"] = false.into();
            record
        }),
    ]
    .concat();
    write_lines(folder.path(), "q/one.jsonl", &again);
    write_lines(folder.path(), "q/two.jsonl", &again[2..]);
    let (_, report) = json_report(folder.path(), &["replay", "q"]);
    let found = codes(&report);
    assert_eq!(
        found.iter().filter(|code| **code == "YV324").count(),
        1,
        "{report:#}"
    );
}

#[test]
fn rows_say_that_a_rejected_call_ran() {
    let folder = tempfile::tempdir().unwrap();
    let session = [
        call(1, None, "a", "make upload"),
        result(2, None, "a", true),
        result(3, None, "a", false),
    ];
    write_lines(folder.path(), "s1.jsonl", &session);
    let rows = rows(folder.path(), &["s1.jsonl"]);
    let told: Vec<_> = rows
        .iter()
        .map(|row| ["call_id", "decision", "decided_by", "outcome"].map(|c| row[c].clone()))
        .collect();
    let row = |outcome: &str| ["a", "rejected", "human", outcome].map(Value::from);
    assert_eq!(told, [row("not-executed"), row("ok")]);
}

#[test]
fn pages_of_events_are_no_second_session() {
    let folder = tempfile::tempdir().unwrap();
    let event = |n: u64| match n % 2 {
        1 => json!({"id": n, "source": "agent", "action": "run", "args": {"command": "ls"}}),
        _ => {
            json!({"id": n, "source": "agent", "cause": n.saturating_sub(1), "observation": "run", "content": "ok"})
        }
    };
    for n in 1..=4 {
        write(
            folder.path(),
            &format!("a/events/{n}.json"),
            &event(n).to_string(),
        );
    }
    let page = |range: std::ops::Range<u64>| Value::Array(range.map(event).collect()).to_string();
    write(folder.path(), "a/event_cache/1-5.json", &page(1..5));
    let calls = |folder: &Path| rows(folder, &["a"]).len();
    assert_eq!(calls(folder.path()), 2);
    let done = run(folder.path(), &["replay", "a"]);
    assert!(done.out.contains("event_cache/1-5.json"), "{}", done.out);
    // A page that holds an event which has no file is read.
    write(folder.path(), "a/event_cache/5-7.json", &page(5..7));
    assert_eq!(calls(folder.path()), 3);
    // The index takes the directory as one source.
    std::fs::remove_file(folder.path().join("a/event_cache/5-7.json")).unwrap();
    write(
        folder.path(),
        "yuangs-verify.toml",
        "[knowledge]\ntraces = ['a']\n",
    );
    let done = run(folder.path(), &["knowledge", "reindex", "--format", "json"]);
    let report: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(
        report["sources"]["added"].as_array().unwrap().len(),
        1,
        "{report:#}"
    );
}
