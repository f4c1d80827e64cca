//! Writes records of `ExecutionRecord` from a session's events.

use super::CallStatus;
use super::tools::SessionAction;
use crate::trace::record::NotRecorded;
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use std::fmt::Write as _;
use strict_json::push_quoted;

/// Data of a call's record.
pub(super) struct CallParts<'c> {
    pub(super) execution: &'c str,
    pub(super) turn: u64,
    pub(super) id: &'c str,
    pub(super) time: Option<Timestamp>,
    pub(super) tool: Option<&'c str>,
    pub(super) reasoning: Option<&'c str>,
    pub(super) action: Option<&'c SessionAction>,
    pub(super) decision: Option<(bool, DecidedBy)>,
    /// Another source contradicts the decision.
    pub(super) contradicted: bool,
    pub(super) end: End<'c>,
    /// It is another result of the call.
    pub(super) again: bool,
    /// The same was rejected in another execution of the session, under this id.
    pub(super) rejected_before: Option<&'c str>,
}

/// End of a call, as far as it is known.
#[derive(Clone, Copy)]
pub(super) enum End<'c> {
    /// No result. `last` says that it is the last call of its input.
    None { last: bool },
    /// The call was never made.
    Claimed,
    Result {
        how: CallStatus,
        output: &'c str,
        exit_code: Option<i64>,
        time: Option<Timestamp>,
    },
}

fn member(out: &mut String, name: &str, text: &str) {
    let _ = write!(out, ",\"{name}\":");
    push_quoted(out, text);
}

/// Returns the record of a session's start.
pub(super) fn start(
    execution: &str,
    parent: Option<&str>,
    intent: &str,
    cwd: Option<&str>,
    not_recorded: &[NotRecorded],
) -> String {
    let mut out = String::from("{\"record\":\"execution_started\"");
    member(&mut out, "executionId", execution);
    out.push_str(",\"schemaVersion\":\"1.0\"");
    member(&mut out, "rootIntent", intent);
    out.push_str(",\"fsmVersion\":\"session\"");
    if let Some(parent) = parent {
        member(&mut out, "parent", parent);
    }
    if let Some(cwd) = cwd {
        member(&mut out, "workdir", cwd);
    }
    let parts = serde_json::to_string(not_recorded).unwrap_or_default();
    let _ = write!(out, ",\"notRecorded\":{parts}}}");
    out
}

/// Returns the record of a call.
pub(super) fn call(parts: &CallParts<'_>) -> String {
    let mut out = String::from("{\"record\":\"call\"");
    member(&mut out, "executionId", parts.execution);
    let _ = write!(out, ",\"turnId\":{}", parts.turn);
    if let Some(time) = parts.time {
        let _ = write!(out, ",\"timestamp\":{}", time.millis());
    }
    member(&mut out, "callId", parts.id);
    if let Some(tool) = parts.tool {
        member(&mut out, "tool", tool);
    }
    if let Some(reasoning) = parts.reasoning {
        member(&mut out, "reasoning", reasoning);
    }
    if let Some(SessionAction { kind, payload }) = parts.action {
        let _ = write!(
            out,
            ",\"action\":{{\"type\":\"{kind}\",\"payload\":{payload}}}"
        );
    }
    if let Some((approved, by)) = parts.decision {
        let status = if approved { "approved" } else { "rejected" };
        let by = match by {
            DecidedBy::Human => "human",
            DecidedBy::Policy => "policy",
        };
        let _ = write!(
            out,
            ",\"decision\":{{\"status\":\"{status}\",\"by\":\"{by}\""
        );
        if parts.contradicted {
            out.push_str(",\"contradicted\":true");
        }
        out.push('}');
    }
    let outcome = match parts.end {
        End::None { last: true } => "open",
        End::None { last: false } => "unmatched",
        End::Claimed => "not_executed",
        End::Result { how, .. } => match how {
            CallStatus::Ok | CallStatus::NoSign => "ok",
            CallStatus::Error | CallStatus::ErrorSoFar | CallStatus::Failed => "error",
            CallStatus::NotRecorded => "not_recorded",
            CallStatus::Interrupted | CallStatus::Stopped => "interrupted",
            CallStatus::Cancelled | CallStatus::Rejected(_) => "not_executed",
            CallStatus::RejectedByText
            | CallStatus::RejectedInNote(_)
            | CallStatus::RejectedInOutput(_) => "rejected_by_text",
        },
    };
    member(&mut out, "outcome", outcome);
    if let End::Result {
        output,
        exit_code,
        time,
        ..
    } = parts.end
    {
        out.push_str(",\"result\":{\"output\":");
        push_quoted(&mut out, output);
        if let Some(code) = exit_code {
            let _ = write!(out, ",\"exitCode\":{code}");
        }
        if let Some(time) = time {
            let _ = write!(out, ",\"timestamp\":{}", time.millis());
        }
        out.push('}');
    }
    if parts.again {
        out.push_str(",\"repeatsResult\":true");
    }
    if let Some(id) = parts.rejected_before {
        member(&mut out, "rejectedBefore", id);
    }
    out.push('}');
    on_one_line(out)
}

/// Joins JSON into one line. Arguments are copied as written and may have several lines; a string
/// contains no line end.
fn on_one_line(text: String) -> String {
    if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some() {
        text.replace(['\n', '\r'], " ")
    } else {
        text
    }
}
