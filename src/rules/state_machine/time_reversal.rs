//! A timestamp is before the previous one of its execution.
//!
//! ## What it does
//! The `timestamp` of each event is compared with the previous one of the same execution. An
//! earlier one is a finding; an equal or missing one isn't. For a `turn`, its `startTime`, the time
//! of the decision and its `endTime` are compared.
//!
//! A decision's own `timestamp` is compared too: later events may not precede it. If the decision's
//! time is the wrong one, the finding points to it. A decision dated after the action that it
//! allows is YV317.
//!
//! Two times are compared at the lower of their precisions: a time in whole seconds is any time
//! within that second. Executions that are interleaved in one input aren't compared with each
//! other.
//!
//! ## Why it matters
//! Times show how long a human took, whether a token was revoked before or after its use, and
//! whether a key was valid. With a clock that jumps, they are worthless. Inserted or reordered
//! records are often visible only by their times.
//!
//! ## How to fix it
//! Take times from one monotonic clock when the event happens, not when it is written, and keep the
//! order of the records. If a clock was set back, record that in `metadata`. If a single record is
//! out of order, investigate it.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::replay::{Approval, Legality};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(208),
    name: "time-reversal",
    severity: Severity::Warning,
    aspect: None,
    summary: "a timestamp is before the previous one of its execution",
    source: include_str!("time_reversal.rs"),
    examples: &[
        include_str!("time_reversal.fails.jsonl"),
        include_str!("time_reversal.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    // An illegal event is out of order in time too, and has its own finding.
    let displaced = cx.execution.is_broken()
        || cx
            .step_facts
            .movement
            .is_some_and(|m| m.movement != Legality::Legal);
    // An action executed before its decision has its own finding (YV317).
    let late = cx.step_facts.anomalies().late_decision.is_some()
        || cx
            .step_facts
            .executed
            .as_ref()
            .is_some_and(|ran| matches!(ran.approval, Approval::Late(_)));
    if let Some(reversal) = cx
        .step_facts
        .anomalies()
        .reversal
        .filter(|_| !displaced && !late)
    {
        let back = reversal.previous.saturating_sub(reversal.now);
        out.report(
            &RULE,
            format!("the time is {back} ms before the time of the event before"),
        )
        .in_record(cx.time_member(reversal.of))
        .related(reversal.line, "the event before");
    }
}
