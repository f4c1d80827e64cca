//! The format doesn't record what a check needs.
//!
//! ## What it does
//! Formats other than version 1 don't record everything that the checks need. Most lack signers and
//! rule names, a bare log of transitions lacks actions and results, and the editor's turns lack
//! thoughts and evaluations. This note lists, once per execution, what its format lacks. The
//! verdict is *not recorded* where a yes would need it. The note also gives the number of lines of
//! an event log that appear more than once and were read once.
//!
//! ## Why it matters
//! An approval must never be inferred from a success. If missing evidence counted as fine, the
//! weakest format would give the cleanest report, and switching to it would circumvent every rule
//! about signers.
//!
//! ## How to fix it
//! Make the runtime write version 1 records, which can contain all of it. Until then, don't read
//! *not recorded* as a yes, and get the missing evidence elsewhere, for example from the log of the
//! review system.
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
