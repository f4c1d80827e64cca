//! A definition that other code may depend on was removed or changed.
//!
//! ## What it does
//! `repomap diff` compares the definitions of two trees by file, name and kind. It reports each
//! public definition of the first tree that is missing or different in the second one. In a gate,
//! the first tree is the point where the branch left `repo-map.base`. New and private definitions
//! are counted but not reported.
//!
//! ## Why it matters
//! A changed interface affects code that the diff doesn't show. An agent that removes a parameter
//! to make its own tests pass has broken every caller that it didn't open.
//!
//! ## How to fix it
//! Keep the old interface, if necessary next to the new one, or change all of its users in the same
//! pull request. The finding is a note. Set `severity.YV906`, or pass `--fail` to `repomap diff`,
//! to make it fail.
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
    summary: "a definition that other code may depend on was removed or changed",
    source: include_str!("interface_changed.rs"),
    examples: &[
        include_str!("interface_changed/repository/code.py"),
        include_str!("interface_changed/fails/code.py"),
        include_str!("interface_changed/passes/code.py"),
    ],
    check: Check::Policy,
};
