//! An output was cut without a mark.
//!
//! ## What it does
//! An output looks cut in two cases:
//!
//! - It has 256 bytes or more and ends in half a character (U+FFFD).
//! - It ends in the middle of a line at the length of a usual limit: a power of two or a round
//!   thousand, from 2,000 on, in bytes, characters or UTF-16 units.
//!
//! The rule fires unless `truncated` of the result or of its observation is true, or the output
//! itself ends by saying that it was cut. Only `ExecutionRecord` traces are checked; the native
//! formats have no such member for results. The finding is at the observation, the last place where
//! the mark could be.
//!
//! ## Why it matters
//! Nobody knows that something is missing: the next thought treats half a file as the file and half
//! a list of failures as all of them, and so does the reader of the record.
//!
//! ## How to fix it
//! Set `truncated` wherever output is cut, and say in the output how much is missing. Cut at
//! characters, preferably at line ends.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::replay::ContextBreak;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(604),
    name: "silent-truncation",
    severity: Severity::Error,
    aspect: None,
    summary: "an output was cut without a mark",
    source: include_str!("silent_truncation.rs"),
    examples: &[
        include_str!("silent_truncation.fails.jsonl"),
        include_str!("silent_truncation.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for b in &cx.step_facts.anomalies().context {
        if let ContextBreak::SilentCut { why } = b {
            out.report(&RULE, format!("the output was cut without a mark: {why}"));
        }
    }
}
