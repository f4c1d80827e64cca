//! `gemini-cli`: chats that Gemini CLI stores, as one document or as lines.
//!
//! A call and its result are one object in a message. Lines repeat a message when calls are added.
//! A status says how a call ended; the exit code of a command is part of its text. Sessions of Qwen
//! Code are read too.

mod qwen;

pub(super) use self::qwen::is_line as is_qwen;

use super::messages::code;
use super::{
    Call, CallEnd, CallStatus, EventKind, Events, Lenient, LenientStr, Read, SessionFormat,
    SessionRecord, Sessions, arguments, id, is_word, one_or_all, output, text,
};
use crate::trace::record::NotRecorded;
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use serde::Deserialize;
use std::borrow::Cow;
use strict_json::Raw;

pub(in crate::trace::formats) const FORMAT: SessionFormat = SessionFormat {
    name: "gemini-cli",
    not_recorded: &[
        NotRecorded::Decisions,
        NotRecorded::DecisionDetails,
        NotRecorded::Diffs,
        NotRecorded::Workdir,
    ],
    is_line_oriented: false,
    has_arrays: false,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| {
        unit.has(&["sessionId", "projectHash"])
            && unit.has_one(&["messages", "startTime", "lastUpdated"])
            || unit.is_word("type", &["gemini"]) && unit.has_one(&["content", "toolCalls"])
            || unit.has_one(&["$set", "$rewindTo"])
            || is_qwen(unit)
    },
    lists: &["messages", "toolCalls"],
    read: Read::Value(read),
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Chat<'a> {
    #[serde(borrow, rename = "sessionId")]
    session: LenientStr<'a>,
    #[serde(borrow, rename = "projectHash")]
    project: Option<Raw<'a>>,
    #[serde(borrow)]
    messages: Lenient<Vec<Raw<'a>>>,
    /// Changes that a line makes; it may repeat all messages.
    #[serde(borrow, rename = "$set")]
    set: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    timestamp: Lenient<Timestamp>,
    #[serde(borrow)]
    content: Option<Raw<'a>>,
    #[serde(borrow, rename = "toolCalls")]
    calls: Lenient<Vec<Raw<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolCall<'a> {
    #[serde(borrow)]
    id: Option<Raw<'a>>,
    #[serde(borrow)]
    name: LenientStr<'a>,
    #[serde(borrow)]
    args: Option<Raw<'a>>,
    #[serde(borrow)]
    result: Option<Raw<'a>>,
    #[serde(borrow)]
    status: LenientStr<'a>,
    timestamp: Lenient<Timestamp>,
}

fn read<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    if let Some(record) = qwen::read(raw, whole) {
        return record;
    }
    let mut events = Events::new(whole, None);
    let chat = raw.read::<Chat<'a>>().unwrap_or_default();
    let mut record = SessionRecord {
        session: text(chat.session).filter(|id| !id.is_empty()),
        ..SessionRecord::default()
    };
    let set = chat.set.and_then(|raw| raw.read::<Chat<'a>>());
    match (chat.messages.0, set) {
        (Some(messages), _) => {
            record.whole = true;
            for raw in messages {
                message(&mut events, raw, false);
            }
        }
        (None, Some(set)) => {
            record.copy = true;
            for raw in set.messages.0.unwrap_or_default() {
                message(&mut events, raw, true);
            }
        }
        (None, None) if chat.project.is_some() => record.header = true,
        // A message may be repeated with more calls or their results, or with fewer.
        (None, None) => {
            record.copy = true;
            message(&mut events, raw, true);
        }
    }
    record.events = events.into_list();
    record
}

/// Reads a message. `again`: it may repeat an earlier one.
fn message<'a>(events: &mut Events<'a>, raw: Raw<'a>, again: bool) {
    let message = raw.read::<Message<'a>>().unwrap_or_default();
    events.time = message.timestamp.0;
    let said = output(message.content);
    if is_word(message.kind, &["user"]) {
        events.push(raw, EventKind::Prompt(said));
    } else if is_word(message.kind, &["gemini"]) && !said.is_empty() {
        events.push(raw, EventKind::Said(said));
    }
    push_code(events, message.content, again);
    for raw in message.calls.0.unwrap_or_default() {
        let Some(call) = raw.read::<ToolCall<'a>>() else {
            continue;
        };
        let name = text(call.name).unwrap_or_default();
        let id = id(call.id).unwrap_or_else(|| own_id(events, again));
        let result = call.ended(id.clone(), &name);
        let asked = Call {
            id: Some(id),
            tool: name,
            input: arguments(call.args),
        };
        events.push(raw, EventKind::Call(asked));
        if let Some(ended) = result {
            let asked = events.time;
            events.time = call.timestamp.0.or(asked);
            events.push(raw, EventKind::Ended(ended));
            events.time = asked;
        }
    }
}

