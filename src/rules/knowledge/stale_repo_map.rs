//! The committed repo map isn't what the tree gives.
//!
//! ## What it does
//! `repomap check` reads the settings out of a committed map, builds the map again from the tree,
//! and reports one finding when a byte of it differs, with the lines that do.
//!
//! ## Why it matters
//! A map replaces code that nobody reads. One that is old, or was edited by hand, shows an
//! agent and its reviewer a repository that isn't there: a function that is gone, a signature that
//! has changed, a file that is missing on purpose.
//!
//! ## How to fix it
//! Build the map again with the same settings and `-o`, and commit it with the change that made it
//! stale.
//!
//! ## Fails
//! ```python repomap check --map REPOMAP.md
//! ```
//! ```markdown
//! ```
//!
//! ## Passes
//! ```python repomap check --map REPOMAP.txt
//! ```
//! ```text
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(904),
    name: "stale-repo-map",
    severity: Severity::Error,
    aspect: None,
    summary: "the committed repo map isn't what the tree gives",
    source: include_str!("stale_repo_map.rs"),
    examples: &[
        include_str!("stale_repo_map/fails/code.py"),
        include_str!("stale_repo_map/fails/REPOMAP.md"),
        include_str!("stale_repo_map/passes/code.py"),
        include_str!("stale_repo_map/passes/REPOMAP.txt"),
    ],
    check: Check::Policy,
};
