//! Sessions of coding agents: conversions keep the results of a replay, and audits are complete.

use crate::gate_attestation::{ATTEST, KEY, TRUST};
use crate::support::{codes, json_report, run, write};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use yuangs_verify::verify::{Options, Report, verify_reader};

/// The next record of a session.
#[derive(Debug, Clone)]
enum SessionEvent {
    Call(u8, u8),
    Result(u8, u8),
    Text(bool),
    Summary,
}

fn session_events() -> impl Strategy<Value = SessionEvent> {
    prop_oneof![
        4 => (0..6u8, 0..8u8).prop_map(|(id, what)| SessionEvent::Call(id, what)),
        4 => (0..6u8, 0..7u8).prop_map(|(id, how)| SessionEvent::Result(id, how)),
        1 => any::<bool>().prop_map(SessionEvent::Text),
        1 => Just(SessionEvent::Summary),
    ]
}

fn input(what: u8) -> (&'static str, Value) {
    match what {
        0 => ("Bash", json!({"command": "ls"})),
        1 => ("Bash", json!({"command": "rm -rf /srv/data"})),
        2 => (
            "Write",
            json!({"file_path": "/home/eve/app/a.rs", "content": "x"}),
        ),
        3 => (
            "Write",
            json!({"file_path": "/home/eve/.profile", "content": "x"}),
        ),
        4 => ("Read", json!({"file_path": "src/a.rs"})),
        5 => ("mcp__files__remove", json!({"path": "b"})),
        6 => (
            "Edit",
            json!({"file_path": "/home/eve/app/a.rs", "old_string": "a", "new_string": "b"}),
        ),
        _ => ("Bash", json!(["no", "object"])),
    }
}

fn result(how: u8) -> (Value, Option<Value>) {
    let denied = "The user doesn't want to proceed with this tool use. It was rejected.";
    match how {
        0 => (json!({"content": "fine"}), None),
        1 => (json!({"content": "broken", "is_error": true}), None),
        2 => (
            json!({"content": denied, "is_error": true}),
            Some(json!("User rejected tool use")),
        ),
        3 => (json!({"content": denied, "is_error": true}), None),
        4 => (
            json!({"content": [{"type": "text", "text": "cut"}]}),
            Some(json!({"interrupted": true})),
        ),
        5 => (
            json!({"content": denied, "is_error": true}),
            Some(json!(format!("Error: {denied}"))),
        ),
        _ => (
            json!({"content": "edited"}),
            Some(json!({
                "filePath": "/home/eve/app/a.rs",
                "structuredPatch": [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}],
            })),
        ),
    }
}

/// Builds a session in the format of Claude Code.
fn session(all: &[SessionEvent]) -> String {
    let mut text = String::new();
    for (n, event) in all.iter().enumerate() {
        let mut record = match event {
            SessionEvent::Call(id, what) => {
                let (name, input) = input(*what);
                json!({"type": "assistant", "message": {"role": "assistant", "content": [
                    {"type": "text", "text": "Now this."},
                    {"type": "tool_use", "id": format!("c{id}"), "name": name, "input": input},
                ]}})
            }
            SessionEvent::Result(id, how) => {
                let (mut block, beside) = result(*how);
                block["type"] = "tool_result".into();
                block["tool_use_id"] = format!("c{id}").into();
                let mut record =
                    json!({"type": "user", "message": {"role": "user", "content": [block]}});
                if let Some(beside) = beside {
                    record["toolUseResult"] = beside;
                }
                record
            }
            SessionEvent::Text(asked) => {
                let kind = if *asked { "user" } else { "assistant" };
                json!({"type": kind, "message": {"role": kind, "content": "Words."}})
            }
            SessionEvent::Summary => {
                json!({"type": "summary", "leafUuid": "x", "summary": "Words."})
            }
        };
        if !matches!(event, SessionEvent::Summary) {
            record["uuid"] = format!("u{n}").into();
            record["sessionId"] = "s1".into();
            record["cwd"] = "/home/eve/app".into();
            record["timestamp"] = format!("2026-03-01T10:{:02}:00Z", n % 60).into();
        }
        text += &record.to_string();
        text.push('\n');
    }
    text
}

