//! A source is newer than the index.
//!
//! ## What it does
//! `knowledge reindex --check` compares the hash of every source with the indexed one, and lists
//! sources that are new, changed or missing. It reads the unchanged sources too, and lists those
//! whose texts in the index differ from the source, whatever digest is recorded. It changes
//! nothing.
//!
//! ## Why it matters
//! An agent that queries a stale index gets outdated facts and can't notice.
//!
//! ## How to fix it
//! Run `knowledge reindex`, which reads only what has changed. If the index itself was changed,
//! move its file away first, so that everything is read again.
//!
//! ## Fails
//! ```toml knowledge reindex --check
//! ```
//! ```md docs/store.md
//! ```
//! ```md later docs/search.md
//! ```
//!
//! ## Passes
//! ```toml knowledge reindex --check
//! ```
//! ```md docs/store.md
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(905),
    name: "stale-index",
    severity: Severity::Warning,
    aspect: None,
    summary: "a source is newer than the index",
    source: include_str!("stale_index.rs"),
    examples: &[
        include_str!("stale_index/fails/yuangs-verify.toml"),
        include_str!("stale_index/fails/docs/store.md"),
        include_str!("stale_index/fails/later/docs/search.md"),
        include_str!("stale_index/passes/yuangs-verify.toml"),
        include_str!("stale_index/passes/docs/store.md"),
    ],
    check: Check::Policy,
};
