//! A result, or markup of a call, has no recorded call.
//!
//! ## What it does
//! The rule fires if a session contains a result of a call that isn't recorded. The executed action
//! is then unknown, and so is whether it was authorised. It also fires if a text of the agent
//! contains a call as markup (such as `<tool_call>{"name": …}`) in a format that records calls as
//! structures. Markup in a fenced block or between backticks is only an explanation and ignored.
//! Each message is reported once.
//!
//! ## Why it matters
//! Something was executed, and the record doesn't show what. A transcript that was cut begins like
//! that, and so does one from which a call was removed. With markup, possibly nothing was executed:
//! the agent continues as if it had called the tool.
//!
//! ## How to fix it
//! Get the earlier part of the transcript, or the part that was removed by compaction, and verify
//! the whole session.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::replay::{CallAnomaly, CallAnomalyKind};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(327),
    name: "call-without-record",
    severity: Severity::Warning,
    aspect: None,
    summary: "a result, or markup of a call, has no call on record",
    source: include_str!("call_without_record.rs"),
    examples: &[
        include_str!("call_without_record.fails.jsonl"),
        include_str!("call_without_record.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(CallAnomaly { id, kind }) = &cx.step_facts.anomalies().call else {
        return;
    };
    let named = id.as_deref().filter(|id| !id.is_empty());
    let (message, member) = match (kind, named) {
        (CallAnomalyKind::ResultWithoutCall, Some(id)) => (
            format!("the call `{id}` has a result, but the call isn't recorded"),
            "/callId",
        ),
        (CallAnomalyKind::ResultWithoutCall, None) => {
            ("a result has no call on record".to_owned(), "/callId")
        }
        (CallAnomalyKind::Claimed, Some(tool)) => (
            format!(
                "the agent's text contains a call of `{tool}` as markup, but no call is recorded"
            ),
            "/tool",
        ),
        (CallAnomalyKind::Claimed, None) => (
            "the agent's text contains a call as markup, but no call is recorded".to_owned(),
            "/tool",
        ),
        _ => return,
    };
    out.report(&RULE, message)
        .below_if_present(member)
        .subject(named.unwrap_or_default());
}
