//! A human decided faster than a person can, according to the record.
//!
//! ## What it does
//! The time of a human's decision is compared with that of the proposal. The rule fires if it is
//! less than 150 ms later, or earlier. The decision's own `timestamp` is used, or else that of its
//! record; in a `turn`, the proposal's time is `startTime`. If either time is missing, nothing is
//! compared. Decisions by policy may be as fast as they like.
//!
//! ## Why it matters
//! Nobody reads, understands and answers in a tenth of a second. Such an approval comes from a
//! script, from a default that is confirmed automatically, or from a runtime that writes `human` to
//! get high risk approved.
//!
//! ## How to fix it
//! Find out what answered instead of the person, and disable it. If it was a policy, record it as
//! one, with its `ruleId`. If only the time is wrong, take it when the person answers, not when the
//! dialog is created.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(315),
    name: "implausible-approval",
    severity: Severity::Warning,
    aspect: None,
    summary: "according to the record, a human decided faster than a person can",
    source: include_str!("implausible_approval.rs"),
    examples: &[
        include_str!("implausible_approval.fails.jsonl"),
        include_str!("implausible_approval.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Decision], check),
};

/// Minimum time in milliseconds in which a person can read, understand and answer.
const HUMAN_MILLIS: i64 = 150;

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(decided) = &cx.step_facts.decided else {
        return;
    };
    if let Some(millis) = decided.human_millis.filter(|ms| *ms < HUMAN_MILLIS) {
        let message = if millis < 0 {
            format!(
                "according to the record, a human decided {} ms before the action was proposed",
                millis.unsigned_abs()
            )
        } else {
            format!(
                "according to the record, a human decided within {millis} ms; \
                 a person needs {HUMAN_MILLIS} ms at least"
            )
        };
        let draft = out.report(&RULE, message).below_if_present("/timestamp");
        if let Some(line) = decided.proposal_line {
            draft.related(line, "the proposed action");
        }
    }
}
