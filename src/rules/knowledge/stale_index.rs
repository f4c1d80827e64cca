//! A source is newer than the index.
//!
//! ## What it does
//! `knowledge reindex --check` compares the hash of every source with the one that was indexed, and
//! names those that are new, changed or gone. It reads the other sources again and names those
//! whose texts in the index aren't what the source gives, whatever digest is recorded for them. It
//! changes nothing.
//!
//! ## Why it matters
//! An agent that asks a stale index gets what was true once, and has no way to notice.
//!
//! ## How to fix it
//! Run `knowledge reindex`. It reads only what has changed. Where the index itself was changed,
//! move its file away first: then all is read.
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
