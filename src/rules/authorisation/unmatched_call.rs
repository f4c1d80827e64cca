//! A call has no recorded result.
//!
//! ## What it does
//! The rule fires for a call without a result in a session that records results. The call is
//! treated as if it may have been executed. For the last call of an input, which may still be
//! running or waiting for an answer, the finding is a note. If the session records decisions but
//! none about this call, a text that says that it was rejected doesn't count as a result: anything
//! can print such a text.
//!
//! ## Why it matters
//! The record doesn't show whether the call was executed, whether it failed, or what it printed. A
//! crash leaves such a call, and so does somebody who removes a result.
//!
//! ## How to fix it
//! Compare the call's purpose with the state of the work tree. If the runtime crashed, make it
//! write an interrupted result for each open call when it starts again.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use super::named;
use crate::diag::{Code, Severity};
use crate::replay::{CallAnomaly, CallAnomalyKind};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};
use crate::trace::record::NotRecorded;

pub(super) const RULE: Rule = Rule {
    code: Code(325),
    name: "unmatched-call",
    severity: Severity::Warning,
    aspect: None,
    summary: "a call has no result on record",
    source: include_str!("unmatched_call.rs"),
    examples: &[
        include_str!("unmatched_call.fails.jsonl"),
        include_str!("unmatched_call.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(CallAnomaly { id, kind }) = &cx.step_facts.anomalies().call else {
        return;
    };
    let (lacks, last) = match kind {
        CallAnomalyKind::Unmatched { last } => ("has no result on record", *last),
        CallAnomalyKind::RejectedByText
            if cx.execution.records(NotRecorded::Decisions)
                && cx.execution.turn().decision.is_none() =>
        {
            (
                "has no recorded result except a text that says that it was rejected",
                false,
            )
        }
        _ => return,
    };
    let draft = out
        .report(&RULE, format!("{} {lacks}", named(id.as_deref())))
        .subject(id.as_deref().unwrap_or_default());
    if last {
        draft.severity(Severity::Note);
    }
}
