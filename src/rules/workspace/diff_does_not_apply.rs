//! A diff that is said to have succeeded doesn't apply to the base revision.
//!
//! ## What it does
//! With `--repo`, the diffs that ran and succeeded are applied in memory, in the order of the
//! input, to the tree of `--base` (or `HEAD`), each to what the ones before it gave. Context must
//! match byte for byte; line numbers may be off. A diff to a file that a recorded command or tool
//! has written before can't be checked and isn't reported, nor can a part about a binary file; the
//! other parts of such a diff are taken over. After a command of which nobody recorded what it
//! changed the finding is a warning. The message never repeats lines of files.
//!
//! ## Why it matters
//! A record that claims success for a change which can't have been made wasn't written by what made
//! the change, or the work began on another revision than the review assumes. Either way it doesn't
//! account for the pull request.
//!
//! ## How to fix it
//! Name the revision that the work began on (`--base`). If that is right, see what the runtime
//! records as success, and have it record the error when a diff doesn't apply.
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
