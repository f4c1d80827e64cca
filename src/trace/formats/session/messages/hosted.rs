//! Items that contain a call together with its decision or result: approvals of the Responses API,
//! and parts of the AI SDK's messages.

use super::{
    Call, CallStatus, EventKind, Events, Lenient, LenientStr, Message, Raw, id, is_word, output,
    text,
};
use crate::trace::formats::session::unread::Reading;
use crate::trace::formats::session::{CallEnd, ExitCode};
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
        "dynamic-tool" => parts().part(events, raw, message.call(), None),
        kind => {
            let tool = kind.strip_prefix("tool-").filter(|_| kind != "tool-call");
            tool.is_some_and(|tool| parts().part(events, raw, message.call(), Some(tool)))
        }
    }
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
    let codes = || outcomes.iter().filter_map(|outcome| outcome.exit_code.0);
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
