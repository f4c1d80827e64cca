//! Decisions, results and records that contradict each other.

use super::SESSIONS;
use crate::trace::entry::Entry;
use crate::trace::formats::session::claude_code::FORMAT as CLAUDE_CODE;
use crate::trace::formats::session::codex::FORMAT as CODEX;
use crate::trace::formats::session::codex_log::FORMAT as CODEX_LOG;
use crate::trace::formats::session::inspect::FORMAT as INSPECT;
use crate::trace::formats::session::messages::FORMAT as MESSAGES;
use crate::trace::formats::session::otlp::FORMAT as OTLP;
use crate::trace::formats::session::tests::{calls, records};
use crate::trace::formats::{OwnCalls, TraceFormat};
use serde_json::{Value, json};
use strict_json::Scanner;

fn call(id: &str) -> Value {
    json!({"type": "assistant", "sessionId": "s", "message": {"content": [
        {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "make"}},
    ]}})
}

/// Returns a result, with the program's mark if there is one.
fn result(id: &str, failed: bool, denial: Option<&str>) -> Value {
    json!({"type": "user", "sessionId": "s", "toolDenialKind": denial, "message": {"content": [
        {"type": "tool_result", "tool_use_id": id, "is_error": failed, "content": "x"},
    ]}})
}

#[test]
fn a_call_with_a_rejection_and_a_success_was_rejected_and_ran() {
    let rejected = || result("a", true, Some("user-rejected"));
    let ok = || result("a", false, None);
    let both = "s a - - rejected/human ok";
    let cases: [(Vec<Value>, &[&str]); 5] = [
        (
            vec![rejected(), ok(), ok()],
            &["s a Bash shell_cmd rejected/human not_executed", both],
        ),
        (
            vec![ok(), rejected(), rejected()],
            &["s a Bash shell_cmd -/- ok", both],
        ),
        // A repeated result adds nothing.
        (
            vec![rejected(), rejected()],
            &["s a Bash shell_cmd rejected/human not_executed"],
        ),
        // The error may be the rejection itself.
        (
            vec![rejected(), result("a", true, None)],
            &[
                "s a Bash shell_cmd rejected/human not_executed",
                "s a - - -/- error",
            ],
        ),
        // Another call under the same id is a different call.
        (
            vec![rejected(), call("a"), ok()],
            &[
                "s a Bash shell_cmd rejected/human not_executed",
                "s a#2 Bash shell_cmd -/- ok",
            ],
        ),
    ];
    for (mut lines, expected) in cases {
        lines.insert(0, call("a"));
        assert_eq!(calls(&CLAUDE_CODE, &lines), expected, "{lines:#?}");
    }
}

#[test]
fn a_mark_beside_several_results_is_about_none_for_certain() {
    let both = |denial: &str| {
        json!({"type": "user", "sessionId": "s", "toolDenialKind": denial, "message": {"content": [
            {"type": "tool_result", "tool_use_id": "a", "is_error": true, "content": "Exit code 1"},
            {"type": "tool_result", "tool_use_id": "b", "content": "x"},
        ]}})
    };
    for denial in ["user-rejected", ""] {
        assert_eq!(
            calls(&CLAUDE_CODE, &[call("a"), call("b"), both(denial)]),
            ["s a Bash shell_cmd -/- error", "s b Bash shell_cmd -/- ok"],
            "{denial}"
        );
    }
    let lines = [call("a"), result("a", false, Some(""))];
    assert_eq!(calls(&CLAUDE_CODE, &lines), ["s a Bash shell_cmd -/- ok"]);
}

#[test]
fn a_mark_beside_a_success_is_a_rejection_that_was_not_obeyed() {
    for (denial, expected) in [
        ("user-rejected", "rejected/human ok"),
        ("some-new-kind", "rejected/policy ok"),
        ("interrupted", "-/- interrupted"),
        ("cancelled", "-/- ok"),
    ] {
        let lines = [call("a"), result("a", false, Some(denial))];
        let expected = format!("s a Bash shell_cmd {expected}");
        assert_eq!(calls(&CLAUDE_CODE, &lines), [expected]);
    }
}

