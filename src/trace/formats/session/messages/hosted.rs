//! Items that contain a call together with its decision or result: approvals of the Responses API,
//! and parts of the AI SDK's messages.

use super::{
    Call, CallStatus, EventKind, Events, Lenient, LenientStr, Message, Raw, id, is_word, output,
    text,
};
use crate::trace::formats::session::unread::Reading;
use crate::trace::formats::session::{CallEnd, ExitCode, given};
use governance::DecidedBy;
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Item<'a> {
    #[serde(borrow)]
    approval_request_id: Option<Raw<'a>>,
    approve: Lenient<bool>,
    #[serde(borrow)]
    state: LenientStr<'a>,
    #[serde(borrow, rename = "toolCallId")]
    call: Option<Raw<'a>>,
    #[serde(borrow, rename = "toolName")]
    tool: LenientStr<'a>,
    #[serde(borrow)]
    output: Option<Raw<'a>>,
    /// The earlier name of `output`.
    #[serde(borrow)]
    result: Option<Raw<'a>>,
    #[serde(borrow, rename = "errorText")]
    error: Option<Raw<'a>>,
    #[serde(borrow, rename = "toolInvocation")]
    invocation: Option<Raw<'a>>,
    #[serde(rename = "approval")]
    decision: Lenient<Approval>,
    #[serde(borrow, rename = "approvalId")]
    approval: Option<Raw<'a>>,
    approved: Lenient<bool>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Approval {
    approved: Lenient<bool>,
}

/// Reads such an item. Returns whether it is one.
pub(super) fn item<'a>(
    events: &mut Events<'a>,
    raw: Raw<'a>,
    kind: &str,
    message: &Message<'a>,
) -> bool {
    let parts = || raw.read::<Item<'a>>().unwrap_or_default();
    match kind {
        "mcp_approval_request" => {
            events.push(raw, EventKind::Call(message.call()));
            true
        }
        "mcp_approval_response" => {
            let item = parts();
            let by = DecidedBy::Human;
            match (id(item.approval_request_id), item.approve.0) {
                (Some(id), Some(true)) => events.push(raw, EventKind::Approved { id, by }),
                (Some(id), Some(false)) => events.push(raw, EventKind::Rejected { id, by }),
                _ => {}
            }
            true
        }
        // The AI SDK's, whose requests have ids of their own.
        "tool-approval-request" => {
            let item = parts();
            if let (Some(request), call @ Some(_)) = (id(item.approval), id(item.call)) {
                events.push(raw, EventKind::Requested { request, id: call });
            }
            true
        }
        "tool-approval-response" => {
            let item = parts();
            if let (request @ Some(_), Some(allowed)) = (id(item.approval), item.approved.0) {
                events.push(
                    raw,
                    EventKind::RequestDecided {
                        request,
                        allowed,
                        by: DecidedBy::Human,
                    },
                );
            }
            true
        }
        "mcp_call" => {
            let request = id(parts().approval_request_id);
            let Some(request) = request.filter(|id| !id.is_empty()) else {
                return false;
            };
            let (mut call, mut ended) = (message.call(), message.ended());
            (call.id, ended.id) = (Some(request.clone()), Some(request));
            events.push(
                raw,
                EventKind::Done {
                    call,
                    decision: None,
                    ended,
                },
            );
            true
        }
        "tool-invocation" => {
            let Some(inner) = parts().invocation else {
                return false;
            };
            let call = inner.read::<Message<'a>>().unwrap_or_default().call();
            let item = inner.read::<Item<'a>>().unwrap_or_default();
            let is_part = item.part(events, raw, call, None);
            if is_part {
                events.mark(inner, Reading::Call);
            }
            is_part
        }
        "hosted_tool_call" => {
            hosted_call(events, raw, message);
            true
        }
        "dynamic-tool" => parts().part(events, raw, message.call(), None),
        kind => {
            let tool = kind.strip_prefix("tool-").filter(|_| kind != "tool-call");
            tool.is_some_and(|tool| parts().part(events, raw, message.call(), Some(tool)))
        }
    }
}

impl Message<'_> {
    /// Returns whether the call of an item that contains its result isn't over.
    pub(super) fn is_open(&self) -> bool {
        const OPEN: &[&str] = &["in_progress", "searching", "interpreting", "generating"];
        is_word(self.status, OPEN) && self.output.or(self.result).or(self.error).is_none()
    }
}

