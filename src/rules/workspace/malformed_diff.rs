//! A `code_diff` isn't a valid unified diff.
//!
//! ## What it does
//! The diff of each proposed or modified action is parsed strictly: headers must agree with each
//! other, hunks must have exactly the number of lines in their `@@` line, names must be readable,
//! and nothing may follow a hunk that doesn't belong to one. Both unified diffs and git's extended
//! form are accepted, with creations, removals, renames, copies, modes and binary marks. The
//! message contains the line of the diff, the hunk, and the expected and actual counts.
//!
//! Two forms without line numbers are accepted too: hunks whose line is a bare `@@`, and
//! SEARCH/REPLACE blocks below the name of their file. `yuangs-verify patch check` applies them
//! where their old lines are at exactly one place.
//!
//! The severity depends on what became of the diff:
//!
//! | the diff | severity |
//! | --- | --- |
//! | was executed and reported as done | error |
//! | failed, and the record shows changed files, artifacts or exit code 0 | error |
//! | was approved, and no result is recorded | error |
//! | failed without effect | note |
//! | was rejected, or never decided about | note |
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
use crate::replay::DiffFate;
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
    check: Check::Step(&[Trigger::Anomaly, Trigger::End], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for diff in cx.unread_diffs() {
        let what = match diff.fate {
            DiffFate::Done => "was executed",
            DiffFate::Unknown => "was approved, and no result is recorded",
            DiffFate::Failed => "was tried without effect",
            DiffFate::NotRun => "wasn't executed",
        };
        let message = format!("the diff can't be read: {}; it {what}", diff.why);
        let draft = out
            .report(&RULE, message)
            .severity(diff.severity(Severity::Error));
        match diff.fate {
            DiffFate::Done | DiffFate::Failed => draft.related(diff.line, "the diff"),
            DiffFate::NotRun | DiffFate::Unknown => draft.at_line(diff.line),
        };
    }
}