/// Returns what two reports must have in common: verdicts, counts, and findings without places.
fn comparable(report: &Report) -> (Vec<String>, BTreeSet<String>) {
    let summaries = report.summaries.iter().map(|s| {
        format!(
            "{} {:?} {} {} {}",
            s.id, s.verdict, s.turns, s.actions, s.decisions
        )
    });
    // The note about what a format doesn't record names the format.
    let findings = report
        .findings
        .iter()
        .filter(|f| f.code.0 != 212)
        .map(|f| format!("{} {:?} {:?} {}", f.code, f.severity, f.turn, f.message));
    (summaries.collect(), findings.collect())
}

fn converted(folder: &Path, text: &str) -> String {
    let (from, to) = (folder.join("s.jsonl"), folder.join("out.jsonl"));
    std::fs::write(&from, text).unwrap();
    let _ = std::fs::remove_file(&to);
    let done = run(folder, &["convert", "s.jsonl", "-o", "out.jsonl"]);
    assert!(matches!(done.code, 0 | 3), "{}", done.err);
    std::fs::read_to_string(to).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_conversion_is_what_was_replayed(all in prop::collection::vec(session_events(), 1..24)) {
        let folder = tempfile::tempdir().unwrap();
        let text = session(&all);
        let own = verify_reader("s.jsonl", text.as_bytes(), &Options::default());
        let other = converted(folder.path(), &text);
        let options = Options::default();
        let other = verify_reader("out.jsonl", other.as_bytes(), &options);
        prop_assert_eq!(comparable(&own), comparable(&other));
        let calls = all.iter().filter(|t| matches!(t, SessionEvent::Call(..))).count() as u64;
        let ran = own.timeline.left_out;
        prop_assert_eq!(ran, 0);
        // Every call is counted, and so is every result without a call.
        let turns: u64 = own.summaries.iter().map(|s| s.turns).sum();
        prop_assert!(turns >= calls, "{} turns of {} calls", turns, calls);
    }

    #[test]
    fn no_line_breaks_the_reader(lines in prop::collection::vec(any_line(), 1..12)) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let report = verify_reader("s.jsonl", text.as_bytes(), &Options::default());
        prop_assert!(report.counts.records <= lines.len() as u64);
    }
}

/// Generates a record in the form of a session, with members of any type.
fn any_line() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z_ ]{0,12}".prop_map(Value::from),
    ];
    let any = leaf.prop_recursive(3, 24, 4, |inner| {
        let names = prop::sample::select(vec![
            "type",
            "id",
            "name",
            "input",
            "content",
            "text",
            "tool_use_id",
            "is_error",
            "message",
            "command",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((names, inner), 0..5).prop_map(|members| {
                members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()
            }),
        ]
    });
    (any.clone(), any.clone(), any).prop_map(|(message, beside, uuid)| {
        json!({"type": "user", "sessionId": "s", "uuid": uuid, "message": message, "toolUseResult": beside})
    })
}

#[test]
fn a_document_on_several_lines_is_converted_to_lines() {
    let folder = tempfile::tempdir().unwrap();
    let document = json!({"messages": [
        {"role": "assistant", "tool_calls": [
            {"id": "a", "function": {"name": "remove_file", "arguments": {"path": "/srv/x", "note": "a\nb"}}},
        ]},
        {"role": "tool", "tool_call_id": "a", "content": "gone"},
    ]});
    let text = serde_json::to_string_pretty(&document).unwrap();
    let own = verify_reader("s.jsonl", text.as_bytes(), &Options::default());
    let lines = converted(folder.path(), &text);
    assert_eq!(lines.lines().count(), 2, "{lines}");
    let other = verify_reader("out.jsonl", lines.as_bytes(), &Options::default());
    assert_eq!(comparable(&own), comparable(&other));
    assert!(own.findings.iter().any(|f| f.code.0 == 703));
}

/// Builds an OTLP log of decisions about calls.
fn telemetry(decisions: &[(&str, &str, &str)]) -> String {
    let text = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let records: Vec<Value> = decisions
        .iter()
        .map(|(call, decision, source)| {
            json!({
                "timeUnixNano": "1764000000000000000",
                "body": {"stringValue": "claude_code.tool_decision"},
                "attributes": [
                    text("session.id", "s1"), text("tool_name", "Bash"), text("tool_use_id", call),
                    text("decision", decision), text("source", source),
                ],
            })
        })
        .collect();
    json!({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}).to_string()
}