/// Returns a record of the agent or of a sub-agent, which may have another working directory.
fn part(agent: Option<&str>, cwd: Option<&str>, mut record: Value) -> Value {
    record["agentId"] = agent.into();
    record["cwd"] = cwd.into();
    record
}

#[test]
fn a_rejection_holds_for_all_parts_of_a_session() {
    let main = (None, Some("/w"));
    let sub = (Some("x"), None);
    let elsewhere = (Some("y"), Some("/v"));
    for (first, second, expected) in [
        (main, sub, Some("a")),
        (sub, main, Some("a")),
        // The replay finds repetitions within one part; a command in another directory is another
        // command.
        (main, main, None),
        (main, elsewhere, None),
        (elsewhere, (Some("z"), Some("/v")), Some("a")),
    ] {
        let lines = [
            part(
                main.0,
                main.1,
                json!({"type": "user", "sessionId": "s", "message": {"content": "x"}}),
            ),
            part(first.0, first.1, call("a")),
            part(first.0, first.1, result("a", true, Some("user-rejected"))),
            part(second.0, second.1, call("b")),
            part(second.0, second.1, result("b", false, None)),
        ];
        let all = records(&CLAUDE_CODE, &lines);
        let again = all.iter().find(|record| record["callId"] == "b").unwrap();
        assert_eq!(
            again["rejectedBefore"].as_str(),
            expected,
            "{first:?} {second:?}"
        );
        let starts = all
            .iter()
            .filter(|record| record["record"] == "execution_started");
        for start in starts {
            let is_part = start["executionId"] != "s";
            assert_eq!(start["parent"] == "s", is_part, "{start}");
            let own = start["executionId"].as_str().is_some_and(|id| id > "s/x");
            assert_eq!(start["workdir"], if own { "/v" } else { "/w" }, "{start}");
        }
    }
}

#[test]
fn a_number_for_a_call_is_no_id_that_is_taken() {
    let lines = json!([{"role": "assistant", "tool_calls": [
        {"id": "2", "function": {"name": "f"}},
        {"function": {"name": "g"}},
        {"function": {"name": "h"}},
    ]}]);
    assert_eq!(
        calls(&MESSAGES, &[lines]),
        [
            "file 2 f tool_call -/- open",
            "file 2#2 g tool_call -/- open",
            "file 3 h tool_call -/- open",
        ]
    );
}