/// Adds a call and its end, which are one item.
pub(super) fn push_done<'a>(
    events: &mut Events<'a>,
    raw: Raw<'a>,
    mut call: Call<'a>,
    ended: Option<CallEnd<'a>>,
) {
    let id = call.id.take().unwrap_or_else(|| events.own_id());
    call.id = Some(id.clone());
    events.push(raw, EventKind::Call(call));
    if let Some(ended) = ended {
        let id = Some(id);
        events.push(raw, EventKind::Ended(CallEnd { id, ..ended }));
    }
}

/// Reads a call of the model's servers in the Agents SDK. The provider's item contains the rest of
/// it.
fn hosted_call<'a>(events: &mut Events<'a>, raw: Raw<'a>, message: &Message<'a>) {
    let inner = |raw: Raw<'a>| Some((raw, raw.read::<Message<'a>>()?));
    let mut call = message.call();
    let name = call.tool.clone();
    let mut ended = message.ended();
    if let Some((part, mut inner)) = message.provider_data.and_then(inner) {
        inner.id = inner.id.or(message.id);
        events.mark(part, Reading::Call);
        let kind = text(inner.kind).unwrap_or_else(|| name.clone());
        if kind != "hosted_tool_call" && item(events, part, &kind, &inner) {
            return;
        }
        let (own, provided) = (call.input, inner.call());
        call = provided;
        given::add(&mut call.input, own);
        if message.output.is_none() {
            let is_failed = ended.how != CallStatus::Ok;
            let how = if is_failed {
                ended.how
            } else {
                inner.ended().how
            };
            ended = CallEnd {
                how,
                ..inner.ended()
            };
        }
    }
    let has_input = !given::is_blank(&call.input);
    if name == "mcp_list_tools" && !has_input {
        return;
    }
    let tool = if call.tool.is_empty() {
        &name
    } else {
        &call.tool
    };
    let tool = tool.strip_suffix("_call").unwrap_or(tool).to_owned();
    call.tool = tool.into();
    push_done(
        events,
        raw,
        call,
        Some(ended).filter(|_| !message.is_open()),
    );
}

impl<'a> Item<'a> {
    /// Reads a part of an AI SDK message. Returns whether it is one.
    fn part(
        self,
        events: &mut Events<'a>,
        raw: Raw<'a>,
        call: Call<'a>,
        tool: Option<&str>,
    ) -> bool {
        let (Some(id), Some(state)) = (id(self.call), text(self.state)) else {
            return false;
        };
        let tool = tool.map(|tool| tool.to_owned().into());
        let call = Call {
            id: Some(id.clone()),
            tool: tool.or_else(|| text(self.tool)).unwrap_or_default(),
            ..call
        };
        events.push(raw, EventKind::Call(call));
        let by = DecidedBy::Human;
        if self.decision.0.and_then(|approval| approval.approved.0) == Some(true) {
            events.push(raw, EventKind::Approved { id: id.clone(), by });
        }
        let how = match &*state {
            "output-available" | "result" => CallStatus::Ok,
            "output-error" => CallStatus::Error,
            "output-denied" => CallStatus::Rejected(by),
            _ => return true,
        };
        let ended = CallEnd {
            id: Some(id),
            how,
            output: output(self.output.or(self.result).or(self.error)),
            exit_code: None,
            change: None,
        };
        events.push(raw, EventKind::Ended(ended));
        true
    }
}

/// Returns how a hosted shell's commands ended: the exit code of the first that failed, or of the
/// last.
pub(super) fn shell_end(raw: Option<Raw<'_>>) -> Option<(CallStatus, Option<i64>)> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Printed<'a> {
        #[serde(borrow)]
        outcome: Lenient<Outcome<'a>>,
    }
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Outcome<'a> {
        #[serde(borrow, rename = "type")]
        kind: LenientStr<'a>,
        exit_code: ExitCode,
        /// The name of `exit_code` in the Agents SDK.
        #[serde(rename = "exitCode")]
        agents_code: ExitCode,
    }
    let list: Vec<Raw<'_>> = raw?.read()?;
    let outcomes = list
        .into_iter()
        .filter_map(|raw| raw.read::<Printed<'_>>()?.outcome.0);
    let outcomes: Vec<Outcome<'_>> = outcomes.collect();
    if outcomes
        .iter()
        .any(|outcome| is_word(outcome.kind, &["timeout"]))
    {
        return Some((CallStatus::Interrupted, None));
    }
    let codes = || {
        let both = outcomes
            .iter()
            .flat_map(|o| [o.exit_code.0, o.agents_code.0]);
        both.flatten()
    };
    let code = codes()
        .find(|code| *code != 0)
        .or_else(|| codes().next_back())?;
    Some((
        if code == 0 {
            CallStatus::Ok
        } else {
            CallStatus::Error
        },
        Some(code),
    ))
}

