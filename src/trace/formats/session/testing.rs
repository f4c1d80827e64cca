//! Helpers and properties that the tests of all session formats share.

use super::*;
use crate::trace::entry::Entry;
use crate::trace::formats::{NativeRecord, OwnCalls, RoutedRecord};
use proptest::prelude::*;

const FORMATS: [&SessionFormat; 12] = [
    &codex_exec::FORMAT,
    &messages::FORMAT,
    &messages::PI,
    &gemini::FORMAT,
    &openhands::FORMAT,
    &swe_agent::FORMAT,
    &swe_agent::MINI,
    &atif::FORMAT,
    &atif::LANGFUSE,
    &inspect::FORMAT,
    &cline::FORMAT,
    &cline::COPILOT,
];

fn record<'a>(format: &SessionFormat, text: &'a str) -> Record<'a> {
    format.read(&mut Scanner::new(text, 64), text).unwrap()
}

/// Returns calls, their ends and decisions of a record, one per line.
pub(super) fn told(format: &SessionFormat, text: &str) -> Vec<String> {
    let Record::Native(NativeRecord::Session(record)) = record(format, text) else {
        return Vec::new();
    };
    let name = |id: &Option<Cow<'_, str>>| id.as_deref().unwrap_or("-").to_owned();
    let called = |call: &Call<'_>| format!("call {} {} {}", name(&call.id), call.tool, call.input);
    let over = |ended: &CallEnd<'_>| {
        let CallEnd {
            id,
            how,
            exit_code,
            output,
            ..
        } = ended;
        format!("end {} {how:?} {exit_code:?} {output}", name(id))
    };
    let lines = record.events.iter().flat_map(|event| match &event.what {
        EventKind::Call(call) | EventKind::Began(call) => vec![called(call)],
        EventKind::Decided { call, .. } => vec![called(call)],
        EventKind::Wanted { call, .. } => vec![format!("wanted {}", called(call))],
        EventKind::Done { call, ended, .. } => vec![called(call), over(ended)],
        EventKind::Ended(ended) | EventKind::Responded { ended, .. } => vec![over(ended)],
        EventKind::Rejected { id, by } => vec![format!("rejected {id} {by:?}")],
        EventKind::Refused { call, by } => vec![format!("refused {by:?} {}", called(call))],
        EventKind::Approved { id, by } => vec![format!("approved {id} {by:?}")],
        EventKind::Part(name) => vec![format!("session {name}")],
        EventKind::Prompt(_) | EventKind::Said(_) | EventKind::Moved(_) => Vec::new(),
        other => vec![format!("{other:?}")],
    });
    lines.collect()
}

/// Returns the records derived from texts, each on its own line.
pub(super) fn fed(format: &SessionFormat, texts: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    let mut on = |fed: RoutedRecord<'_, '_>| {
        assert!(fed.entry.problems.is_empty(), "{:?}", fed.entry.problems);
        all.push(fed.entry.text.to_owned());
    };
    let mut reader = format.reader("stem", &OwnCalls::default());
    for (n, text) in texts.iter().enumerate() {
        let mut entry = Entry::unread((n as u64 + 1, 0), text, Vec::new(), Vec::new());
        entry.record = record(format, text);
        reader.feed(&entry, &mut on);
    }
    reader.finish(&mut on);
    all
}

