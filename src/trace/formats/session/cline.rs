//! `cline` and `copilot-cli`: tasks as their programs store them.
//!
//! Cline and Roo store what their window showed: `ask` where a person was asked, `say` where a tool
//! was executed automatically. Neither the answer nor the end of a call is stored. Copilot CLI
//! stores one event per line; a denied call ends with a code of its own.

mod window;

use super::unread::Reading;
use super::{
    Call, CallEnd, CallStatus, EventKind, Events, Lenient, LenientStr, Read, SessionFormat,
    SessionRecord, Sessions, arguments, id, is_word, object_of, output, text,
};
use super::{copilot_history, text_calls};
use crate::trace::record::NotRecorded;
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use serde::Deserialize;
use std::borrow::Cow;
use strict_json::Raw;

pub(in crate::trace::formats) const FORMAT: SessionFormat = SessionFormat {
    name: "cline",
    not_recorded: &[
        NotRecorded::Decisions,
        NotRecorded::DecisionDetails,
        NotRecorded::Results,
        NotRecorded::ExitCodes,
        NotRecorded::Diffs,
        NotRecorded::Workdir,
    ],
    is_line_oriented: false,
    has_arrays: false,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| unit.has(&["ts"]) && unit.is_word("type", &["say", "ask"]),
    lists: &[],
    read: Read::Value(read),
};

pub(in crate::trace::formats) const COPILOT: SessionFormat = SessionFormat {
    name: "copilot-cli",
    not_recorded: &[
        NotRecorded::Decisions,
        NotRecorded::DecisionDetails,
        NotRecorded::ExitCodes,
        NotRecorded::Diffs,
    ],
    is_line_oriented: false,
    has_arrays: false,
    repeats: &[],
    names: Sessions::OfFile,
    is_shape_of: |unit| {
        // Other formats begin with `session.start` too, but name no session there.
        let named = || {
            let data = unit.get("data").and_then(|raw| raw.read::<Data<'_>>());
            data.is_some_and(|data| data.session_id.0.is_some())
        };
        let events = [
            "user.message",
            "assistant.message",
            "assistant.turn_start",
            "tool.execution_start",
            "tool.execution_complete",
            "permission.requested",
            "permission.completed",
        ];
        unit.has(&["sessionId", "chatMessages"])
            || unit.has(&["type", "data"])
                && (unit.is_word("type", &events)
                    || unit.is_word("type", &["session.start", "session.resume"]) && named())
    },
    lists: &["chatMessages", "timeline", "tool_calls"],
    read: Read::Value(read_copilot),
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct UiMessage<'a> {
    #[serde(borrow)]
    ts: Option<Raw<'a>>,
    #[serde(borrow)]
    say: LenientStr<'a>,
    #[serde(borrow)]
    ask: LenientStr<'a>,
    #[serde(borrow)]
    text: LenientStr<'a>,
    partial: Lenient<bool>,
}

fn read<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    let message = raw.read::<UiMessage<'a>>().unwrap_or_default();
    let mut events = Events::new(whole, message.ts.and_then(Raw::read));
    message.read_into(&mut events, raw);
    SessionRecord {
        cwd: events.cwd.take().map(Cow::Owned),
        events: events.into_list(),
        ..SessionRecord::default()
    }
}

impl<'a> UiMessage<'a> {
    fn read_into(&self, events: &mut Events<'a>, raw: Raw<'a>) {
        let kind = text(self.say)
            .or_else(|| text(self.ask))
            .unwrap_or_default();
        let said = text(self.text).unwrap_or_default();
        let (tool, input) = match &*kind {
            "task" | "user_feedback" => return events.push(raw, EventKind::Prompt(said)),
            "api_req_started" => {
                events.cwd = requested_in(&said);
                return;
            }
            "text" if self.partial.0 == Some(true) => return,
            "text" => return events.push(raw, EventKind::Said(said)),
            "tool" => shown_tool(&said),
            "command" => {
                // Cline marks commands that always need approval.
                let line = said.strip_suffix("REQ_APP").unwrap_or(&said);
                ("execute_command".to_owned(), object_of("command", line))
            }
            "use_mcp_server" => shown_server(&said),
            "use_subagents" => (kind.into_owned(), shown_object(&said)),
            "browser_action" => ("browser_action".to_owned(), object_of("action", &said)),
            "browser_action_launch" => ("browser_action".to_owned(), object_of("url", &said)),
            _ => return,
        };
        let id = id(self.ts).unwrap_or_else(|| events.own_id());
        let call = Call {
            id: Some(id.clone()),
            tool: tool.into(),
            input,
        };
        let ended = CallEnd {
            id: Some(id),
            how: CallStatus::NotRecorded,
            output: Cow::Borrowed(""),
            exit_code: None,
            change: None,
        };
        // An incomplete message is repeated under the same time, or is the last one.
        let what = if self.partial.0 == Some(true) {
            EventKind::Decided {
                call,
                decision: None,
                late: false,
            }
        } else {
            EventKind::Done {
                call,
                decision: None,
                ended,
            }
        };
        events.push(raw, what);
    }
}

