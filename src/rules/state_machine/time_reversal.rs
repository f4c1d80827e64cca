//! A timestamp is before the previous one of its execution.
//!
//! ## What it does
//! The `timestamp` of each event is compared with the last one of the same execution. An earlier
//! one is a finding; an equal one, or none, is not. Of a `turn`, its `startTime`, the decision's
//! time and its `endTime` are compared. A decision's own `timestamp` counts as well: what comes of
//! it comes behind it, and the finding points to it where that is the one that is too early; one
//! that is dated after what it allows is YV317. Two times are compared as coarsely as the coarser
//! one is written: one in whole seconds is any within that second. Executions that are interleaved
//! in one input aren't compared with each other.
//!
//! ## Why it matters
//! Times say how long a human looked, whether a token was revoked before or after its use, and
//! whether a key was valid. A clock that jumps makes that worthless; records that were inserted or
//! reordered afterwards often show by nothing else.
//!
//! ## How to fix it
//! Take times from one monotonic clock, at the moment of the event and not when it is written, and
//! keep the order of the records. If a clock was set back, say so in `metadata`. A single record
//! out of line deserves a closer look.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::replay::{Approval, Movement};
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
            .is_some_and(|m| m.movement != Movement::Legal);
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
        .whole_record(cx.time_member(reversal.of))
        .related(reversal.line, "the event before");
    }
}