#[test]
fn decisions_beside_a_session_are_joined_by_call() {
    let folder = tempfile::tempdir().unwrap();
    let all = [
        SessionEvent::Call(1, 0),
        SessionEvent::Result(1, 0),
        SessionEvent::Call(2, 0),
        SessionEvent::Result(2, 0),
        SessionEvent::Call(3, 0),
        SessionEvent::Result(3, 2),
    ];
    write(folder.path(), "s.jsonl", &session(&all));
    let judged = |decisions: &[(&str, &str, &str)]| {
        write(folder.path(), "d.json", &telemetry(decisions));
        let args = ["replay", "s.jsonl", "--decisions", "d.json"];
        let (code, report) = json_report(folder.path(), &args);
        let authorised = report["executions"][0]["verdict"]["authorised"].clone();
        let codes: Vec<String> = codes(&report)
            .into_iter()
            .filter(|code| *code != "YV212")
            .map(str::to_owned)
            .collect();
        (code, authorised, codes)
    };
    let (one, two) = (
        ("c1", "accept", "config"),
        ("c2", "accept", "user_temporary"),
    );
    let refused = ("c3", "reject", "user_reject");
    assert_eq!(judged(&[one, two, refused]), (0, json!("yes"), vec![]));
    assert_eq!(judged(&[one, refused]), (0, json!("not recorded"), vec![]));
    let (code, authorised, codes) = judged(&[("c1", "reject", "user_reject"), two, refused]);
    assert_eq!((code, authorised), (1, json!("no")));
    assert!(codes.contains(&"YV309".to_owned()), "{codes:?}");
    // The opposite of the session's own record, and a call that isn't in the session.
    let opposite = judged(&[one, two, ("c3", "accept", "config")]);
    assert_eq!(opposite, (1, json!("no"), vec!["YV328".to_owned()]));
    let missing = judged(&[one, two, refused, ("c9", "accept", "config")]);
    assert_eq!((missing.0, missing.2), (1, vec!["YV328".to_owned()]));
    for text in ["", "{}", "{\"resourceLogs\":["] {
        write(folder.path(), "d.json", text);
        let bad = run(
            folder.path(),
            &["replay", "s.jsonl", "--decisions", "d.json"],
        );
        assert_eq!(bad.code, 2, "{text}: {}", bad.out);
    }
}

#[test]
fn an_audit_finds_the_sessions_of_the_folder_it_runs_in() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("app").canonicalize();
    assert!(folder.is_err());
    std::fs::create_dir(home.path().join("app")).unwrap();
    let folder = home.path().join("app").canonicalize().unwrap();
    let audit = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_yuangs-verify"))
            .arg("audit")
            .args(args)
            .env("HOME", home.path())
            .current_dir(&folder)
            .output()
            .unwrap()
    };
    let nothing = audit(&[]);
    assert_eq!(nothing.status.code(), Some(3));

    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = folder.to_str().unwrap().chars().map(plain).collect();
    let projects = home.path().join(".claude/projects").join(name);
    std::fs::create_dir_all(&projects).unwrap();
    let all = [
        SessionEvent::Call(1, 1),
        SessionEvent::Result(1, 2),
        SessionEvent::Call(2, 1),
        SessionEvent::Result(2, 0),
    ];
    let text = session(&all).replace("/home/eve/app", folder.to_str().unwrap());
    std::fs::write(projects.join("s1.jsonl"), text).unwrap();
    let shown = audit(&["--since", "all"]);
    let screen = String::from_utf8(shown.stdout).unwrap();
    assert!(
        screen.starts_with("1 session (claude-code 1), 2 calls"),
        "{screen}"
    );
    assert!(screen.contains("$ rm -rf /srv/data"), "{screen}");
    assert!(
        screen.contains("Rejected: 1 call (1 by people)"),
        "{screen}"
    );
    assert!(screen.contains("Not recorded: "), "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 110));

    // Its times are more than a week ago.
    let recent = audit(&["--since", "1h"]);
    assert_eq!(recent.status.code(), Some(3));
    // A session of another directory isn't shown.
    let other = session(&all);
    std::fs::write(projects.join("s1.jsonl"), other).unwrap();
    let elsewhere = audit(&["--since", "all"]);
    assert_eq!(elsewhere.status.code(), Some(3));
}

/// Writes events of `OpenHands`, one per file.
fn write_events(folder: &Path, session: &str) {
    let mut events =
        vec![json!({"id": 0, "source": "user", "action": "message", "args": {"content": "Count"}})];
    for n in 1..=6 {
        let command = format!("ls {n}");
        events.push(json!({"id": 2 * n - 1, "source": "agent", "action": "run", "args": {"command": command}}));
        events.push(json!({"id": 2 * n, "source": "agent", "cause": 2 * n - 1, "observation": "run", "content": "ok", "extras": {"metadata": {"exit_code": 0}}}));
    }
    for (n, event) in events.iter().enumerate() {
        write(
            folder,
            &format!("{session}/events/{n}.json"),
            &format!("{event:#}\r\n"),
        );
    }
}

