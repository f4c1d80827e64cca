//! Calls in records of sessions that their readers don't know.
//!
//! Formats grow, and a record of an unknown kind may contain a call. If a reader finds no call in a
//! record, anything with the shape of a call counts as requested, unless another record contains
//! the same call.

use super::{Call, input, text};
use crate::trace::formats::shown::{CallShape, is_definition};
use std::borrow::Cow;
use std::collections::BTreeMap;
use strict_json::{Raw, Str, from_text};

/// Members that contain texts or results.
const DATA: [&str; 10] = [
    "error",
    "metadata",
    "observation",
    "output",
    "response",
    "result",
    "stderr",
    "stdout",
    "toolUseResult",
    "tools",
];
/// Maximum bytes read per byte of a record: each of its levels is read once.
const EFFORT: usize = 32;

/// Returns whether records of this `type` repeat others; also used for the type of `payload`.
fn is_copy(word: &str) -> bool {
    matches!(word, "compacted" | "progress")
        || word.ends_with("_begin")
        || word.starts_with("hook.")
}

/// Returns whether a format has a record for each event, whose kinds may grow.
pub(super) fn may_grow(format: &str) -> bool {
    const FORMATS: [&str; 6] = [
        "claude-code",
        "codex",
        "codex-exec",
        "copilot-cli",
        "messages",
        "pi",
    ];
    FORMATS.contains(&format)
}

/// Returns the calls in a record, with their offsets in its text.
pub(super) fn calls(record: &str) -> Vec<(usize, Call<'_>)> {
    let mut calls = Vec::new();
    if !may_hold_calls(record.as_bytes()) {
        return calls;
    }
    let mut effort = record.len().saturating_mul(EFFORT);
    let at = |part: &str| super::offset(record, part).unwrap_or_default();
    let mut stack = vec![(false, Raw::trusted(record))];
    let mut top = true;
    while let Some((named, value)) = stack.pop() {
        let written = value.as_written();
        let Some(left) = effort.checked_sub(written.len()) else {
            // The unread rest may contain anything.
            calls.push((0, unknown()));
            return calls;
        };
        effort = left;
        if written.starts_with('[') {
            let all: Vec<Raw<'_>> = value.read().unwrap_or_default();
            stack.extend(all.into_iter().rev().map(|one| (named, one)));
            continue;
        }
        let members: BTreeMap<String, Raw<'_>> = match value.read() {
            Some(members) if written.starts_with('{') => members,
            _ => continue,
        };
        let kind = |members: &BTreeMap<String, Raw<'_>>| {
            let kind: Str<'_> = members.get("type")?.read()?;
            Some(kind.decode().into_owned())
        };
        if std::mem::take(&mut top) {
            let inner = members
                .get("payload")
                .and_then(|p| p.read())
                .and_then(|p| kind(&p));
            if [kind(&members), inner].iter().flatten().any(|k| is_copy(k)) {
                return calls;
            }
        }
        if is_definition(&members) {
            continue;
        }
        if let Some(call) = call(&members, named) {
            calls.push((at(written), call));
            continue;
        }
        for (name, value) in members {
            let holds = value.as_written().starts_with(['{', '[']);
            if holds && !DATA.contains(&&*name) {
                let named = holds_calls(&name) || matches!(&*name, "content" | "parts");
                stack.push((named, value));
            } else if holds_calls(&name)
                && let Some(text) = value.read::<Str<'_>>().map(Str::decode)
                && text.trim_start().starts_with(['{', '['])
                && from_text::<Raw<'_>>(&text).is_ok()
            {
                // The text determines which calls they are.
                calls.push((at(value.as_written()), written_calls(text)));
            }
        }
    }
    calls.sort_by_key(|(at, _)| *at);
    calls
}

/// Returns quickly whether a text may contain a call.
fn may_hold_calls(text: &[u8]) -> bool {
    ["tool", "Tool", "unction", "rguments", "\"input\""]
        .iter()
        .any(|word| memchr::memmem::find(text, word.as_bytes()).is_some())
}

/// Returns whether a member of this name contains calls.
fn holds_calls(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(['_', '-'], "");
    ["toolcall", "tooluse", "functioncall", "toolinvocation"]
        .iter()
        .any(|word| name.contains(word) && !name.contains("result") && !name.ends_with("id"))
}