#[test]
fn the_tool_that_ran_counts() {
    let log = |event: &str, tool: &str, more: &[(&str, &str)]| {
        let mut attributes = vec![json!({"key": "event.name", "value": {"stringValue": event}})];
        for (key, value) in [("tool_name", tool), ("tool_use_id", "a")]
            .iter()
            .chain(more)
        {
            attributes.push(json!({"key": key, "value": {"stringValue": value}}));
        }
        json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [{"attributes": attributes}]}]}]})
    };
    let decided = [("decision", "accept"), ("source", "user_temporary")];
    let lines = [
        log("tool_decision", "Read", &decided),
        log(
            "tool_result",
            "Bash",
            &[("tool_input", r#"{"command":"make"}"#)],
        ),
    ];
    assert_eq!(
        calls(&OTLP, &lines),
        ["file a Bash shell_cmd approved/human ok contradicted"]
    );
}

fn span(attributes: &[(&str, &str)]) -> Value {
    let attributes: Vec<Value> = attributes
        .iter()
        .map(|(key, value)| json!({"key": key, "value": {"stringValue": value}}))
        .collect();
    let span = json!({"traceId": "t", "name": "x", "attributes": attributes});
    json!({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
}

#[test]
fn calls_of_a_models_span_are_counted_unless_a_tool_has_them() {
    let messages = concat!(
        r#"[{"role":"assistant","parts":[{"type":"tool_call","id":"a","name":"bash","#,
        r#""arguments":{"cmd":"ls"}}]}]"#,
    );
    let models = [
        span(&[
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.output.messages", messages),
        ]),
        span(&[
            ("openinference.span.kind", "LLM"),
            (
                "llm.output_messages.0.message.tool_calls.0.tool_call.id",
                "a",
            ),
            (
                "llm.output_messages.0.message.tool_calls.0.tool_call.function.name",
                "bash",
            ),
            (
                "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments",
                r#"{"cmd":"ls"}"#,
            ),
        ]),
        span(&[
            ("gen_ai.completion.0.tool_calls.0.id", "a"),
            ("gen_ai.completion.0.tool_calls.0.name", "bash"),
            (
                "gen_ai.completion.0.tool_calls.0.arguments",
                r#"{"cmd":"ls"}"#,
            ),
        ]),
    ];
    let tool = |more: &[(&str, &str)]| {
        span(
            &[
                &[
                    ("gen_ai.operation.name", "execute_tool"),
                    ("gen_ai.tool.name", "bash"),
                ],
                more,
            ]
            .concat(),
        )
    };
    let asked = "t a bash shell_cmd -/- not_recorded";
    for model in models {
        assert_eq!(calls(&OTLP, &[model.clone(), model.clone()]), [asked]);
        for more in [&[("gen_ai.tool.call.id", "a")][..], &[]] {
            // The tool has the arguments of the request.
            let id = more.first().map_or("1", |(_, id)| id);
            let both = [model.clone(), tool(more)];
            assert_eq!(
                calls(&OTLP, &both),
                [format!("t {id} bash shell_cmd -/- ok")]
            );
            // Nor is a history that repeats the request another call.
            let again = [model.clone(), tool(more), model.clone()];
            assert_eq!(calls(&OTLP, &again).len(), 1);
            // A later request isn't lost.
            let both = calls(&OTLP, &[tool(more), model.clone()]);
            assert_eq!(both.len(), 2, "{both:?}");
            assert!(both[1].contains("shell_cmd"), "{both:?}");
        }
        for (more, expected) in [
            (
                &[("gen_ai.tool.call.arguments", r#"{ "cmd": "ls" }"#)][..],
                vec!["t 1 bash shell_cmd -/- ok"],
            ),
            (
                &[("gen_ai.tool.call.arguments", r#"{"cmd":"rm a"}"#)],
                vec!["t 1 bash shell_cmd -/- ok", asked],
            ),
        ] {
            for lines in [[tool(more), model.clone()], [model.clone(), tool(more)]] {
                assert_eq!(calls(&OTLP, &lines), expected, "{lines:?}");
            }
        }
    }
}

#[test]
fn a_full_command_is_that_of_a_shell() {
    let result = |tool: &str, given: &[(&str, &str)]| {
        let mut attributes =
            vec![json!({"key": "event.name", "value": {"stringValue": "tool_result"}})];
        for (key, value) in [("tool_name", tool)].iter().chain(given) {
            attributes.push(json!({"key": key, "value": {"stringValue": value}}));
        }
        json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [{"attributes": attributes}]}]}]})
    };
    let full = r#"{"bash_command":"rm","full_command":"rm -r a"}"#;
    for (tool, given, expected) in [
        (
            "Bash",
            &[("tool_parameters", full)][..],
            r#"{"command":"rm -r a"}"#,
        ),
        (
            "Bash",
            &[("tool_input", "{}"), ("tool_parameters", full)],
            r#"{"command":"rm -r a"}"#,
        ),
        (
            "mcp__a__b",
            &[("tool_parameters", full)],
            r#"{"parameters":{"bash_command":"rm","full_command":"rm -r a"},"tool":"mcp__a__b"}"#,
        ),
    ] {
        let all = records(&OTLP, &[result(tool, given)]);
        assert_eq!(
            all[1]["action"]["payload"].to_string(),
            expected,
            "{given:?}"
        );
    }
}

#[test]
fn an_event_of_codex_without_an_item_is_a_call() {
    let record = |kind: &str, payload: &Value| {
        json!({"timestamp": "2026-02-03T10:00:00Z", "type": kind,
            "payload": payload})
    };
    let end = |id: &str, more: Value| {
        let mut event = json!({"type": "exec_command_end", "call_id": id, "command": ["bash",
            "-lc", "ls"], "cwd": "/w", "exit_code": 1, "stdout": "x"});
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        record("event_msg", &event)
    };
    let item = json!({"type": "function_call", "name": "shell",
        "arguments": r#"{"command":["ls"]}"#, "call_id": "a"});
    let output = json!({"type": "function_call_output", "call_id": "a", "output": "Exit code: 1\nOutput:\n"});
    let lines = [
        end("a", json!({})),
        record("response_item", &item),
        end("a", json!({})),
        record("response_item", &output),
        end("b", json!({})),
        end("b", json!({})),
        end("c", json!({"status": "declined"})),
        end("d", json!({"source": "user_shell"})),
        record(
            "event_msg",
            &json!({"type": "mcp_tool_call_end", "call_id": "e", "invocation": {"server": "s",
                "tool": "t"}, "result": {"Ok": {"content": []}}}),
        ),
    ];
    assert_eq!(
        calls(&CODEX, &lines),
        [
            "file a shell shell_cmd -/- error 1",
            "file b shell shell_cmd -/- error 1",
            "file c shell shell_cmd rejected/policy error 1",
            "file e mcp__s__t tool_call -/- ok",
        ]
    );
}

/// Returns the messages of problems in lines.
fn problems(format: &dyn TraceFormat, lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut reader = format.reader("file", &OwnCalls::default());
    let mut all = Vec::new();
    let mut take = |fed: crate::trace::formats::RoutedRecord<'_, '_>| {
        all.extend(fed.problem.map(|problem| problem.message));
    };
    for (line, n) in lines.zip(1..) {
        let mut entry = Entry::unread((n, 0), &line, Vec::new(), Vec::new());
        entry.record = format.read(&mut Scanner::new(&line, 64), &line).unwrap();
        reader.feed(&entry, &mut take);
    }
    reader.finish(&mut take);
    all
}

#[test]
fn lists_that_are_not_read_are_reported() {
    let sample = r#"{"id":1,"epoch":1,"input":"","target":"","messages":[MESSAGE]}"#;
    let message = r#"{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]}"#;
    let sample = sample.replace("MESSAGE", message);
    for (text, expected) in [
        (
            format!("[{sample}]"),
            Some("this list of `inspect` records isn't read"),
        ),
        (
            format!("[7,{message}]"),
            Some("looks like one of `messages`"),
        ),
        (message.to_owned(), Some("looks like one of `messages`")),
        (
            r#"[{"id":1,"epoch":1,"input":"","target":""}]"#.to_owned(),
            None,
        ),
        (r#"[{"role":"user","content":"x"}]"#.to_owned(), None),
    ] {
        let found = problems(&INSPECT, std::iter::once(text.clone()));
        assert_eq!(found.len(), usize::from(expected.is_some()), "{text}");
        assert!(
            expected.is_none_or(|words| found[0].contains(words)),
            "{found:?}"
        );
    }
}

#[test]
fn sessions_that_are_too_many_are_reported_once() {
    let line = |n: usize| {
        let message = json!({"content": "x"});
        json!({"type": "user", "sessionId": n.to_string(), "message": message}).to_string()
    };
    let lines = |n: usize| (0..n).map(line);
    assert_eq!(problems(&CLAUDE_CODE, lines(SESSIONS)), [""; 0]);
    let found = problems(&CLAUDE_CODE, lines(SESSIONS + 2));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("more than"), "{found:?}");
}

#[test]
fn rules_of_claude_code_reject_and_other_errors_do_not() {
    let call = |tool: &str| {
        let block = json!({"type": "tool_use", "id": "a", "name": tool, "input": {}});
        json!({"type": "assistant", "sessionId": "s", "message": {"content": [block]}})
    };
    let result = |text: &str| {
        let block = json!({"type": "tool_result", "tool_use_id": "a", "is_error": true,
            "content": text});
        json!({"type": "user", "sessionId": "s", "toolUseResult": format!("Error: {text}"),
            "message": {"content": [block]}})
    };
    let cases = [
        (
            "Permission to use Bash with command curl x has been denied.",
            "rejected/policy not_executed",
        ),
        (
            "Claude requested permissions to write to /a, but you haven't granted it yet.",
            "rejected/policy not_executed",
        ),
        (
            "Permission for this tool use was denied. The tool use was rejected (eg. x)",
            "rejected/human not_executed",
        ),
        (
            "The agent proposed a plan that was rejected by the user. x",
            "rejected/human not_executed",
        ),
        (
            "Exit code 1\nPermission to use x has been denied",
            "-/- error",
        ),
    ];
    for (text, expected) in cases {
        let told = calls(&CLAUDE_CODE, &[call("Write"), result(text)]);
        assert!(told[0].ends_with(expected), "{told:?}");
        // A server may print the same text.
        let told = calls(&CLAUDE_CODE, &[call("mcp__s__t"), result(text)]);
        assert!(!told[0].contains("rejected/"), "{told:?}");
    }
}

/// A hook may have changed what a tool did.
#[test]
fn a_file_that_a_call_changed_without_naming_it_is_shown() {
    let session = |changed: &str| {
        let called = json!({"type": "assistant", "sessionId": "s", "cwd": "/w", "message": {
            "content": [{"type": "tool_use", "id": "a", "name": "Edit", "input": {
                "file_path": "/w/a", "old_string": "a", "new_string": "b",
            }}],
        }});
        let hunk = json!({
            "oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"],
        });
        let mut ended = result("a", false, None);
        ended["toolUseResult"] = json!({"filePath": changed, "structuredPatch": [hunk]});
        Value::from(records(&CLAUDE_CODE, &[called, ended])).to_string()
    };
    let elsewhere = session("/home/u/.bashrc");
    assert!(
        elsewhere.contains(r#""path":"/home/u/.bashrc""#),
        "{elsewhere}"
    );
    let named = session("/w/a");
    assert!(
        named.contains("code_diff") && !named.contains(r#""path":"#),
        "{named}"
    );
}

#[test]
fn an_unknown_call_under_the_id_of_another_tool_is_counted() {
    let known = |id: &str| {
        let call = json!({"id": id, "function": {"name": "f", "arguments": "{}"}});
        json!({"role": "assistant", "tool_calls": [call]})
    };
    let unknown = |tool: &str| {
        let call = json!({"type": "new_tool_call", "id": "a", "name": tool, "args": {"b": 1}});
        json!({"role": "assistant", "content": [call]})
    };
    let count = |messages: &[Value]| calls(&MESSAGES, messages).len();
    assert_eq!(count(&[known("a"), unknown("f")]), 1);
    assert_eq!(count(&[known("a"), unknown("bash")]), 2);
    assert_eq!(count(&[unknown("bash"), known("a")]), 2);
    assert_eq!(count(&[known("b"), unknown("f")]), 2);
}

#[test]
fn an_answer_in_a_log_of_codex_is_to_a_question_of_its_turn() {
    let line = |dir: &str, kind: &str, payload: Value| json!({"ts": "2026-01-01T00:00:00Z", "dir": dir, "kind": kind, "payload": payload});
    let asked = |turn: &str, id: &str| {
        let message = json!({"type": "exec_approval_request", "call_id": id, "command": ["x"]});
        line("to_tui", "codex_event", json!({"id": turn, "msg": message}))
    };
    let answer = |turn: &str, decision: &str| {
        let payload = json!({"type": "exec_approval", "id": turn, "decision": decision});
        line("from_tui", "op", payload)
    };
    let told = calls(
        &CODEX_LOG,
        &[
            asked("2", "a"),
            asked("3", "b"),
            asked("3", "c"),
            answer("3", "approved"),
            answer("3", "denied"),
            answer("4", "approved"),
        ],
    );
    let of = |id: &str| {
        told.iter()
            .find(|call| call.contains(&format!(" {id} ")))
            .unwrap()
    };
    assert!(of("a").contains(" -/- "), "{told:?}");
    assert!(of("b").contains("approved/human"), "{told:?}");
    assert!(of("c").contains("rejected/human"), "{told:?}");
}