#[cfg(test)]
mod tests {
    use crate::trace::formats::Format;
    use crate::trace::formats::session::messages::FORMAT;
    use crate::trace::formats::session::testing::told;

    #[test]
    fn items_of_the_agents_sdk_are_joined_by_their_call_ids() {
        for (item, expected) in [
            (
                r#"{"type":"function_call","id":"own","callId":"c","name":"f","arguments":"{\"a\":1}"}"#,
                vec![r#"call c f {"a":1}"#],
            ),
            (
                r#"{"type":"function_call_result","callId":"c","name":"f",
                    "status":"completed","output":{"type":"text","text":"x"}}"#,
                vec!["end c Ok None x"],
            ),
            (
                r#"{"type":"function_call_result","callId":"c","status":"incomplete","output":"x"}"#,
                vec!["end c Interrupted None x"],
            ),
            (
                r#"{"type":"computer_call_result","callId":"c",
                    "output":{"type":"computer_screenshot","data":"d"}}"#,
                vec![r#"end c Ok None {"type":"computer_screenshot","data":"d"}"#],
            ),
            (
                r#"{"type":"shell_call","callId":"c","action":{"commands":["ls","pwd"]}}"#,
                vec![r#"call c bash {"command":"ls\npwd"}"#],
            ),
            (
                r#"{"type":"shell_call_output","callId":"c",
                    "output":[{"stdout":"","outcome":{"type":"exit","exitCode":3}}]}"#,
                vec![r#"end c Error Some(3) {"stdout":"","outcome":{"type":"exit","exitCode":3}}"#],
            ),
            (
                r#"{"type":"apply_patch_call","callId":"c","operation":{"type":"delete_file","path":"a"}}"#,
                vec![r#"call c apply_patch {"type":"delete_file","path":"a"}"#],
            ),
            (
                r#"{"type":"apply_patch_call_output","callId":"c","status":"failed","output":"no"}"#,
                vec!["end c Error None no"],
            ),
        ] {
            assert_eq!(told(&FORMAT, item), expected, "{item}");
            let format = Format::of_record(item, 32).map(Format::name);
            assert_eq!(format, Some("messages"), "{item}");
        }
    }

    #[test]
    fn a_hosted_call_contains_what_the_provider_wrote() {
        let hosted = |members: &str| {
            told(
                &FORMAT,
                &format!(r#"{{"type":"hosted_tool_call","id":"h",{members}}}"#),
            )
        };
        for (members, expected) in [
            (
                r#""name":"web_search_call","arguments":"{\"q\":1}","status":"completed","output":"x""#,
                vec![r#"call h web_search {"q":1}"#, "end h Ok None x"],
            ),
            (
                r#""name":"web_search_call","status":"in_progress""#,
                vec!["call h web_search {}"],
            ),
            (
                r#""name":"web_search_call","status":"completed",
                    "providerData":{"type":"web_search_call","action":{"type":"search","query":"x"}}"#,
                vec![
                    r#"call h web_search {"type":"search","query":"x"}"#,
                    "end h Ok None ",
                ],
            ),
            (
                r#""name":"mcp_call","status":"completed",
                    "providerData":{"type":"mcp_call","name":"f","arguments":"{\"a\":1}","error":"gone"}"#,
                vec![r#"call h f {"a":1}"#, "end h Error None gone"],
            ),
            (
                r#""name":"mcp_call","arguments":"{\"a\":2}",
                    "providerData":{"type":"mcp_call","name":"f","arguments":"{\"a\":1}"}"#,
                vec![
                    r#"call h f {"arguments":{"a":1},"other_arguments":{"a":2}}"#,
                    "end h Ok None ",
                ],
            ),
            (
                r#""name":"mcp_approval_request","status":"in_progress",
                    "providerData":{"type":"mcp_approval_request","id":"r","name":"f",
                    "arguments":"{}"}"#,
                vec!["call r f {}"],
            ),
            (
                r#""name":"mcp_list_tools","status":"completed","output":"[]""#,
                vec![],
            ),
        ] {
            assert_eq!(hosted(members), expected, "{members}");
        }
    }
}
