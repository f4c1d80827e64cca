//! The format doesn't record what a check needs.
//!
//! ## What it does
//! Formats other than version 1 don't keep everything that the checks need: signers and rule names
//! in most, actions and results in a bare log of transitions, thoughts and evaluations in the
//! editor's turns. Once for each execution this note says what its format lacks. The verdict then
//! reads *not recorded* where a yes would need it. It also tells how many lines of an event log
//! appear more than once and were read once.
//!
//! ## Why it matters
//! An approval must never be inferred from a success. If what a format can't show counted as fine,
//! the weakest format would give the cleanest report, and moving to it would be the way around
//! every rule about signers.
//!
//! ## How to fix it
//! Let the runtime write version 1 records, which have a place for all of it. Until then, take *not
//! recorded* for what it is, and get the missing evidence elsewhere, for instance from the review
//! system's log.
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
    code: Code(212),
    name: "evidence-not-recorded",
    severity: Severity::Note,
    aspect: None,
    summary: "the format doesn't record what a check needs",
    source: include_str!("evidence_not_recorded.rs"),
    examples: &[
        include_str!("evidence_not_recorded.fails.jsonl"),
        include_str!("evidence_not_recorded.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::End], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(close) = cx.close
        && let Some(parts) = &close.not_recorded
    {
        let format = cx.execution.format().name();
        let repeats = match close.repeats {
            0 => String::new(),
            1 => "; 1 line appears twice and was read once".to_owned(),
            n => format!("; {n} lines appear more than once and were read once"),
        };
        out.report(
            &RULE,
            format!("the format `{format}` doesn't record: {parts}{repeats}"),
        )
        .at_line(cx.execution.first_line());
    }
}
