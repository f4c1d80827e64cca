//! Sessions of Qwen Code, a fork of Gemini CLI: a line for each message, with the parts of Gemini's
//! API and Claude Code's members around them.

use super::{ToolCall, push_code};
use crate::trace::formats::Unit;
use crate::trace::formats::session::{
    Call, CallEnd, EventKind, Events, Lenient, LenientStr, SessionRecord, arguments, id, is_word,
    one_or_all, text,
};
use crate::trace::scalar::Timestamp;
use serde::Deserialize;
use strict_json::Raw;

/// Returns whether a unit is a line of such a session.
pub(in crate::trace::formats::session) fn is_line(unit: &Unit<'_>) -> bool {
    let message = || unit.get("message")?.read::<Message<'_>>();
    unit.has(&["sessionId", "type", "uuid"])
        && !unit.has(&["role"])
        && (unit.has_one(&["systemPayload", "toolCallResult"])
            || message().is_some_and(|message| message.parts.is_some()))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow)]
    uuid: LenientStr<'a>,
    #[serde(borrow, rename = "sessionId")]
    session: LenientStr<'a>,
    #[serde(borrow)]
    cwd: LenientStr<'a>,
    timestamp: Lenient<Timestamp>,
    #[serde(borrow)]
    message: Lenient<Message<'a>>,
    #[serde(borrow, rename = "toolCallResult")]
    result: Lenient<Outcome<'a>>,
    #[serde(borrow, rename = "systemPayload")]
    payload: Option<Raw<'a>>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    parts: Option<Raw<'a>>,
}

/// How a call went.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Outcome<'a> {
    #[serde(borrow, rename = "callId")]
    call: Option<Raw<'a>>,
    #[serde(borrow)]
    status: LenientStr<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow)]
    text: LenientStr<'a>,
    #[serde(borrow, rename = "functionCall")]
    call: Option<Raw<'a>>,
    #[serde(borrow, rename = "functionResponse")]
    response: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    id: Option<Raw<'a>>,
    #[serde(borrow)]
    name: LenientStr<'a>,
    #[serde(borrow)]
    args: Option<Raw<'a>>,
}

/// Reads a line; `None` if it isn't one.
pub(super) fn read<'a>(raw: Raw<'a>, whole: &'a str) -> Option<SessionRecord<'a>> {
    let line = raw.read::<Line<'a>>()?;
    line.uuid.0?;
    let outcome = line.result.0;
    let parts = line.message.0.and_then(|message| message.parts);
    if outcome.is_none() && parts.is_none() && line.payload.is_none() {
        return None;
    }
    let mut events = Events::new(whole, line.timestamp.0);
    let list = parts.map(one_or_all).unwrap_or_default();
    let read = |raw: &Raw<'a>| raw.read::<Part<'a>>();
    let responses = list.iter().filter_map(read);
    let responses = responses.filter(|part| part.response.is_some()).count();
    for raw in &list {
        let Some(part) = read(raw) else {
            continue;
        };
        if let Some(said) = text(part.text) {
            let said = if is_word(line.kind, &["user"]) {
                EventKind::Prompt(said)
            } else {
                EventKind::Said(said)
            };
            events.push(*raw, said);
        }
        if let Some(call) = part.call.and_then(|raw| raw.read::<Function<'a>>()) {
            let call = Call {
                id: id(call.id).filter(|id| !id.is_empty()),
                tool: text(call.name).unwrap_or_default(),
                input: arguments(call.args),
            };
            events.push(*raw, EventKind::Call(call));
        }
        if let Some(response) = part.response.and_then(|raw| raw.read::<Function<'a>>()) {
            let one = outcome.filter(|one| responses == 1 || is_same_id(one.call, response.id));
            push_end(&mut events, *raw, &response, one);
        }
    }
    if let Some(one) = outcome.filter(|_| responses == 0) {
        push_end(&mut events, raw, &Function::default(), Some(one));
    }
    push_code(&mut events, parts, false);
    Some(SessionRecord {
        session: text(line.session).filter(|id| !id.is_empty()),
        id: text(line.uuid),
        cwd: text(line.cwd),
        events: events.into_list(),
        ..SessionRecord::default()
    })
}

fn is_same_id(one: Option<Raw<'_>>, other: Option<Raw<'_>>) -> bool {
    id(one).is_some_and(|one| id(other) == Some(one))
}

