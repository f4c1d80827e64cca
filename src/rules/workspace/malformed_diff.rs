//! A `code_diff` isn't a valid unified diff.
//!
//! ## What it does
//! The diff of each proposed or modified action is parsed strictly: headers must agree with each
//! other, hunks must have exactly the number of lines in their `@@` line, names must be readable,
//! and nothing may follow a hunk that doesn't belong to one. Both unified diffs and git's extended
//! form are accepted, with creations, removals, renames, copies, modes and binary marks. The
//! message contains the line of the diff, the hunk, and the expected and actual counts.
//!
//! ## Why it matters
//! Programs that apply diffs skip what they don't understand, each in its own way. What a reviewer
//! reads as part of a change may then not be applied, and what is applied may not be what was
//! approved.
//!
//! ## How to fix it
//! Let a program write the diff (`git diff`, `diff -u`) instead of the model, or count the lines of
//! each hunk again before it is proposed. `yuangs-verify patch check` checks a file in the same
//! way.
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
    code: Code(701),
    name: "malformed-diff",
    severity: Severity::Error,
    aspect: None,
    summary: "a `code_diff` isn't a valid unified diff",
    source: include_str!("malformed_diff.rs"),
    examples: &[
        include_str!("malformed_diff.fails.jsonl"),
        include_str!("malformed_diff.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(why) = &cx.step_facts.anomalies().malformed_diff {
        out.report(&RULE, format!("the diff can't be read: {why}"))
            .below_if_present("/modifiedAction/payload/diff")
            .below_if_present("/payload/diff")
            .below_if_present("/payload");
    }
}
