//! The committed repo map isn't what the tree gives.
//!
//! ## What it does
//! `repomap check` reads the settings out of a committed map, builds the map again from the tree,
//! and reports one finding when a byte of it differs, with the lines that do.
//!
//! ## Why it matters
//! A map stands in for code that nobody reads. One that is old, or was edited by hand, shows an
//! agent and its reviewer a repository that isn't there: a function that is gone, a signature that
//! has changed, a file that is missing on purpose.
//!
//! ## How to mend it
//! Build the map again with the same settings and `-o`, and commit it with the change that made it
//! stale.
//!
//! ## Fails
//! ```python repomap check --map REPOMAP.md
//! def total(rows):
//!     return sum(rows)
//! ```
//! ```markdown
//! <!-- repomap settings: {"version":1,"format":"markdown","tokens":300,"encoding":"o200k_base"} -->
//!
//! Repo map: 1 of 1 definitions in 1 of 1 files, for at most 300 tokens (o200k_base).
//!
//! Left out: nothing.
//!
//! ## `code.py`
//!
//! ~~~
//! def total(rows, currency)
//! ~~~
//! ```
//!
//! ## Passes
//! ```python repomap check --map REPOMAP.txt
//! def total(rows):
//!     return sum(rows)
//! ```
//! ```text
//! # Repo map: 1 of 1 definitions in 1 of 1 files, for at most 300 tokens (o200k_base)
//! # Left out: nothing
//! # repomap settings: {"version":1,"format":"text","tokens":300,"encoding":"o200k_base"}
//!
//! code.py
//!   def total(rows)
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(904),
    name: "stale-repo-map",
    severity: Severity::Error,
    aspect: None,
    summary: "the committed repo map isn't what the tree gives",
    source: include_str!("yv904.rs"),
    check: Check::Policy,
};