/// Adds the end of a call from a part with its response and from what the program recorded.
fn push_end<'a>(
    events: &mut Events<'a>,
    raw: Raw<'a>,
    response: &Function<'a>,
    outcome: Option<Outcome<'a>>,
) {
    let tool = text(response.name).unwrap_or_default();
    let own = id(response.id).filter(|id| !id.is_empty());
    let own = own.or_else(|| id(outcome?.call));
    let known = outcome.filter(|one| one.status.0.is_some());
    let call = ToolCall {
        status: known.map(|one| one.status).unwrap_or_default(),
        result: Some(raw),
        ..ToolCall::default()
    };
    let ended = match known {
        Some(_) => call.ended(own.clone().unwrap_or_default(), &tool),
        // Without a status, only an error says how it went.
        None => Some(call.response_end(&tool)),
    };
    if let Some(ended) = ended {
        let ended = CallEnd { id: own, ..ended };
        events.push(raw, EventKind::Responded { tool, ended });
    }
}

#[cfg(test)]
mod tests {
    use crate::trace::formats::Format;
    use crate::trace::formats::session::gemini::FORMAT;
    use crate::trace::formats::session::testing::{fed, told};

    fn line(kind: &str, members: &str) -> String {
        let line = format!(
            r#"{{"uuid":"{kind}{}","sessionId":"s","type":"{kind}","cwd":"/p",{members}}}"#,
            members.len()
        );
        let format = Format::of_record(&line, 32).map(Format::name);
        assert_eq!(format, Some("gemini-cli"), "{line}");
        line
    }

    #[test]
    fn calls_and_results_of_qwen_code_are_joined() {
        let call = |id: &str, command: &str| {
            format!(
                r#"{{"functionCall":{{"id":"{id}","name":"run_shell_command",
                    "args":{{"command":"{command}"}}}}}}"#
            )
        };
        let calls = [call("a", "ls"), call("b", "rm x"), call("c", "y")].join(",");
        let asked = line(
            "assistant",
            &format!(r#""message":{{"role":"model","parts":[{{"text":"ok"}},{calls}]}}"#),
        );
        let result = |id: &str, member: &str, said: &str, status: &str| {
            line(
                "tool_result",
                &format!(
                    r#""message":{{"role":"user","parts":[{{"functionResponse":{{"id":"{id}",
                        "name":"run_shell_command","response":{{"{member}":"{said}"}}}}}}]}},
                        "toolCallResult":{{"callId":"{id}","status":"{status}"}}"#
                ),
            )
        };
        let denied = "[Operation Cancelled] Reason: User did not allow tool call";
        let lines = [
            line("system", r#""subtype":"ui_telemetry","systemPayload":{}"#),
            line(
                "user",
                r#""message":{"role":"user","parts":[{"text":"go"}]}"#,
            ),
            asked,
            result("b", "error", denied, "cancelled"),
            result("a", "output", "Exit Code: 1", "success"),
            result("c", "error", "gone", "error"),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let all = fed(&FORMAT, &lines);
        assert_eq!(all.len(), 4, "{all:#?}");
        assert!(all[0].contains(r#""workdir":"/p""#) && all[0].contains("\"go\""));
        assert!(all[1].contains(r#""by":"human""#) && all[1].contains("not_executed"));
        assert!(all[2].contains(r#""exitCode":1"#) && all[2].contains(r#""outcome":"error""#));
        assert!(all[3].contains(r#""outcome":"error""#) && all[3].contains(r#""callId":"c""#));
    }

    #[test]
    fn a_response_without_a_status_says_whether_it_is_an_error() {
        let end = |member: &str| {
            told(
                &FORMAT,
                &line(
                    "tool_result",
                    &format!(
                        r#""message":{{"parts":[{{"functionResponse":{{"id":"a","name":"f",
                            "response":{{"{member}":"x"}}}}}}]}}"#
                    ),
                ),
            )
        };
        assert_eq!(end("output"), ["end a Ok None x"]);
        assert_eq!(end("error"), ["end a Error None x"]);
        let alone = line(
            "tool_result",
            r#""toolCallResult":{"callId":"a","status":"error"}"#,
        );
        assert!(told(&FORMAT, &alone)[0].starts_with("end a Error None"));
    }
}
