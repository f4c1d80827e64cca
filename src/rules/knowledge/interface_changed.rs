//! A definition that others may rely on is removed or changed.
//!
//! ## What it does
//! `repomap diff` compares what two trees define, by file, name and kind, and reports one finding
//! for each public definition of the first that the second lacks or writes otherwise. A gate does
//! so from where the branch parted from `repo-map.base`. What is new, and what is private, is
//! counted and not reported.
//!
//! ## Why it matters
//! A change of an interface reaches code that the diff doesn't show. An agent that makes its own
//! tests pass by taking a parameter away has broken every caller that it never opened.
//!
//! ## How to fix it
//! Keep what others call, beside what is new if need be, or change all of its users in the same
//! pull request. It is a note unless `severity.YV906` makes it fail, or `repomap diff --fail` is
//! asked.
//!
//! ## Repository
//! ```text code.py
//! ```
//!
//! ## Fails
//! ```python repomap diff HEAD --fail
//! ```
//!
//! ## Passes
//! ```python repomap diff HEAD --fail
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(906),
    name: "interface-changed",
    severity: Severity::Note,
    aspect: None,
    summary: "a definition that others may rely on is removed or changed",
    source: include_str!("interface_changed.rs"),
    examples: &[
        include_str!("interface_changed/repository/code.py"),
        include_str!("interface_changed/fails/code.py"),
        include_str!("interface_changed/passes/code.py"),
    ],
    check: Check::Policy,
};