/// Returns Cline's working directory from a request to the model.
fn requested_in(said: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Shown {
        request: String,
    }
    let shown = serde_json::from_str::<Shown>(said).ok()?;
    text_calls::work_tree(&shown.request).map(str::to_owned)
}

/// Reads a tool as the window shows it: an object in a string.
fn shown_tool(said: &str) -> (String, Cow<'static, str>) {
    #[derive(Default, Deserialize)]
    struct Shown {
        tool: String,
    }
    match serde_json::from_str::<Shown>(said) {
        Ok(shown) => {
            let paths = window::other_paths(&shown.tool, said);
            let given = match said.trim_start().strip_prefix('{') {
                Some(rest) if !paths.is_empty() => {
                    let paths = serde_json::Value::from(paths);
                    format!("{{\"absolutePaths\":{paths},{rest}")
                }
                _ => said.to_owned(),
            };
            (shown.tool, given.into())
        }
        Err(_) => (String::new(), object_of("text", said)),
    }
}

/// Returns arguments that the window shows as an object.
fn shown_object(said: &str) -> Cow<'static, str> {
    match serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(said) {
        Ok(_) => Cow::Owned(said.to_owned()),
        Err(_) => object_of("text", said),
    }
}

fn shown_server(said: &str) -> (String, Cow<'static, str>) {
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Shown {
        server_name: String,
        tool_name: String,
        #[serde(rename = "type")]
        kind: String,
    }
    match serde_json::from_str::<Shown>(said) {
        Ok(Shown {
            server_name,
            tool_name,
            kind,
        }) => {
            let tool = if tool_name.is_empty() {
                kind
            } else {
                tool_name
            };
            (
                format!("mcp__{server_name}__{tool}"),
                said.to_owned().into(),
            )
        }
        Err(_) => ("mcp__".to_owned(), object_of("text", said)),
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CopilotEvent<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    timestamp: Lenient<Timestamp>,
    #[serde(borrow)]
    data: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Data<'a> {
    #[serde(borrow)]
    session_id: LenientStr<'a>,
    #[serde(borrow)]
    context: Lenient<Context<'a>>,
    #[serde(borrow)]
    content: Option<Raw<'a>>,
    #[serde(borrow)]
    tool_requests: Lenient<Vec<Raw<'a>>>,
    #[serde(borrow)]
    tool_call_id: Option<Raw<'a>>,
    #[serde(borrow)]
    parent_tool_call_id: LenientStr<'a>,
    #[serde(borrow)]
    tool_name: LenientStr<'a>,
    #[serde(borrow)]
    name: LenientStr<'a>,
    #[serde(borrow)]
    arguments: Option<Raw<'a>>,
    success: Lenient<bool>,
    is_user_requested: Lenient<bool>,
    #[serde(borrow)]
    result: Lenient<CopilotResult<'a>>,
    #[serde(borrow)]
    error: Lenient<Failure<'a>>,
    #[serde(borrow)]
    request_id: Option<Raw<'a>>,
    #[serde(borrow)]
    permission_request: Option<Raw<'a>>,
    #[serde(borrow)]
    prompt_request: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PermissionRequest<'a> {
    #[serde(borrow)]
    tool_call_id: Option<Raw<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Context<'a> {
    #[serde(borrow)]
    cwd: LenientStr<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CopilotResult<'a> {
    #[serde(borrow)]
    content: Option<Raw<'a>>,
    #[serde(borrow)]
    kind: LenientStr<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Failure<'a> {
    #[serde(borrow)]
    message: Option<Raw<'a>>,
    #[serde(borrow)]
    code: LenientStr<'a>,
}

fn read_copilot<'a>(raw: Raw<'a>, whole: &'a str) -> SessionRecord<'a> {
    let event = raw.read::<CopilotEvent<'a>>().unwrap_or_default();
    let mut events = Events::new(whole, event.timestamp.0);
    let data = event.data.and_then(|raw| raw.read::<Data<'a>>());
    let data = data.unwrap_or_default();
    let requests = [data.permission_request, data.prompt_request];
    let kind = text(event.kind).unwrap_or_default();
    let mut record = SessionRecord::default();
    match &*kind {
        "" => return copilot_history::read(raw, whole),
        // Commands typed by the person aren't the agent's.
        "tool.user_requested" => {
            if let Some(id) = id(data.tool_call_id) {
                events.push(raw, EventKind::OfPerson(id));
            }
        }
        "tool.execution_complete" if data.is_user_requested.0 == Some(true) => {}
        "session.start" | "session.resume" => {
            record.session = text(data.session_id).filter(|id| !id.is_empty());
            record.cwd = data.context.0.and_then(|context| text(context.cwd));
            record.header = true;
        }
        "user.message" => events.push(raw, EventKind::Prompt(output(data.content))),
        "assistant.message" => {
            record.agent = text(data.parent_tool_call_id);
            let said = output(data.content);
            if !said.is_empty() {
                events.push(raw, EventKind::Said(said));
            }
            for raw in data.tool_requests.0.unwrap_or_default() {
                if let Some(call) = raw.read::<Data<'a>>() {
                    events.push(raw, EventKind::Began(call.call()));
                }
            }
        }
        "tool.execution_start" => {
            record.agent = text(data.parent_tool_call_id);
            events.push(raw, EventKind::Began(data.call()));
        }
        "tool.execution_complete" => {
            record.agent = text(data.parent_tool_call_id);
            events.push(raw, EventKind::Ended(data.ended()));
        }
        "permission.completed" => {
            let denied = data.result.0.and_then(|result| text(result.kind));
            let denied = denied.filter(|kind| kind.starts_with("denied"));
            if let Some(kind) = denied {
                let by = match &*kind {
                    "denied-interactively-by-user" => DecidedBy::Human,
                    _ => DecidedBy::Policy,
                };
                let request = id(data.request_id);
                events.push(
                    raw,
                    match id(data.tool_call_id) {
                        Some(id) => EventKind::Rejected { id, by },
                        None => EventKind::RequestDecided {
                            request,
                            allowed: false,
                            by,
                        },
                    },
                );
            }
        }
        "permission.requested" => {
            let asked = data.permission_request;
            let asked = asked.and_then(|raw| raw.read::<PermissionRequest<'a>>());
            let asked = asked.unwrap_or_default();
            if let Some(request) = id(data.request_id) {
                let id = id(data.tool_call_id).or_else(|| id(asked.tool_call_id));
                events.push(raw, EventKind::Requested { request, id });
            }
        }
        _ => {}
    }
    // A request repeats the call that it is about. If nothing is known here, the whole record is
    // read later.
    if events.have_calls() {
        let of_result = &*kind == "tool.execution_complete";
        if let Some(raw) = event.data
            && (of_result || kind.starts_with("tool."))
        {
            let reading = if of_result {
                Reading::Result
            } else {
                Reading::Call
            };
            events.mark(raw, reading);
        }
        for raw in requests.into_iter().flatten().chain([raw]) {
            events.mark(raw, Reading::Call);
        }
        events.push_unread_calls(raw, 0);
    }
    record.events = events.into_list();
    record
}

impl<'a> Data<'a> {
    fn call(&self) -> Call<'a> {
        Call {
            id: id(self.tool_call_id).filter(|id| !id.is_empty()),
            tool: text(self.tool_name)
                .or_else(|| text(self.name))
                .unwrap_or_default(),
            input: arguments(self.arguments),
        }
    }

    fn ended(self) -> CallEnd<'a> {
        let error = self.error.0.unwrap_or_default();
        let how = if is_word(error.code, &["rejected"]) {
            CallStatus::Rejected(DecidedBy::Human)
        } else if is_word(error.code, &["denied"]) {
            CallStatus::Rejected(DecidedBy::Policy)
        } else {
            match self.success.0 {
                Some(true) => CallStatus::Ok,
                Some(false) => CallStatus::Error,
                None => CallStatus::NotRecorded,
            }
        };
        CallEnd {
            id: id(self.tool_call_id),
            how,
            output: output(self.result.0.and_then(|r| r.content).or(error.message)),
            exit_code: None,
            change: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::formats::session::testing::{fed, told};

    #[test]
    fn a_known_call_of_copilot_hides_no_other() {
        let list = r#"[{"toolCallId":"a","name":"view","arguments":{"path":"x"}}]"#;
        let other = r#"{"toolCallId":"z","name":"bash","arguments":{"command":"x"}}"#;
        let known = r#"call a view {"path":"x"}"#;
        let wanted = r#"wanted call z bash {"command":"x"}"#;
        let start = r#""toolCallId":"a","toolName":"view","arguments":{"path":"x"}"#;
        for (kind, data, known) in [
            (
                "assistant.message",
                format!(r#""toolRequests":{list},"toolCalls":[{other}]"#),
                known,
            ),
            (
                "assistant.message",
                format!(r#""toolRequests":{list},"x":{{"y":{other}}}"#),
                known,
            ),
            (
                "tool.execution_start",
                format!(r#"{start},"x":[{other}]"#),
                known,
            ),
            (
                "tool.execution_complete",
                format!(r#""toolCallId":"a","success":true,"toolCalls":[{other}]"#),
                "end a Ok None ",
            ),
        ] {
            let text = format!(r#"{{"type":"{kind}","data":{{{data}}}}}"#);
            assert_eq!(told(&COPILOT, &text), [known, wanted], "{text}");
            let text = text.replace(r#""data":{"#, &format!(r#""more":{other},"data":{{"#));
            assert!(told(&COPILOT, &text).contains(&wanted.to_owned()), "{text}");
        }
        // Copies of a call, and what a tool returned.
        for (kind, data) in [
            (
                "assistant.message",
                format!(r#""toolRequests":{list},"toolCalls":{list}"#),
            ),
            (
                "tool.execution_start",
                format!(r#"{start},"mcpServerName":"m","mcpToolName":"t""#),
            ),
            (
                "tool.execution_complete",
                format!(r#""toolCallId":"a","result":{{"x":{other}}},"toolTelemetry":{other}"#),
            ),
            (
                "permission.requested",
                format!(r#""requestId":"r","permissionRequest":{other},"promptRequest":{other}"#),
            ),
        ] {
            let text = format!(r#"{{"type":"{kind}","data":{{{data}}}}}"#);
            assert!(
                told(&COPILOT, &text)
                    .iter()
                    .all(|line| !line.starts_with("wanted")),
                "{text}"
            );
        }
    }

    #[test]
    fn tools_and_commands_of_a_window_are_calls() {
        let text = r#"{"ts":5,"type":"ask","ask":"command","text":"ls REQ_APP"}"#;
        assert_eq!(
            told(&FORMAT, text),
            [
                r#"call 5 execute_command {"command":"ls "}"#,
                "end 5 NotRecorded None "
            ]
        );
        let text = r#"{"ts":5,"type":"say","say":"tool","text":"{\"tool\":\"readFile\"}"}"#;
        assert_eq!(
            told(&FORMAT, text)[0],
            r#"call 5 readFile {"tool":"readFile"}"#
        );
        let text = r#"{"ts":5,"type":"ask","ask":"use_subagents","text":"{\"prompts\":[\"x\"]}"}"#;
        assert_eq!(
            told(&FORMAT, text)[0],
            r#"call 5 use_subagents {"prompts":["x"]}"#
        );
    }

    #[test]
    fn a_message_that_is_still_being_written_is_the_same_call() {
        let message = |n: u8, command: &str, more: &str| {
            format!(r#"{{"ts":{n},"type":"ask","ask":"command","text":"{command}"{more}}}"#)
        };
        let partial = r#","partial":true"#;
        let all = fed(
            &FORMAT,
            &[
                &message(1, "l", partial),
                &message(1, "ls", partial),
                &message(1, "ls -a", ""),
                &message(1, "rm", ""),
                &message(2, "make", partial),
                r#"{"ts":3,"type":"say","say":"text","text":"x","partial":true}"#,
            ],
        );
        let calls: Vec<_> = all.iter().skip(1).map(String::as_str).collect();
        assert_eq!(calls.len(), 3, "{calls:?}");
        for (call, (command, outcome)) in calls.iter().zip([
            ("ls -a", "not_recorded"),
            ("rm", "not_recorded"),
            ("make", "open"),
        ]) {
            assert!(
                call.contains(&format!(r#"{{"command":"{command}"}}"#)),
                "{call}"
            );
            assert!(
                call.contains(&format!(r#""outcome":"{outcome}""#)),
                "{call}"
            );
        }
    }

    #[test]
    fn a_request_says_where_cline_works() {
        let details =
            r"<task>x</task>\n\n<environment_details>\n# Current Working Directory (/w) Files";
        let request = serde_json::json!({ "request": details.replace(r"\n", "\n") }).to_string();
        let request =
            serde_json::json!({"ts": 1, "type": "say", "say": "api_req_started", "text": request});
        let command = r#"{"ts":2,"type":"say","say":"command","text":"ls"}"#;
        let all = fed(&FORMAT, &[&request.to_string(), command]);
        assert!(all[0].contains(r#""workdir":"/w""#), "{all:?}");
    }

    #[test]
    fn a_denied_request_is_about_its_call() {
        let event = |kind: &str, data: &str| format!(r#"{{"type":"{kind}","data":{{{data}}}}}"#);
        let start = |id: &str| {
            let data = format!(
                r#""toolCallId":"{id}","toolName":"bash","arguments":{{"command":"{id}"}}"#
            );
            event("tool.execution_start", &data)
        };
        let request =
            |more: &str| event("permission.requested", &format!(r#""requestId":"r"{more}"#));
        let named = request(r#","permissionRequest":{"kind":"shell","toolCallId":"a"}"#);
        let denied = |id: &str| {
            let data =
                format!(r#""requestId":"{id}","result":{{"kind":"denied-interactively-by-user"}}"#);
            event("permission.completed", &data)
        };
        let cases = [
            (
                vec![start("a"), start("b"), named.clone(), denied("r")],
                "a",
            ),
            (vec![named, start("a"), start("b"), denied("r")], "a"),
            (vec![start("a"), request(""), start("b"), denied("r")], "a"),
            // The only waiting call.
            (vec![start("a"), denied("q")], "a"),
            (vec![start("a"), start("b"), denied("q")], "-"),
        ];
        for (lines, expected) in cases {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let all = fed(&COPILOT, &lines);
            for record in all.iter().filter(|r| r.contains(r#""record":"call""#)) {
                let is_it = record.contains(&format!(r#""callId":"{expected}""#));
                let rejected = record.contains(r#""decision":{"status":"rejected","by":"human""#);
                assert_eq!(rejected, is_it, "{lines:?} {record}");
            }
        }
    }

    #[test]
    fn a_code_says_who_denied_a_call() {
        for (error, how) in [
            (r#"{"code":"denied"}"#, "Rejected(Policy)"),
            (r#"{"code":"rejected"}"#, "Rejected(Human)"),
            (r#"{"code":"failure","message":"denied"}"#, "Error"),
            ("7", "Error"),
        ] {
            let text = format!(
                r#"{{"type":"tool.execution_complete",
                    "data":{{"toolCallId":"c","success":false,"error":{error}}}}}"#
            );
            assert!(
                told(&COPILOT, &text)[0].starts_with(&format!("end c {how} ")),
                "{text}"
            );
        }
    }

    #[test]
    fn what_the_person_asked_copilot_for_is_no_call_of_the_agent() {
        let events = [
            r#"{"type":"session.start","data":{"sessionId":"s"}}"#,
            r#"{"type":"tool.user_requested","data":{"toolCallId":"u","toolName":"bash"}}"#,
            r#"{"type":"tool.execution_start","data":{"toolCallId":"u","toolName":"bash"}}"#,
            r#"{"type":"tool.execution_complete","data":{"toolCallId":"u","success":true}}"#,
            concat!(
                r#"{"type":"tool.execution_complete","data":{"toolCallId":"w","success":true,"#,
                r#""isUserRequested":true}}"#,
            ),
            r#"{"type":"tool.execution_start","data":{"toolCallId":"a","toolName":"bash"}}"#,
        ];
        let all = fed(&COPILOT, &events);
        assert_eq!(all.len(), 2, "{all:#?}");
        assert!(all[1].contains(r#""callId":"a""#), "{all:#?}");
    }

    #[test]
    fn the_first_request_says_where_cline_works() {
        let request = concat!(
            r#"{"ts":2,"type":"say","say":"api_req_started","#,
            r#""text":"{\"request\":\"<task>x</task><environment_details>\\n# Current Working"#,
            r#" Directory (/home/mia/app) Files\"}"}"#,
        );
        let all = fed(
            &FORMAT,
            &[
                r#"{"ts":1,"type":"say","say":"task","text":"x"}"#,
                request,
                r#"{"ts":3,"type":"say","say":"command","text":"ls"}"#,
            ],
        );
        assert!(all[0].contains(r#""workdir":"/home/mia/app""#), "{all:#?}");
    }
}
