//! A call has no result on record.
//!
//! ## What it does
//! The session records results, and none of this call. It is treated as one that may have run. It
//! is a note for the last call of its input, which may still be running or may be waiting for an
//! answer. Where decisions are recorded and none is of this call, a text that says it was rejected
//! is no result either: anything can print such a text.
//!
//! ## Why it matters
//! Whatever the call did, the record doesn't show it: whether it ran, whether it failed, what it
//! printed. A crash leaves such a call, and so does somebody who takes a result out.
//!
//! ## How to fix it
//! Compare what the call asks for with the state of the work tree. Where the runtime died, let it
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
                "has no result on record but a text that says it was rejected",
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