/// Returns an id for a call without one. A repeated message has the same time.
fn own_id<'a>(events: &Events<'a>, again: bool) -> Cow<'a, str> {
    match events.time {
        Some(time) if again => format!("{}@{}", events.own_id(), time.millis()).into(),
        _ => events.own_id(),
    }
}

/// Adds the code that the model executed itself, from a part or a list of parts.
fn push_code<'a>(events: &mut Events<'a>, content: Option<Raw<'a>>, again: bool) {
    let parts = content.map(one_or_all);
    let mut last = None;
    for raw in parts.unwrap_or_default() {
        let (calls, results) = code::read_part(raw);
        for (_, mut call) in calls {
            let id = call.id.take().unwrap_or_else(|| own_id(events, again));
            last = Some(id.clone());
            call.id = Some(id);
            events.push(raw, EventKind::Call(call));
        }
        for mut ended in results {
            ended.id = ended.id.or_else(|| last.take());
            events.push(raw, EventKind::Ended(ended));
        }
    }
}

/// Texts by which the program reports that the person denied a call.
const DENIALS: [&str; 2] = ["User did not allow tool call", "User denied execution"];

impl<'a> ToolCall<'a> {
    /// Returns the end of the call; `None` while it is running.
    fn ended(&self, id: Cow<'a, str>, name: &str) -> Option<CallEnd<'a>> {
        let status = text(self.status)?;
        let (shown, error) = response(self.result);
        let exit_code = (name == "run_shell_command")
            .then(|| exit_code(&shown))
            .flatten();
        let how = match &*status {
            "success" if exit_code.is_some_and(|code| code != 0) => CallStatus::Error,
            "success" => CallStatus::Ok,
            // Status and error come from the program; a tool can't print either.
            "error" if error && shown.starts_with("Tool execution denied by policy") => {
                CallStatus::Rejected(DecidedBy::Policy)
            }
            "error" => CallStatus::Error,
            "cancelled" if error && DENIALS.iter().any(|denial| shown.contains(denial)) => {
                CallStatus::Rejected(DecidedBy::Human)
            }
            "cancelled" => CallStatus::Interrupted,
            _ => return None,
        };
        Some(CallEnd {
            id: Some(id),
            how,
            output: shown,
            exit_code,
            change: None,
        })
    }
}

impl<'a> ToolCall<'a> {
    /// Returns the end of a call whose record has no status: its response says whether it failed.
    fn response_end(&self, name: &str) -> CallEnd<'a> {
        let (output, is_error) = response(self.result);
        let exit_code = (name == "run_shell_command").then(|| exit_code(&output));
        let exit_code = exit_code.flatten();
        let failed = is_error || exit_code.is_some_and(|code| code != 0);
        CallEnd {
            id: None,
            how: if failed {
                CallStatus::Error
            } else {
                CallStatus::Ok
            },
            output,
            exit_code,
            change: None,
        }
    }
}

