//! A `code_diff` is no valid unified diff.
//!
//! ## What it does
//! The diff of each proposed action, and of each modified one, is read strictly: headers that agree
//! with each other, hunks with exactly the lines that their `@@` line counts, names that can be
//! read, nothing behind a hunk that belongs to none. Unified diffs and git's form with its
//! creations, removals, renames, copies, modes and binary marks count alike. The message names the
//! line of the diff, the hunk, and expected and found counts.
//!
//! ## Why it matters
//! Programs that apply diffs skip what they don't understand, each in its own way. What a reviewer
//! reads as part of a change may then not be applied, and what is applied may not be what the
//! approval was given for.
//!
//! ## How to fix it
//! Let a program write the diff (`git diff`, `diff -u`) in place of the model, or count the lines
//! of each hunk again before it is proposed. `yuangs-verify patch check` says the same of a file.
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
    summary: "a `code_diff` is no valid unified diff",
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
            .below_if_there("/modifiedAction/payload/diff")
            .below_if_there("/payload/diff")
            .below_if_there("/payload");
    }
}
