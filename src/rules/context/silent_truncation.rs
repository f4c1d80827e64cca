//! An output was cut, and nothing says so.
//!
//! ## What it does
//! An output of 256 bytes or more that ends in half a character (U+FFFD), or one that ends in the
//! middle of a line at a length that is a usual limit (a power of two or a round thousand, from
//! 2,000 on; in bytes, characters or UTF-16 units), looks cut. It is a finding unless `truncated`
//! of the result or of its observation is true, or the output itself ends in words that say so.
//! Only `ExecutionRecord` traces are checked; the native formats have no such mark on results. The
//! finding is at the observation, which is the last that could have said it.
//!
//! ## Why it matters
//! What was cut away isn't known to be missing: the next thought takes half a file for the file,
//! half a list of failures for all of them, and so does whoever reads the record.
//!
//! ## How to fix it
//! Set `truncated` wherever output is cut, and say in the output how much is missing. Cut at
//! characters, best at line ends.
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
    summary: "output was cut and nothing says so",
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
            out.report(
                &RULE,
                format!("the output was cut and nothing says so: {why}"),
            );
        }
    }
}
