//! A file among the traces is neither read nor excluded.
//!
//! ## What it does
//! The gate walks the directories of `[traces] paths`. A file there is read when an `include` fits
//! it, or, without `include`, when it ends in `.jsonl`, `.json` or `.cast`, with or without `.gz`
//! or `.zst`. It is passed over when an `exclude` fits it. Every other file is this finding:
//! another ending, another compression, a pipe, a socket, a symbolic link to something outside.
//! Hidden files count like any other.
//!
//! ## Why it matters
//! A trace that nobody reads can't fail. If a file were passed over because of its name, renaming a
//! bad trace to `.log` or compressing it in another way would be enough to pass.
//!
//! ## How to fix it
//! If the file is a trace, give it one of the endings, or name it in `include`; unpack it if its
//! compression isn't read. If it is none, name it in `exclude` (a glob, as narrow as it can be), or
//! move it elsewhere.
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