/// Reads an object as a call. `named` means that the name of its member says it is one.
fn call<'a>(members: &BTreeMap<String, Raw<'a>>, named: bool) -> Option<Call<'a>> {
    const TOOL: [&str; 9] = [
        "tool",
        "toolName",
        "tool_name",
        "function",
        "functionName",
        "function_name",
        "name",
        "recipient",
        "type",
    ];
    const ID: [&str; 8] = [
        "toolCallId",
        "tool_call_id",
        "toolUseID",
        "toolUseId",
        "tool_use_id",
        "call_id",
        "callId",
        "id",
    ];
    const GIVEN: [&str; 7] = [
        "arguments",
        "parameters",
        "args",
        "input",
        "params",
        "toolInput",
        "tool_input",
    ];
    let first = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| text(super::LenientStr(members.get(*name)?.as_str())))
    };
    let given = CallShape::of(members).call().or_else(|| {
        let given = GIVEN.iter().find_map(|name| members.get(*name));
        given
            .copied()
            .filter(|_| named && members.contains_key("name"))
    })?;
    // Descriptions of prompts and commands list their parameters.
    let plain = members.contains_key("name") && given.as_written().starts_with('[');
    (!plain).then(|| Call {
        id: first(&ID),
        tool: first(&TOOL).unwrap_or_default(),
        input: input(Some(given), "input"),
    })
}

/// Returns a call about which nothing is known.
const fn unknown() -> Call<'static> {
    Call {
        id: None,
        tool: Cow::Borrowed(""),
        input: Cow::Borrowed("{}"),
    }
}

/// Returns calls that a text contains as JSON, as one call.
fn written_calls(text: Cow<'_, str>) -> Call<'static> {
    Call {
        input: super::input_text(Cow::Owned(text.into_owned()), "input"),
        ..unknown()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(record: &str) -> Vec<String> {
        let calls = calls(record).into_iter();
        calls
            .map(|(_, call)| {
                let id = call.id.as_deref().unwrap_or("-").to_owned();
                format!("{id} {} {}", call.tool, call.input)
            })
            .collect()
    }

    #[test]
    fn calls_are_found_by_their_shape() {
        for (record, call) in [
            (
                r#"{"type":"new","tool":"bash","arguments":{"command":"ls"}}"#,
                r#"- bash {"command":"ls"}"#,
            ),
            (
                r#"{"message":[{"content":[[{"type":"new_block","id":"z","name":"Bash","input":{}}]]}]}"#,
                "z Bash {}",
            ),
            (
                r#"{"function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}"#,
                r#"- bash {"command":"ls"}"#,
            ),
            (
                r#"{"toolInvocations":[{"toolCallId":"z","toolName":"bash","args":{"c":1}}]}"#,
                r#"z bash {"c":1}"#,
            ),
            (
                r#"{"tool_calls":"[{\"function\":{\"name\":\"bash\"}}]"}"#,
                r#"-  {"input":"[{\"function\":{\"name\":\"bash\"}}]"}"#,
            ),
        ] {
            assert_eq!(found(record), [call], "{record}");
        }
    }

    #[test]
    fn what_is_no_call_is_none() {
        for record in [
            r#"{"type":"compacted","payload":{"history":[{"name":"bash","arguments":"{}"}]}}"#,
            concat!(
                r#"{"type":"event_msg","payload":{"type":"mcp_tool_call_begin","#,
                r#""invocation":{"tool":"t","arguments":{}}}}"#,
            ),
            r#"{"type":"progress","data":{"content":[{"type":"tool_use","name":"Bash","input":{}}]}}"#,
            r#"{"tools":[{"name":"bash","parameters":{"command":"string"}}]}"#,
            r#"{"x":{"name":"bash","parameters":{"type":"object","properties":{}}}}"#,
            r#"{"prompts":[{"name":"tool","arguments":[{"name":"path"}]}]}"#,
            r#"{"output":{"tool":"bash","arguments":{}}}"#,
            r#"{"text":"a tool call: {\"tool\":\"bash\",\"arguments\":{}}"}"#,
            r#"{"name":"chat","input":{"tool":"none"}}"#,
        ] {
            assert_eq!(found(record), [""; 0], "{record}");
        }
    }

    #[test]
    fn what_costs_too_much_is_a_call_that_nobody_knows() {
        let record = format!("{}\"tool\"{}", "[".repeat(120), "]".repeat(120));
        assert_eq!(found(&record), ["-  {}"]);
    }
}
