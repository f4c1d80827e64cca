//! Tests of `otlp`.

use super::otlp::FORMAT as OTLP;
use super::testing::told;
use super::tests::{calls, records};
use crate::trace::formats::{NativeRecord, Record, TraceFormat};
use serde_json::{Value, json};
use strict_json::Scanner;

fn attributes(pairs: &[(&str, &str)]) -> Value {
    let pairs = pairs.iter();
    let pairs = pairs.map(|(key, value)| json!({"key": key, "value": {"stringValue": value}}));
    pairs.collect()
}

fn logged(name: &str, nanos: u64, pairs: &[(&str, &str)]) -> Value {
    let record = json!({"timeUnixNano": nanos.to_string(), "body": {"stringValue": name},
        "attributes": attributes(pairs)});
    json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]})
}

#[test]
fn decisions_in_telemetry_have_a_source() {
    let cases = [
        (
            "claude_code.tool_decision",
            "accept",
            "config",
            "approved/policy",
        ),
        (
            "claude_code.tool_decision",
            "accept",
            "hook",
            "approved/policy",
        ),
        (
            "claude_code.tool_decision",
            "accept",
            "user_permanent",
            "approved/human",
        ),
        (
            "claude_code.tool_decision",
            "reject",
            "user_reject",
            "rejected/human",
        ),
        ("claude_code.tool_decision", "reject", "user_abort", "-/-"),
        ("claude_code.tool_decision", "accept", "elsewhere", "-/-"),
        ("claude_code.tool_decision", "reject", "", "rejected/policy"),
        ("claude_code.tool_decision", "perhaps", "config", "-/-"),
        (
            "codex.tool_decision",
            "approved_for_session",
            "User",
            "approved/human",
        ),
        (
            "codex.tool_decision",
            "denied",
            "AutomatedReviewer",
            "rejected/policy",
        ),
        (
            "codex.tool_decision",
            "approved",
            "Config",
            "approved/policy",
        ),
    ];
    for (name, decision, source, expected) in cases {
        let pairs = [
            ("tool_name", "Bash"),
            ("tool_use_id", "a"),
            ("session.id", "s"),
            ("decision", decision),
            ("source", source),
        ];
        let outcome = if expected.starts_with("rejected") {
            "not_executed"
        } else {
            "open"
        };
        let calls = calls(&OTLP, &[logged(name, 1, &pairs)]);
        // The last call of an input may still be running.
        assert_eq!(
            calls,
            [format!("s a Bash tool_call {expected} {outcome}")],
            "{decision} {source}"
        );
    }
}

#[test]
fn results_in_telemetry_find_their_decisions() {
    let line = |name, pairs: &[(&str, &str)]| {
        let mut all = vec![("session.id", "s"), ("tool_name", "Bash")];
        all.extend(pairs);
        logged(name, 1, &all)
    };
    let (decided, ended) = ("claude_code.tool_decision", "claude_code.tool_result");
    let lines = [
        line(decided, &[("decision", "accept"), ("source", "config")]),
        line(
            ended,
            &[
                ("success", "true"),
                ("tool_parameters", "{\"full_command\":\"ls\"}"),
            ],
        ),
        line(
            decided,
            &[
                ("tool_use_id", "b"),
                ("decision", "reject"),
                ("source", "hook"),
            ],
        ),
        line(
            ended,
            &[
                ("tool_use_id", "b"),
                ("success", "false"),
                ("error", "blocked"),
            ],
        ),
        line(
            decided,
            &[
                ("tool_use_id", "c"),
                ("decision", "reject"),
                ("source", "user_reject"),
            ],
        ),
        line(ended, &[("tool_use_id", "c"), ("success", "true")]),
        line(
            decided,
            &[
                ("tool_use_id", "d"),
                ("decision", "accept"),
                ("source", "config"),
            ],
        ),
        line(
            ended,
            &[
                ("tool_use_id", "d"),
                ("success", "false"),
                ("decision_type", "reject"),
                ("decision_source", "user_reject"),
            ],
        ),
        line(ended, &[("tool_use_id", "e"), ("success", "true")]),
        line(
            "gemini_cli.tool_call",
            &[("success", "false"), ("decision", "reject")],
        ),
        line(
            "gemini_cli.tool_call",
            &[("success", "true"), ("decision", "auto_accept")],
        ),
    ];
    assert_eq!(
        calls(&OTLP, &lines),
        [
            "s 1 Bash shell_cmd approved/policy ok",
            "s b Bash tool_call rejected/policy not_executed",
            "s c Bash tool_call rejected/human ok",
            "s d Bash tool_call rejected/human not_executed contradicted",
            "s e Bash tool_call -/- ok",
            "s 6 Bash tool_call rejected/human not_executed",
            "s 7 Bash tool_call approved/policy ok",
        ]
    );
}