#[test]
fn events_in_files_of_their_own_are_one_session() {
    let folder = tempfile::tempdir().unwrap();
    write_events(folder.path(), "logs/a");
    write_events(folder.path(), "logs/b");
    let chat = r#"[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]"#;
    for other in ["logs/a/events/01.json", "logs/c/0.json", "logs/c/1.json"] {
        write(folder.path(), other, chat);
    }
    write(
        folder.path(),
        "yuangs-verify.toml",
        "[traces]\npaths = ['logs']\n",
    );
    // The format records no decisions, which a gate needs.
    for (command, exit) in [(&["replay", "logs"][..], 0), (&["gate"], 3)] {
        let (code, report) = json_report(folder.path(), command);
        assert_eq!(code, exit, "{report:#}");
        let inputs = report["inputs"].as_array().unwrap().iter();
        let inputs: Vec<_> = inputs
            .map(|i| {
                (
                    i["path"].as_str().unwrap(),
                    i["units"].as_u64(),
                    i["steps"].as_u64(),
                )
            })
            .collect();
        let expected = [
            ("logs/a/events", Some(13), Some(13)),
            ("logs/a/events/01.json", Some(1), Some(1)),
            ("logs/b/events", Some(13), Some(13)),
            ("logs/c/0.json", Some(1), Some(1)),
            ("logs/c/1.json", Some(1), Some(1)),
        ];
        assert_eq!(inputs, expected, "{command:?}");
        let executions = report["executions"].as_array().unwrap();
        assert_eq!(executions[0]["turns"], 6);
        assert!(
            codes(&report).iter().all(|code| *code == "YV212"),
            "{report:#}"
        );
    }
    // An unreadable event, and a missing one.
    write(folder.path(), "logs/a/events/11.json", "{\"id\": 11,");
    std::fs::remove_file(folder.path().join("logs/b/events/2.json")).unwrap();
    let (code, report) = json_report(folder.path(), &["replay", "logs/a", "logs/b/events"]);
    let findings = report["findings"].as_array().unwrap().iter();
    let found: Vec<_> = findings
        .filter(|f| f["code"] != "YV212")
        .map(|f| {
            (
                f["code"].as_str().unwrap(),
                f["file"].as_str().unwrap(),
                f["line"].as_u64(),
            )
        })
        .collect();
    let expected = [
        ("YV102", "logs/a/events", Some(12)),
        ("YV327", "logs/a/events", Some(13)),
        ("YV325", "logs/b/events", Some(2)),
    ];
    assert_eq!((code, found), (1, expected.to_vec()), "{report:#}");
    for (name, code) in [
        ("11.json", "YV102"),
        ("12.json", "YV327"),
        ("1.json", "YV325"),
    ] {
        let mut findings = report["findings"].as_array().unwrap().iter();
        let finding = findings.find(|f| f["code"] == code).unwrap();
        let message = finding["message"].as_str().unwrap();
        assert!(message.ends_with(&format!(" (in `{name}`)")), "{message}");
    }
    // A file that is named directly is read alone.
    let (_, report) = json_report(folder.path(), &["replay", "logs/b/events/1.json"]);
    assert_eq!(report["inputs"][0]["path"], "logs/b/events/1.json");
}

#[test]
fn events_of_the_sdk_in_files_of_their_own_are_one_session() {
    let folder = tempfile::tempdir().unwrap();
    let event = |n: usize, kind: &str, more: Value| {
        let mut event = json!({"id": format!("e{n}"), "timestamp": "2026-01-05T08:00:00", "source": "agent", "kind": kind});
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        // Two events with the same number are both read.
        let path = format!("c/events/event-{:05}-{n:04}.json", n.min(3));
        write(folder.path(), &path, &event.to_string());
    };
    event(0, "SystemPromptEvent", json!({}));
    for (n, id, command) in [(1, "c1", "ls"), (3, "c2", "pwd")] {
        event(
            n,
            "ActionEvent",
            json!({"tool_name": "terminal", "tool_call_id": id, "action": {"command": command}}),
        );
        event(
            n + 1,
            "ObservationEvent",
            json!({"tool_name": "terminal", "tool_call_id": id, "observation": {"content": "x", "exit_code": 0}}),
        );
    }
    let (code, report) = json_report(folder.path(), &["replay", "c"]);
    assert_eq!((code, codes(&report)), (0, vec!["YV212"]), "{report:#}");
    assert_eq!(report["inputs"][0]["path"], "c/events");
    assert_eq!(report["inputs"][0]["units"], 5);
    assert_eq!(report["executions"][0]["turns"], 2);
}