/// Returns the text of a result, and whether the program recorded it as an error.
fn response(raw: Option<Raw<'_>>) -> (Cow<'_, str>, bool) {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Part<'a> {
        #[serde(borrow, rename = "functionResponse")]
        response: Lenient<Named<'a>>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Named<'a> {
        #[serde(borrow)]
        response: Lenient<Response<'a>>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Response<'a> {
        #[serde(borrow)]
        output: LenientStr<'a>,
        #[serde(borrow)]
        error: LenientStr<'a>,
    }
    let parts = raw.map(one_or_all).unwrap_or_default();
    let response = parts
        .iter()
        .find_map(|raw| raw.read::<Part<'_>>()?.response.0?.response.0);
    match response {
        Some(Response {
            output: LenientStr(Some(output)),
            ..
        }) => (output.decode(), false),
        Some(Response {
            error: LenientStr(Some(error)),
            ..
        }) => (error.decode(), true),
        _ => (output(raw), false),
    }
}

/// Returns the exit code in the text about a command: the last one, since the command's own output
/// comes before it.
fn exit_code(text: &str) -> Option<i64> {
    let line = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("Exit Code: "))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::formats::session::testing::{fed, told};

    fn chat(call: &str) -> Vec<String> {
        let text = format!(
            r#"{{"sessionId":"s","projectHash":"p","messages":[{{"type":"gemini","toolCalls":[{call}]}}]}}"#
        );
        told(&FORMAT, &text)
    }

    #[test]
    fn a_status_says_how_a_call_ended() {
        let failed = concat!(
            r#"{"id":"a","name":"run_shell_command","args":{"command":"x"},"status":"success","#,
            r#""result":[{"functionResponse":{"response":{"output":"Exit Code: 0\nExit Code: "#,
            r#"2\nSignal: none"}}}]}"#,
        );
        assert!(chat(failed)[1].starts_with("end a Error Some(2)"));
        let denial = "[Operation Cancelled] Reason: User did not allow tool call";
        let call = |status: &str, member: &str| {
            let end = chat(&format!(
                r#"{{"id":"a","name":"f","status":"{status}",
                    "result":[{{"functionResponse":{{"response":{{"{member}":"{denial}"}}}}}}]}}"#
            ));
            end[1].clone()
        };
        assert!(call("cancelled", "error").starts_with("end a Rejected(Human)"));
        assert!(call("cancelled", "output").starts_with("end a Interrupted"));
        assert!(call("success", "output").starts_with("end a Ok"));
        assert!(call("success", "error").starts_with("end a Ok"));
        assert_eq!(chat(r#"{"name":7,"status":"executing"}"#), ["call #1  {}"]);
    }

    #[test]
    fn code_that_the_model_executed_is_a_call() {
        let parts = concat!(
            r#"{"executableCode":{"language":"PYTHON","code":"x"}},"#,
            r#"{"codeExecutionResult":{"outcome":"OUTCOME_FAILED","output":"y"}}"#,
        );
        let message = |content: &str| {
            format!(
                r#"{{"sessionId":"s","projectHash":"p","messages":[
                    {{"type":"gemini","content":{content}}}]}}"#
            )
        };
        let call = r#"code_interpreter {"language":"PYTHON","code":"x"}"#;
        let expected = [format!("call #2 {call}"), "end #2 Error None y".to_owned()];
        assert_eq!(told(&FORMAT, &message(&format!("[{parts}]"))), expected);
        let one = r#"{"executable_code":{"id":"e","code":"x"}}"#;
        let expected = [r#"call e code_interpreter {"id":"e","code":"x"}"#];
        assert_eq!(told(&FORMAT, &message(one)), expected);
    }

    #[test]
    fn newer_versions_word_denials_otherwise() {
        let call = |status: &str, error: &str| {
            let end = chat(&format!(
                r#"{{"id":"a","name":"f","status":"{status}",
                    "result":[{{"functionResponse":{{"response":{{"error":"{error}"}}}}}}]}}"#
            ));
            end[1].clone()
        };
        let denied = "[Operation Cancelled] Reason: User denied execution.";
        assert!(call("cancelled", denied).starts_with("end a Rejected(Human)"));
        let denied = "Tool execution denied by policy. You are in Plan Mode.";
        assert!(call("error", denied).starts_with("end a Rejected(Policy)"));
        assert!(call("error", "no such file").starts_with("end a Error"));
    }

    #[test]
    fn a_message_that_comes_again_is_the_same() {
        let message = |calls: &str| {
            format!(
                r#"{{"id":"m","timestamp":"2026-03-02T08:00:01Z","type":"gemini","content":"",
                    "toolCalls":[{calls}]}}"#
            )
        };
        let call = |id: &str, output: &str| {
            format!(
                r#"{{"id":"{id}","name":"f","args":{{}},"status":"success",
                    "result":[{{"functionResponse":{{"response":{{"output":"{output}"}}}}}}]}}"#
            )
        };
        let again = message(&[call("a", "less"), call("b", "y")].join(","));
        let lines = [
            r#"{"sessionId":"s","projectHash":"p","startTime":"x"}"#.to_owned(),
            message(r#"{"id":"a","name":"f","args":{},"status":"scheduled"}"#),
            message(&call("a", "x")),
            format!(r#"{{"$set":{{"messages":[{again}]}}}}"#),
            r#"{"$rewindTo":"m"}"#.to_owned(),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let all = fed(&FORMAT, &lines);
        assert_eq!(all.len(), 3, "{all:#?}");
        assert!(all[1].contains(r#""output":"x""#) && all[2].contains(r#""callId":"b""#));
    }
}