#[test]
fn blank_arguments_hide_no_others() {
    let given = |pairs: &[(&str, &str)]| {
        let mut all = vec![("tool_name", "Bash")];
        all.extend(pairs);
        let written = logged("claude_code.tool_result", 1, &all).to_string();
        let mut told = told(&OTLP, &written);
        told.retain(|line| line.starts_with("call "));
        told.concat()
    };
    for (pairs, expected) in [
        (
            &[
                ("arguments", "{}"),
                ("tool_arguments", r#"{"command":"ls"}"#),
            ][..],
            r#"{"command":"ls"}"#,
        ),
        (
            &[
                ("tool_input", "null"),
                ("input.value", r#"{"command":"ls"}"#),
            ],
            r#"{"command":"ls"}"#,
        ),
        (
            &[("arguments", "{}"), ("arguments", r#"{"command":"ls"}"#)],
            r#"{"command":"ls"}"#,
        ),
        (
            &[
                ("arguments", r#"{"command":"ls"}"#),
                ("tool_arguments", r#"{"command":"rm a"}"#),
            ],
            r#"{"arguments":{"command":"ls"},"tool_arguments":{"command":"rm a"}}"#,
        ),
        (
            &[
                ("tool_input", r#"{"command":"rm a"}"#),
                ("tool_parameters", r#"{"full_command":"ls"}"#),
            ],
            r#"{"command":"rm a\nls"}"#,
        ),
        (
            &[
                ("tool_input", r#"{"command":"ls"}"#),
                ("tool_parameters", r#"{"full_command":"ls"}"#),
            ],
            r#"{"command":"ls"}"#,
        ),
    ] {
        assert_eq!(given(pairs), format!("call - Bash {expected}"), "{pairs:?}");
    }
    let begin = "x".repeat(512);
    let full = format!(r#"{{"full_command":"{begin}yz"}}"#);
    for (behind, expected) in [
        ("…", format!("{begin}yz")),
        (" [truncated]", format!("{begin}yz")),
        ("; rm a", format!(r"{begin}; rm a\n{begin}yz")),
    ] {
        let input = format!(r#"{{"command":"{begin}{behind}"}}"#);
        let pairs = [("tool_input", &*input), ("tool_parameters", &*full)];
        let expected = format!(r#"call - Bash {{"command":"{expected}"}}"#);
        assert_eq!(given(&pairs), expected, "{behind}");
    }
    let twice = logged("x", 1, &[("arguments", "a"), ("arguments", "b")]).to_string();
    let Ok(Record::Native(NativeRecord::Session(session))) =
        OTLP.read(&mut Scanner::new(&twice, 64), &twice)
    else {
        panic!("{twice}");
    };
    assert_eq!(session.malformed.len(), 1);
}

#[test]
fn spans_of_tools_are_calls() {
    let span = |start: u64, name: &str, pairs: &[(&str, &str)], code: u8| {
        json!({"traceId": "t", "name": name, "startTimeUnixNano": start.to_string(),
            "attributes": attributes(pairs), "status": {"code": code}})
    };
    let spans = [
        span(
            5_000_000,
            "execute_tool find",
            &[
                ("gen_ai.operation.name", "execute_tool"),
                ("gen_ai.tool.call.id", "a"),
            ],
            2,
        ),
        span(
            1_000_000,
            "chat",
            &[
                ("gen_ai.operation.name", "chat"),
                ("gen_ai.conversation.id", "s"),
                ("gen_ai.tool.name", "no"),
            ],
            0,
        ),
        span(
            2_000_000,
            "look",
            &[
                ("openinference.span.kind", "TOOL"),
                ("tool.name", "look"),
                ("input.value", "{\"q\":1}"),
            ],
            0,
        ),
        json!({"traceId": "u", "name": "mine",
            "attributes": attributes(&[("openinference.span.kind", "TOOL")]),
            "startTimeUnixNano": 9_000_000}),
        json!(7),
    ];
    let lines = [
        json!({"resourceSpans": [7, {"scopeSpans": [{"spans": spans}, {"spans": 7}]}], "resourceLogs": {}}),
    ];
    assert_eq!(
        calls(&OTLP, &lines),
        [
            "s 1 look tool_call -/- ok",
            "s a find tool_call -/- error",
            "u 1 mine tool_call -/- ok",
        ]
    );
}

#[test]
fn attributes_that_cannot_be_read_are_reported() {
    let span = |attributes: Value| {
        let spans = json!([{"attributes": attributes}]);
        json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
    };
    let one = |value: Value| span(json!([{"key": "gen_ai.tool.name", "value": value}]));
    let text = json!({"stringValue": "look"});
    for (record, count) in [
        (span(Value::Null), 0),
        (span(json!([])), 0),
        (span(json!([{"key": "a"}, {"key": "b", "value": null}])), 0),
        (one(json!({})), 0),
        (one(json!({"arrayValue": {}})), 0),
        (one(json!({"kvlistValue": {"values": null}})), 0),
        (one(json!({"bytesValue": "bG9vaw=="})), 0),
        (one(json!({"intValue": "7"})), 0),
        // Without the type of the value.
        (one(json!("look")), 0),
        (span(json!("look")), 1),
        (span(json!(["look", 7])), 2),
        (
            span(json!([{"name": "gen_ai.tool.name", "value": text}])),
            1,
        ),
        (one(json!({"stringValue": ["look"]})), 1),
        (one(json!({"textValue": "look"})), 1),
        (
            one(json!({"kvlistValue": [{"key": "a", "value": text}]})),
            1,
        ),
        (one(json!({"kvlistValue": {"values": {"a": text}}})), 1),
        (
            one(json!({"kvlistValue": {"values": [{"value": text}]}})),
            1,
        ),
        (one(json!({"arrayValue": {"values": "look"}})), 1),
    ] {
        let written = record.to_string();
        let read = OTLP
            .read(&mut Scanner::new(&written, 64), &written)
            .unwrap();
        let Record::Native(NativeRecord::Session(session)) = read else {
            panic!("{written}");
        };
        assert_eq!(session.malformed.len(), count, "{written}");
    }
    let unnamed = logged("claude_code.tool_result", 1, &[("session.id", "s")]);
    assert_eq!(
        calls(&OTLP, &[unnamed]).len(),
        1,
        "a call without a name counts"
    );
}

#[test]
fn spans_of_the_python_sdk_are_calls_too() {
    let attributes = json!({"openinference.span.kind": "TOOL", "tool.name": "look", "n": 1});
    let span = json!({"name": "x", "context": {"trace_id": "t"}, "start_time": 1_000_000,
        "status": {"status_code": "ERROR", "description": "no"}, "attributes": attributes});
    assert_eq!(
        calls(&OTLP, &[json!({"spans": [span]})]),
        ["t 1 look tool_call -/- error"]
    );
}

/// An event's name and attributes.
type NamedEvent<'a> = (&'a str, &'a [(&'a str, &'a str)]);

/// A case: the attributes of a span, its events, and two expected texts.
type SpanCase<'a> = (
    Vec<(&'a str, &'a str)>,
    Vec<NamedEvent<'a>>,
    &'a str,
    &'a str,
);

/// Returns a span with events in both forms: that of the protocol and that of the Python SDK.
fn with_events(
    name: &str,
    pairs: &[(&str, &str)],
    events: &[(&str, &[(&str, &str)])],
) -> [Value; 2] {
    let typed = events.iter();
    let typed = typed.map(|(name, pairs)| json!({"name": name, "attributes": attributes(pairs)}));
    let typed: Value = typed.collect();
    let span =
        json!({"name": name, "traceId": "t", "attributes": attributes(pairs), "events": typed});
    let object = |pairs: &[(&str, &str)]| -> Value {
        let pairs = pairs.iter();
        pairs
            .map(|(key, value)| ((*key).to_owned(), json!(value)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let plain = events.iter();
    let plain: Value = plain
        .map(|(name, pairs)| json!({"name": name, "timestamp": "x", "attributes": object(pairs)}))
        .collect();
    let sdk = json!({
        "name": name, "context": {"trace_id": "t"}, "attributes": object(pairs), "events": plain,
    });
    [
        json!({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}),
        json!({"spans": [sdk]}),
    ]
}

#[test]
fn events_contain_what_a_tool_was_given_and_returned() {
    let tool = [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "file_read"),
        ("gen_ai.tool.call.id", "c"),
    ];
    let with = |more: &[(&'static str, &'static str)]| [&tool[..], more].concat();
    let given = r#"{"path":"/s"}"#;
    let asked = concat!(
        r#"[{"role":"tool","parts":[{"type":"tool_call","name":"file_read","id":"c","#,
        r#""arguments":{"path":"/s"}}]}]"#,
    );
    let returned = concat!(
        r#"[{"role":"tool","parts":[{"type":"tool_call_response","id":"c","#,
        r#""response":[{"text":"y"}]}]}]"#,
    );
    let details = "gen_ai.client.inference.operation.details";
    let (asked, returned_in) = (
        [("gen_ai.input.messages", asked)],
        [("gen_ai.output.messages", returned)],
    );
    let plain = [
        ("gen_ai.tool.call.arguments", given),
        ("gen_ai.tool.call.result", "z"),
    ];
    let message: (&str, &[(&str, &str)]) = (
        "gen_ai.tool.message",
        &[("role", "tool"), ("content", given), ("id", "c")],
    );
    let choice: (&str, &[(&str, &str)]) = ("gen_ai.choice", &[("message", "y"), ("id", "c")]);
    let two: (&str, &[(&str, &str)]) = ("gen_ai.tool.message", &[("content", r#"{"path":"/t"}"#)]);
    let both = r#"{"arguments":{"path":"/s"},"other_arguments":{"path":"/t"}}"#;
    let cases: [SpanCase<'_>; 8] = [
        (with(&[]), vec![message, choice], given, "Ok None y"),
        (with(&[]), vec![choice, message], given, "Ok None y"),
        (
            with(&[]),
            vec![(details, &asked), (details, &returned_in)],
            given,
            &format!("Ok None {returned}"),
        ),
        (
            with(&[("gen_ai.tool.status", "error")]),
            vec![message],
            given,
            "Error None ",
        ),
        (with(&[]), vec![message, two], both, "Ok None "),
        (
            with(&[("gen_ai.tool.call.arguments", r#"{"path":"/a"}"#)]),
            vec![message],
            r#"{"arguments":{"path":"/a"},"gen_ai.tool.message":{"path":"/s"}}"#,
            "Ok None ",
        ),
        // A result, in the sense of the conventions.
        (
            with(&[
                ("gen_ai.tool.call.arguments", given),
                ("gen_ai.tool.call.result", "z"),
            ]),
            vec![("gen_ai.tool.message", &[("content", "z")]), choice],
            given,
            "Ok None z",
        ),
        (with(&[]), vec![("x", &plain)], given, "Ok None z"),
    ];
    for (pairs, events, input, end) in cases {
        for record in with_events("execute_tool file_read", &pairs, &events) {
            let told = told(&OTLP, &record.to_string());
            let told: Vec<&String> = told
                .iter()
                .filter(|line| !line.starts_with("Session"))
                .collect();
            assert_eq!(
                told,
                [
                    &format!("call c file_read {input}"),
                    &format!("end c {end}")
                ],
                "{record}"
            );
        }
    }
}

#[test]
fn events_contain_what_a_model_asked_for() {
    let wanted = r#"wanted call c bash {"command":"x"}"#;
    let blocks =
        r#"[{"text":"y"},{"toolUse":{"toolUseId":"c","name":"bash","input":{"command":"x"}}}]"#;
    let call = r#"{"id":"c","type":"function","function":{"name":"bash","arguments":"{\"command\":\"x\"}"}}"#;
    let message = format!(r#"{{"role":"assistant","content":"","tool_calls":[{call}]}}"#);
    let list = format!("[{call}]");
    let choice = format!(r#"{{"index":0,"finish_reason":"tool_calls","message":{message}}}"#);
    let output = concat!(
        r#"[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"bash","#,
        r#""arguments":{"command":"x"}}]}]"#,
    );
    let candidates = concat!(
        r#"{"candidates":[{"content":{"parts":[{"function_call":{"id":"c","name":"bash","#,
        r#""args":{"command":"x"}}}]}}]}"#,
    );
    let cases: [(&str, &[(&str, &str)]); 8] = [
        (
            "gen_ai.choice",
            &[("finish_reason", "tool_use"), ("message", blocks)],
        ),
        ("gen_ai.choice", &[("gen_ai.event.content", &choice)]),
        ("gen_ai.choice", &[("index", "0"), ("tool_calls", &list)]),
        ("gen_ai.choice", &[("message", candidates)]),
        (
            "gen_ai.assistant.message",
            &[("gen_ai.event.content", &message)],
        ),
        ("gen_ai.assistant.message", &[("content", blocks)]),
        (
            "gen_ai.client.inference.operation.details",
            &[("gen_ai.output.messages", output)],
        ),
        (
            "gen_ai.content.completion",
            &[("gen_ai.completion", &message)],
        ),
    ];
    let chat = [("gen_ai.operation.name", "chat")];
    for (name, pairs) in cases {
        for record in with_events("chat", &chat, &[(name, pairs)]) {
            let told = told(&OTLP, &record.to_string());
            assert!(told.contains(&wanted.to_owned()), "{record}");
            assert_eq!(
                calls(&OTLP, &[record]),
                ["t c bash shell_cmd -/- not_recorded"]
            );
        }
    }
    // What a model was given contains results, and requests by others.
    for (name, pairs) in [
        ("gen_ai.user.message", [("content", blocks)]),
        (
            "gen_ai.tool.message",
            [(
                "content",
                r#"[{"toolResult":{"toolUseId":"c","content":[]}}]"#,
            )],
        ),
    ] {
        for record in with_events("chat", &chat, &[(name, &pairs)]) {
            assert!(calls(&OTLP, &[record]).is_empty());
        }
    }
    // A history is repeated: its calls count once, also without ids.
    let unnamed = r#"[{"toolUse":{"name":"bash","input":{"command":"x"}}}]"#;
    let past: (&str, &[(&str, &str)]) = ("gen_ai.assistant.message", &[("content", unnamed)]);
    let new: (&str, &[(&str, &str)]) = ("gen_ai.choice", &[("message", unnamed)]);
    for record in with_events("chat", &chat, &[past, past, new]) {
        assert_eq!(calls(&OTLP, &[record]).len(), 1);
    }
}

#[test]
fn the_history_in_a_log_is_read() {
    let call = r#"{"id":"c","type":"function","function":{"name":"bash","arguments":"{}"}}"#;
    let body = json!({"stringValue": format!(r#"{{"tool_calls":[{call}]}}"#)});
    let record = json!({"eventName": "gen_ai.assistant.message", "traceId": "t", "body": body});
    let record = json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]});
    assert_eq!(calls(&OTLP, &[record]).len(), 1);
}

/// Returns a span below another one.
fn span(name: &str, id: &str, parent: &str, pairs: &[(&str, &str)]) -> Value {
    json!({"name": name, "traceId": "t", "spanId": id, "parentSpanId": parent,
        "attributes": attributes(pairs)})
}

fn spans(spans: &[Value]) -> Value {
    json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
}

#[test]
fn parts_of_a_span_of_claude_code_tell_of_its_call() {
    let tool = |id: &str, name: &str, more: (&str, &str)| {
        span("claude_code.tool", id, "", &[("tool_name", name), more])
    };
    let asked = |parent: &str, word: &str, source: &str| {
        let pairs = [("decision", word), ("source", source)];
        span("claude_code.tool.blocked_on_user", "x", parent, &pairs)
    };
    let ended = |parent: &str, success: &str| {
        span(
            "claude_code.tool.execution",
            "y",
            parent,
            &[("success", success)],
        )
    };
    let found = calls(
        &OTLP,
        &[spans(&[
            tool("1", "Bash", ("full_command", "rm -rf /srv/o")),
            asked("1", "accept", "user_temporary"),
            ended("1", "false"),
            tool("2", "Write", ("file_path", "/etc/hosts")),
            asked("2", "reject", "user_reject"),
            tool("3", "Read", ("file_path", "a")),
            asked("unknown", "reject", "user_reject"),
        ])],
    );
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(
        found[0].contains("shell_cmd approved/human error"),
        "{found:?}"
    );
    assert!(
        found[1].contains("Write") && found[1].contains("rejected/human not_executed"),
        "{found:?}"
    );
    assert!(found[2].ends_with("-/- ok"), "{found:?}");
}

#[test]
fn spans_with_the_name_of_a_tool_are_calls() {
    let args = r#"{"command":"ls"}"#;
    let listed = r#"[{"toolCallId":"c","toolName":"bash","args":"{\"command\":\"ls\"}"}]"#;
    let messages = r#"{"role":"assistant","tool_calls":[{"name":"bash","args":{"command":"ls"}}]}"#;
    let of_operation = |operation: &'static str, messages: &'static str| {
        vec![
            ("gen_ai.operation.name", operation),
            ("gen_ai.tool.name", "bash"),
            ("gen_ai.tool.call_id", "c"),
            ("gen_ai.input.messages", messages),
        ]
    };
    for (pairs, expected) in [
        (
            vec![
                ("ai.toolCall.name", "bash"),
                ("ai.toolCall.id", "c"),
                ("ai.toolCall.args", args),
            ],
            vec!["t c bash shell_cmd -/- ok"],
        ),
        (
            vec![("ai.response.toolCalls", listed)],
            vec!["t c bash shell_cmd -/- not_recorded"],
        ),
        (
            of_operation("tool_call", messages),
            vec!["t c bash shell_cmd -/- ok"],
        ),
        (
            of_operation(
                "tool_call",
                r#"{"callId":"c","name":"bash","args":{"command":"ls"}}"#,
            ),
            vec!["t c bash shell_cmd -/- ok"],
        ),
        (of_operation("chat", messages), vec![]),
    ] {
        assert_eq!(
            calls(&OTLP, &[spans(&[span("x", "1", "", &pairs)])]),
            expected
        );
    }
}

#[test]
fn what_only_names_a_call_is_no_argument() {
    let result = |tool: &str, parameters: &str| {
        let pairs = [
            ("session.id", "s"),
            ("tool_name", tool),
            ("tool_parameters", parameters),
        ];
        logged("claude_code.tool_result", 1, &pairs)
    };
    let server = r#"{"mcp_server_name":"github","mcp_tool_name":"list_issues"}"#;
    for (tool, parameters, name, given) in [
        ("mcp_tool", server, "mcp__github__list_issues", "{}"),
        ("Agent", r#"{"subagent_type":"Explore"}"#, "Agent", "{}"),
        ("Skill", r#"{"skill_name":"x"}"#, "Skill", "{}"),
        (
            "Skill",
            r#"{"skill_name":"x","a":1}"#,
            "Skill",
            r#"{"a":1,"skill_name":"x"}"#,
        ),
    ] {
        let records = records(&OTLP, &[result(tool, parameters)]);
        let call = records
            .iter()
            .find(|record| record["record"] == "call")
            .unwrap();
        assert_eq!(call["tool"], name);
        let parameters = &call["action"]["payload"]["parameters"];
        assert_eq!(
            parameters,
            &serde_json::from_str::<Value>(given).unwrap(),
            "{call}"
        );
    }
}
