//! The committed repo map shows what isn't true, or lacks too much of what a new map would show.
//!
//! ## What it does
//! `repomap check` reads the settings from a committed map and compares every line of it with the
//! tree. It reports each file and definition that is gone or changed, each that is shown more often
//! than it exists, and each line that has no place in a map. It also reports a map in which more
//! than `--max-drift` per cent (10 by default) of what a new map would show are missing.
//!
//! Order and counters don't matter, and neither does what ranks lower.
//!
//! ## Why it matters
//! A map replaces code that is then not read. An old or manually edited map shows the agent and its
//! reviewer a repository that doesn't exist: a function that was removed, a signature that has
//! changed, or a text that nobody wrote into the code.
//!
//! ## How to fix it
//! Write the map again with `repomap build --update FILE -o FILE`, and commit it together with the
//! change that made it stale.
//!
//! ## Fails
//! ```python repomap check --map REPOMAP.txt
//! ```
//! ```text
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
    summary: "the committed repo map isn't true, or lacks too much",
    source: include_str!("stale_repo_map.rs"),
    examples: &[
        include_str!("stale_repo_map/fails/code.py"),
        include_str!("stale_repo_map/fails/REPOMAP.txt"),
        include_str!("stale_repo_map/passes/code.py"),
        include_str!("stale_repo_map/passes/REPOMAP.txt"),
    ],
    check: Check::Policy,
};
