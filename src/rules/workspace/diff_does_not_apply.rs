//! A diff recorded as successful doesn't apply to the base revision.
//!
//! ## What it does
//! With `--repo`, the diffs that were executed successfully are applied in memory to the tree of
//! `--base` (or `HEAD`), one after the other, in input order. Context must match byte for byte;
//! line numbers may be off.
//!
//! A diff to a file that a recorded command or tool wrote before can't be checked and isn't
//! reported. Neither can a part about a binary file. The other parts of such a diff are applied. If
//! a command was executed before without a record of what it changed, the finding is a warning. The
//! message never contains lines of files.
//!
//! ## Why it matters
//! A record that claims an impossible change wasn't written by the program that made the change, or
//! the work began on another revision than the review assumes. In both cases it doesn't account for
//! the pull request.
//!
//! ## How to fix it
//! Pass the revision on which the work began (`--base`). If it is correct, check what the runtime
//! records as success, and make it record an error if a diff doesn't apply.
//!
//! ## Repository
//! ```text src/add.ts
//! ```
//!
//! ## Fails
//! ```jsonl --repo .
//! ```
//!
//! ## Passes
//! ```jsonl --repo .
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(702),
    name: "diff-does-not-apply",
    severity: Severity::Error,
    aspect: None,
    summary: "an executed, successful diff doesn't apply to the base revision",
    source: include_str!("diff_does_not_apply.rs"),
    examples: &[
        include_str!("diff_does_not_apply/repository/src/add.ts"),
        include_str!("diff_does_not_apply.fails.jsonl"),
        include_str!("diff_does_not_apply.passes.jsonl"),
    ],
    check: Check::Repository,
};
