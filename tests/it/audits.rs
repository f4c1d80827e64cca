//! `audit` and `export`: what is shown of many sessions, and what other tools are handed of them.

use crate::support::{run, write};
use serde_json::{Value, json};

/// A session of Claude Code with these commands, each with its output.
fn session(id: &str, cwd: &str, calls: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut record = |n: usize, kind: &str, content: Value| {
        let record = json!({
            "type": kind, "uuid": format!("{id}-{n}-{kind}"), "sessionId": id, "cwd": cwd,
            "timestamp": format!("2026-03-01T10:{:02}:{:02}Z", n / 60 % 60, n % 60),
            "message": {"role": kind, "content": [content]},
        });
        text += &format!("{record}\n");
    };
    for (n, (command, output)) in calls.iter().enumerate() {
        let call = format!("call-{n}");
        let input = json!({"command": command});
        record(
            n,
            "assistant",
            json!({"type": "tool_use", "id": call, "name": "Bash", "input": input}),
        );
        record(
            n,
            "user",
            json!({"type": "tool_result", "tool_use_id": call, "content": output}),
        );
    }
    text
}

fn rows(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The rows of turns among those of all tables, in their order.
fn turns(all: &[Value]) -> Vec<Value> {
    let mut turns: Vec<Value> = all
        .iter()
        .filter(|r| r["table"] == "turns")
        .cloned()
        .collect();
    turns.sort_by_key(|row| (row["file"].to_string(), row["line"].as_u64()));
    turns
}

#[test]
fn streamed_turns_are_those_of_the_table() {
    let corpus = "corpora/traces";
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = run(
        root,
        &[
            "export",
            corpus,
            "--format",
            "jsonl",
            "--max-turns",
            "1000000",
        ],
    );
    let streamed = run(
        root,
        &["export", corpus, "--format", "jsonl", "--table", "turns"],
    );
    let (all, streamed) = (turns(&rows(&all.out)), turns(&rows(&streamed.out)));
    assert!(streamed.len() > 100, "{}", streamed.len());
    assert_eq!(streamed.len(), all.len());
    for (streamed, all) in streamed.iter().zip(&all) {
        assert_eq!(streamed, all);
    }
}

#[test]
fn more_turns_are_streamed_than_a_table_keeps() {
    let folder = tempfile::tempdir().unwrap();
    let calls = vec![("ls", ""); 20_001];
    write(
        folder.path(),
        "s.jsonl",
        &session("s", "/home/eve/app", &calls),
    );
    let args = ["export", "s.jsonl", "--format", "jsonl", "--table", "turns"];
    let streamed = run(folder.path(), &args);
    assert_eq!((streamed.code, streamed.err.as_str()), (0, ""));
    assert_eq!(streamed.out.lines().count(), 20_001);
}

#[test]
fn streamed_turns_go_to_a_file_and_have_a_limit_where_one_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let calls = vec![("ls", "fine"); 20];
    write(
        folder.path(),
        "s.jsonl",
        &session("s", "/home/eve/app", &calls),
    );
    let args = ["export", "s.jsonl", "--format", "jsonl", "--table", "turns"];
    let streamed = run(folder.path(), &args);
    let again = run(folder.path(), &[&args[..], &["--out", "."]].concat());
    assert_eq!((again.code, again.out.as_str()), (0, ""));
    let file = folder.path().join("turns.jsonl");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), streamed.out);
    std::fs::remove_file(file).unwrap();
    let few = run(folder.path(), &[&args[..], &["--max-turns", "7"]].concat());
    assert_eq!(few.out.lines().count(), 7);
    assert!(few.err.contains("13 turns are left out"), "{}", few.err);
    let none = [
        "export", "no.jsonl", "--format", "jsonl", "--table", "turns",
    ];
    let none = run(folder.path(), &none);
    assert_eq!((none.code, none.out.as_str()), (2, ""));
}

#[test]
fn a_secret_of_the_last_line_is_hidden_in_the_first_row() {
    let folder = tempfile::tempdir().unwrap();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let bare = &secret[4..];
    let long = format!("echo {} {bare}", "x".repeat(90 - "echo ".len()));
    let calls = [
        (format!("echo {bare}"), String::new()),
        // The secret crosses the end of what is shown.
        (long, String::new()),
        ("cat .env".to_owned(), format!("TOKEN={secret}")),
    ];
    let calls: Vec<(&str, &str)> = calls.iter().map(|(c, o)| (&**c, &**o)).collect();
    write(
        folder.path(),
        "s.jsonl",
        &session("s", "/home/eve/app", &calls),
    );
    let args = ["export", "s.jsonl", "--format", "jsonl", "--table", "turns"];
    let streamed = run(folder.path(), &args);
    assert_eq!(streamed.out.lines().count(), 3, "{}", streamed.err);
    for length in 8..bare.len() {
        assert!(!streamed.out.contains(&bare[..length]), "{}", streamed.out);
    }
}

#[test]
fn the_order_of_streamed_rows_does_not_depend_on_how_they_interleave() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for part in ["start", "turn", "end"] {
        for n in 0..40 {
            let record = match part {
                "start" => json!({"record": "execution_started", "executionId": format!("e{n}"),
                    "schemaVersion": "1.0", "rootIntent": "do", "fsmVersion": "1"}),
                "turn" => json!({"record": "thought_generated", "executionId": format!("e{n}"),
                    "turnId": 1, "thought": {"reasoning": "r", "done": true}}),
                _ => json!({"record": "execution_ended", "executionId": format!("e{}", 39 - n),
                    "outcome": "goal_satisfied"}),
            };
            text += &format!("{record}\n");
        }
    }
    write(folder.path(), "t.jsonl", &text);
    let args = ["export", "t.jsonl", "--format", "jsonl", "--table", "turns"];
    let streamed = rows(&run(folder.path(), &args).out);
    let ids: Vec<&str> = streamed
        .iter()
        .map(|r| r["execution"].as_str().unwrap())
        .collect();
    let closed: Vec<String> = (0..40).map(|n| format!("e{}", 39 - n)).collect();
    assert_eq!(ids, closed, "in the order in which executions close");
}
