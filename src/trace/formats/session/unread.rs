//! Calls in records of sessions that their readers don't know.
//!
//! Formats grow, and a record of an unknown kind may contain a call. So may a record that a reader
//! knows, next to what it reads. Anything there with the shape of a call counts as requested,
//! unless another record contains the same call.

use super::{Call, given, input, text};
use crate::trace::formats::shown::{CallShape, is_definition, is_schema};
use hashbrown::{HashMap, hash_map};
use std::borrow::Cow;
use std::collections::BTreeMap;
use strict_json::{Raw, Str, from_text};
use util::keyed_hash;

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
/// Members that contain the arguments of a call, in lower case and without punctuation.
const ARGUMENTS: [&str; 10] = [
    "args",
    "arguments",
    "input",
    "kwargs",
    "parameters",
    "params",
    "toolargs",
    "toolarguments",
    "toolinput",
    "toolparameters",
];
/// Like [`ARGUMENTS`], for parts of a call that may contain its arguments.
const PARTS_OF_CALL: [&str; 5] = ["action", "code", "custom", "function", "operation"];
/// Maximum bytes read per byte of a record: each of its levels is read once.
const EFFORT: usize = 32;

/// How a reader has read a part of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As a call. Its arguments contain no calls.
    Call,
    /// As a result, which may contain anything. Only members whose names say so contain calls.
    Result,
    /// With all that is in it.
    Whole,
}

/// Parts of a record that its reader has read, by their addresses.
#[derive(Debug, Default)]
pub(super) struct ReadParts(HashMap<usize, Reading>);

impl ReadParts {
    /// Adds a part. What was read both as a call and as a result is a call.
    pub(super) fn add(&mut self, part: &str, reading: Reading) {
        match self.0.entry(part.as_ptr() as usize) {
            hash_map::Entry::Vacant(place) => {
                place.insert(reading);
            }
            hash_map::Entry::Occupied(mut before) if *before.get() == Reading::Result => {
                before.insert(reading);
            }
            hash_map::Entry::Occupied(mut before) => {
                if reading == Reading::Whole {
                    before.insert(reading);
                }
            }
        }
    }

    fn get(&self, part: &str) -> Option<Reading> {
        self.0.get(&(part.as_ptr() as usize)).copied()
    }
}

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

/// Returns the calls in a record that its reader doesn't know, with their offsets in its text.
pub(super) fn calls(record: &str) -> Vec<(usize, Call<'_>)> {
    calls_beside(record, &ReadParts::default())
}

