//! The committed repo map differs from the one that the tree gives.
//!
//! ## What it does
//! `repomap check` reads the settings from a committed map and rebuilds the map from the tree. If
//! any byte differs, it reports one finding that shows the lines that differ.
//!
//! ## Why it matters
//! A map replaces code that is then not read. An old or manually edited map shows the agent and its
//! reviewer a repository that doesn't exist: a function that was removed, a signature that has
//! changed, or a file that was left out on purpose.
//!
//! ## How to fix it
//! Rebuild the map with the same settings and `-o`, and commit it together with the change that
//! made it stale.
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
    summary: "the committed repo map differs from the one that the tree gives",
    source: include_str!("stale_repo_map.rs"),
    examples: &[
        include_str!("stale_repo_map/fails/code.py"),
        include_str!("stale_repo_map/fails/REPOMAP.md"),
        include_str!("stale_repo_map/passes/code.py"),
        include_str!("stale_repo_map/passes/REPOMAP.txt"),
    ],
    check: Check::Policy,
};
