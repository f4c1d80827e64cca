//! A file among the traces is neither read nor excluded.
//!
//! ## What it does
//! The gate searches the directories of `[traces] paths`. It reads a file that matches an
//! `include`. Without `include`, it reads files that end in `.jsonl`, `.ndjson`, `.json`, `.traj`,
//! `.cast` or `.eval`, with or without `.gz` or `.zst`. It skips a file that matches an `exclude`.
//! The rule reports every other file: one with another ending or compression, a pipe, a socket, or
//! a symbolic link to something outside. Hidden files are treated like any other.
//!
//! ## Why it matters
//! A trace that isn't read can't fail. If files were skipped because of their names, renaming a bad
//! trace to `.log`, or compressing it differently, would be enough to pass.
//!
//! ## How to fix it
//! If the file is a trace, give it one of the endings or add it to `include`; unpack it if its
//! compression isn't supported. Otherwise add it to `exclude` (with a narrow glob) or move it
//! elsewhere.
//!
//! ## Fails
//! ```toml gate
//! ```
//!
//! ```jsonl traces/a.jsonl
//! ```
//!
//! ```jsonl traces/b.log
//! ```
//!
//! ## Passes
//! ```toml gate
//! ```
//!
//! ```jsonl traces/a.jsonl
//! ```
//!
//! ```text traces/README.md
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(111),
    name: "unread-file",
    severity: Severity::Error,
    aspect: None,
    summary: "a file among the traces is neither read nor excluded",
    source: include_str!("unread_file.rs"),
    examples: &[
        include_str!("unread_file/fails/yuangs-verify.toml"),
        include_str!("unread_file/fails/traces/a.jsonl"),
        include_str!("unread_file/fails/traces/b.log"),
        include_str!("unread_file/passes/yuangs-verify.toml"),
        include_str!("unread_file/passes/traces/a.jsonl"),
        include_str!("unread_file/passes/traces/README.md"),
    ],
    check: Check::Policy,
};