/// Generates JSON from the names and words that the formats know.
fn json() -> impl Strategy<Value = serde_json::Value> {
    const NAMES: &[&str] = &[
        "role",
        "type",
        "content",
        "messages",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "id",
        "call_id",
        "tool_call_id",
        "message",
        "history",
        "trajectory",
        "action",
        "observation",
        "args",
        "cause",
        "source",
        "extras",
        "metadata",
        "exit_code",
        "steps",
        "results",
        "source_call_id",
        "observations",
        "trace",
        "output",
        "input",
        "samples",
        "events",
        "event",
        "call",
        "decision",
        "approver",
        "error",
        "ts",
        "say",
        "ask",
        "text",
        "data",
        "toolRequests",
        "toolCallId",
        "toolCalls",
        "status",
        "result",
        "sessionId",
        "tool_use_id",
        "timestamp",
        "parts",
        "extra",
        "actions",
        "command",
        "state",
        "is_error",
        "attempts",
        "item",
        "items",
        "details",
        "item_type",
        "thread_id",
        "changes",
        "server",
    ];
    const WORDS: &[&str] = &[
        "user",
        "assistant",
        "tool",
        "tool_use",
        "tool_result",
        "function_call",
        "mcp_call",
        "toolCall",
        "toolResult",
        "message",
        "gemini",
        "success",
        "cancelled",
        "run",
        "finish",
        "user_rejected",
        "agent",
        "approval",
        "reject",
        "approve",
        "human",
        "TOOL",
        "SPAN",
        "say",
        "ask",
        "command",
        "tool.execution_start",
        "tool.execution_complete",
        "assistant.message",
        "item.started",
        "item.completed",
        "thread.started",
        "command_execution",
        "mcp_tool_call",
        "declined",
        "completed",
        "a",
        "b",
        "{\"tool\":\"x\"}",
        "```bash\nls\n```",
        "<returncode>1</returncode>",
        "2026-01-05T08:00:00Z",
        "Error executing tool: x",
        "\u{0}\u{202e}",
    ];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (-3i64..300).prop_map(Into::into),
        proptest::sample::select(WORDS).prop_map(Into::into),
    ];
    leaf.prop_recursive(6, 120, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            proptest::collection::hash_map(
                proptest::sample::select(NAMES).prop_map(str::to_owned),
                inner,
                0..9
            )
            .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_json_breaks_a_format_and_no_call_is_lost(values in proptest::collection::vec(json(), 1..4)) {
        let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for format in FORMATS {
            let told = texts.iter().flat_map(|text| told(format, text));
            let calls = told.filter(|line| line.starts_with("call ")).count();
            let fed = fed(format, &texts);
            let is_call = |text: &&String| text.contains(",\"action\":{\"type\":");
            let handed_on = fed.iter().filter(is_call).count();
            // Of repeated calls, only one is emitted.
            let again = ["codex-exec", "gemini-cli", "copilot-cli", "cline"].contains(&format.name);
            // Calls in records and messages of unknown kinds are emitted in addition.
            let more = [
                "codex-exec",
                "copilot-cli",
                "inspect",
                "messages",
                "mini-swe-agent",
                "pi",
                "swe-agent",
            ];
            let more = more.contains(&format.name);
            let lost = handed_on < calls && !again;
            let made_up = handed_on > calls && !more;
            prop_assert!(!lost && !made_up, "{}", format.name);
        }
    }
}

#[test]
fn a_member_under_both_of_its_names_hides_no_call() {
    let export = |scopes: &str, records: &str| {
        format!(
            r#"{{"resourceLogs":[{{{scopes}"scopeLogs":[{{{records}"logRecords":[{}]}}]}}]}}"#,
            concat!(
                r#"{"body":{"stringValue":"claude_code.tool_result"},"attributes":["#,
                r#"{"key":"event.name","value":{"stringValue":"tool_result"}},"#,
                r#"{"key":"tool_name","value":{"stringValue":"Bash"}}]}"#,
            )
        )
    };
    let plain = told(&otlp::FORMAT, &export("", ""));
    assert!(plain.iter().any(|line| line.contains("Bash")), "{plain:?}");
    let library = export(r#""instrumentationLibraryLogs":[],"#, "");
    assert_eq!(told(&otlp::FORMAT, &library), plain);
    assert_eq!(told(&otlp::FORMAT, &export("", r#""logs":[],"#)), plain);

    let line = concat!(
        r#"{"type":"user","sessionId":"s","tool_use_result":"x","toolUseResult":"y","message":"#,
        r#"{"content":[{"type":"tool_result","tool_use_id":"a","content":"done"}]}}"#,
    );
    assert_eq!(told(&claude_code::FORMAT, line), ["end a Ok None done"]);

    let part = concat!(
        r#"{"role":"assistant","parts":[{"type":"dynamic-tool","toolName":"g","toolCallId":"c","#,
        r#""state":"input-available","input":{},"args":{"path":"x"}}]}"#,
    );
    assert_eq!(told(&messages::FORMAT, part), [r#"call c g {"path":"x"}"#]);
}

#[test]
fn a_record_under_a_known_id_with_other_events_is_read() {
    let line = |said: &str| {
        format!(r#"{{"type":"result","session_id":"s","uuid":"u","permission_denials":[{said}]}}"#)
    };
    let denied = r#"{"tool_name":"Bash","tool_use_id":"a","tool_input":{"command":"ls"}}"#;
    let records = fed(
        &claude_code::FORMAT,
        &[&line(""), &line(denied), &line(denied)],
    );
    let calls = records
        .iter()
        .filter(|record| record.contains(r#""callId":"a""#));
    assert_eq!(calls.count(), 1, "{records:?}");
}