#[test]
fn an_attestation_covers_every_event() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write_events(root, "logs/a");
    write(root, "yuangs-verify.toml", "[traces]\npaths = ['logs']\n");
    write(root, "key.pem", KEY);
    write(root, "trust.json", TRUST);
    let gate = [&["gate"], &ATTEST[..]].concat();
    assert_eq!(run(root, &gate).code, 3);
    let verify = || {
        let keys = ["--keys", "trust.json", "--signer", "the gate"];
        run(root, &[&["attest", "verify", "a.json"], &keys[..]].concat()).out
    };
    let changed = "logs/a/events/7.json isn't what was attested";
    let before = verify();
    assert!(
        before.contains("undecided") && !before.contains(changed),
        "{before}"
    );
    write(root, "logs/a/events/7.json", "{}");
    let after = verify();
    assert!(after.contains(changed), "{after}");
}

/// Builds a conversation with two calls, one of which failed.
fn conversation() -> Value {
    json!([
        {"role": "user", "content": "Pay"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "get_bill", "arguments": "{\"n\": 1}"}},
            {"id": "c2", "type": "function", "function": {"name": "get_iban", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "c2", "name": "get_iban", "content": "Error: none"},
        {"role": "tool", "tool_call_id": "c1", "name": "get_bill", "content": "98.70"},
        {"role": "assistant", "content": "Done", "tool_calls": null},
    ])
}

#[test]
fn conversations_of_one_file_are_told_apart() {
    let run = |task: u64, trial: u64| json!({"task_id": task, "reward": 1.0, "info": {}, "traj": conversation(), "trial": trial});
    let failed =
        json!({"task_id": 9, "reward": 0.0, "info": {"error": "x"}, "traj": [], "trial": 0});
    let runs = json!([run(0, 0), run(1, 0), failed, run(0, 1)]);
    let alone = json!({"messages": conversation()});
    let chats = json!([alone, alone, alone]);
    for (document, names) in [
        (&runs, ["s/0#0", "s/0#1", "s/1#0"]),
        (&chats, ["s", "s:1", "s:1#2"]),
    ] {
        let text = document.to_string();
        let report = verify_reader("s.json", text.as_bytes(), &Options::default());
        let mut found: Vec<_> = report.summaries.iter().map(|s| (&*s.id, s.turns)).collect();
        found.sort_unstable();
        assert_eq!(found, names.map(|name| (name, 2)));
        assert!(report.findings.iter().all(|f| f.code.0 == 212));
        let units = report.inputs[0].units;
        assert_eq!((units.steps, units.refused), (3, 0));
    }
}

#[test]
fn calls_of_agent_dojo_are_paired() {
    let call = |id: &str| json!({"function": "send", "args": {"to": id}, "id": id, "placeholder_args": null});
    let document = json!({
        "suite_name": "banking", "pipeline_name": "p", "user_task_id": "u", "injection_task_id": null,
        "attack_type": null,
        "messages": [
            {"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]},
            {"role": "tool", "tool_call_id": "a", "tool_call": call("a"), "content": "sent", "error": null},
            {"role": "tool", "tool_call_id": "b", "tool_call": call("b"), "content": "", "error": "ValueError"},
        ],
        "error": null, "utility": true, "security": true, "duration": 1.5,
    });
    let folder = tempfile::tempdir().unwrap();
    let calls = converted(folder.path(), &document.to_string());
    let calls: Vec<Value> = calls
        .lines()
        .skip(1)
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let told = calls.iter().map(|call| {
        (
            &call["callId"],
            &call["outcome"],
            &call["action"]["payload"]["parameters"]["to"],
        )
    });
    let expected =
        [("a", "ok"), ("b", "error")].map(|(id, how)| (json!(id), json!(how), json!(id)));
    assert!(
        told.eq(expected.iter().map(|(id, how, to)| (id, how, to))),
        "{calls:?}"
    );
}