/// Like [`calls`], for a record of which some parts have been read.
pub(super) fn calls_beside<'a>(record: &'a str, read: &ReadParts) -> Vec<(usize, Call<'a>)> {
    let mut calls = Vec::new();
    if !may_hold_calls(record.as_bytes()) {
        return calls;
    }
    let mut effort = record.len().saturating_mul(EFFORT);
    let at = |part: &str| super::offset(record, part).unwrap_or_default();
    let mut stack = vec![(false, None, String::new(), Raw::trusted(record))];
    let mut top = true;
    while let Some((named, outer, tool, value)) = stack.pop() {
        let written = value.as_written();
        let reading = read.get(written);
        if reading == Some(Reading::Whole) {
            continue;
        }
        let Some(left) = effort.checked_sub(written.len()) else {
            // The unread rest may contain anything.
            calls.push((0, unknown()));
            return calls;
        };
        effort = left;
        if written.starts_with('[') {
            let all: Vec<Raw<'_>> = value.read().unwrap_or_default();
            let all = all.into_iter().rev();
            stack.extend(all.map(|one| (named, None, String::new(), one)));
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
        if reading.is_none() {
            if is_definition(&members) {
                continue;
            }
            if let Some(mut call) = call(&members, named, &tool) {
                call.id = call.id.or(outer);
                calls.push((at(written), call));
                continue;
            }
        }
        let own_id = id_of(&members);
        let has_call_id = members.contains_key("call_id");
        for (name, value) in members {
            let holds = holds_calls(&name);
            let is_read = match reading {
                Some(Reading::Call) => {
                    is_one_of(&ARGUMENTS, &name) || is_one_of(&PARTS_OF_CALL, &name)
                }
                Some(_) => !holds && name != "additional_kwargs",
                None => false,
            };
            if is_read {
                continue;
            }
            if value.as_written().starts_with(['{', '[']) && !DATA.contains(&&*name) {
                let named = holds || matches!(&*name, "content" | "parts");
                // A call's id may be next to the object that contains the rest of it.
                let tool = tool_in(&name);
                let is_rest = matches!(&*name, "function" | "custom")
                    || has_call_id && holds
                    || !tool.is_empty();
                let outer = own_id.clone().or(outer.clone()).filter(|_| is_rest);
                stack.push((named, outer, tool.to_owned(), value));
            } else if holds
                && read.get(value.as_written()).is_none()
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

/// Returns the calls that aren't among those that the reader knows. If a known call has the same id
/// and tool, all arguments of both count. An id of another tool's call says nothing.
pub(super) fn not_in<'a: 'k, 'k>(
    known: impl Iterator<Item = &'k mut Call<'a>>,
    found: Vec<(usize, Call<'a>)>,
) -> Vec<(usize, Call<'a>)> {
    let by_id = known.filter_map(|call| Some((keyed_hash(call.id.as_deref()?), call)));
    let mut by_id: HashMap<u64, &mut Call<'a>> = by_id.collect();
    let mut new = Vec::new();
    for (at, mut call) in found {
        let id = call.id.as_deref().map(keyed_hash);
        match id.and_then(|id| by_id.get_mut(&id)) {
            Some(one) if call.tool.is_empty() || is_same_tool(&one.tool, &call.tool) => {
                given::add(&mut one.input, call.input);
            }
            Some(_) => {
                call.id = None;
                new.push((at, call));
            }
            None => new.push((at, call)),
        }
    }
    new
}

/// Returns whether two names of tools differ in case and punctuation at most.
fn is_same_tool(one: &str, other: &str) -> bool {
    let plain = |tool: &str| {
        tool.replace(|c: char| !c.is_alphanumeric(), "")
            .to_lowercase()
    };
    one == other || plain(one) == plain(other)
}

/// Returns quickly whether a text may contain a call.
fn may_hold_calls(text: &[u8]) -> bool {
    [
        "tool",
        "Tool",
        "unction",
        "rguments",
        "arameters",
        "\"input\"",
        "\"args\"",
        "\"params\"",
    ]
    .iter()
    .any(|word| memchr::memmem::find(text, word.as_bytes()).is_some())
}

/// Returns whether a member of this name contains calls.
fn holds_calls(name: &str) -> bool {
    let name = plain(name);
    ["toolcall", "tooluse", "functioncall", "toolinvocation"]
        .iter()
        .any(|word| name.contains(word) && !name.contains("result") && !name.ends_with("id"))
}

/// Returns the tool that the name of a member consists of, as in Cursor's `shellToolCall`.
fn tool_in(name: &str) -> &str {
    name.strip_suffix("ToolCall").unwrap_or_default()
}

fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '-'], "")
}

fn is_one_of(names: &[&str], name: &str) -> bool {
    names.contains(&&*plain(name))
}

/// Returns the text of the first of some members.
fn first<'a>(members: &BTreeMap<String, Raw<'a>>, names: &[&str]) -> Option<Cow<'a, str>> {
    names
        .iter()
        .find_map(|name| text(super::LenientStr(members.get(*name)?.as_str())))
}

fn id_of<'a>(members: &BTreeMap<String, Raw<'a>>) -> Option<Cow<'a, str>> {
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
    first(members, &ID)
}

/// Reads an object as a call. `named` means that the name of its member says it is one; `tool` is
/// the tool that this name contains, if any.
fn call<'a>(members: &BTreeMap<String, Raw<'a>>, named: bool, tool: &str) -> Option<Call<'a>> {
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
    let arguments = || {
        let all = members.iter();
        let all = all.filter(|(name, raw)| is_one_of(&ARGUMENTS, name) && !is_schema(**raw));
        all.map(|(name, raw)| (&**name, Some(*raw)))
            .collect::<Vec<_>>()
    };
    let by_shape = CallShape::of(members).call();
    let all = arguments();
    let given = by_shape.or_else(|| {
        let given = all.first().and_then(|(_, raw)| *raw);
        given.filter(|_| named && (members.contains_key("name") || !tool.is_empty()))
    })?;
    // Descriptions of prompts and commands list their parameters.
    let plain = members.contains_key("name") && given.as_written().starts_with('[');
    (!plain).then(|| Call {
        id: id_of(members),
        tool: first(members, &TOOL).unwrap_or_else(|| Cow::Owned(tool.to_owned())),
        // Several members may contain the arguments.
        input: if all.len() > 1 {
            given::of_members(&all)
        } else {
            input(Some(given), "input")
        },
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
                r#"{"id":"z","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}"#,
                r#"z bash {"command":"ls"}"#,
            ),
            (
                r#"{"content":[{"type":"invocation","id":"z","name":"bash","params":{"a":1}}]}"#,
                r#"z bash {"a":1}"#,
            ),
            (
                r#"{"content":[{"type":"x","name":"bash","args":{"a":1},"input":{},"kwargs":null}]}"#,
                r#"- bash {"a":1}"#,
            ),
            (
                r#"{"toolInvocations":[{"toolCallId":"z","toolName":"bash","args":{"c":1}}]}"#,
                r#"z bash {"c":1}"#,
            ),
            (
                concat!(
                    r#"{"type":"tool_call","call_id":"z","tool_call":{"shellToolCall":"#,
                    r#"{"args":{"command":"ls"},"result":{"success":{}}}}}"#,
                ),
                r#"z shell {"command":"ls"}"#,
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
