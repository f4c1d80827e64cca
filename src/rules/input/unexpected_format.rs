//! A trace is in a format that the configuration doesn't accept.
//!
//! ## What it does
//! Where `[traces] formats` in `yuangs-verify.toml` lists the formats that traces may have, the
//! gate gives this finding for every input in another one. It is replayed all the same, so that
//! nothing in it goes unseen.
//!
//! ## Why it matters
//! Formats differ in what they record. Whoever rewrites a trace in a format without signers, turns
//! or actions takes away what the rules read: an approval that is missing is an error in one
//! format and *not recorded* in another. A project whose runtime writes one format has no reason to
//! accept a poorer one.
//!
//! ## How to fix it
//! Find out who wrote the file, and hand in the trace that the runtime wrote. If a second runtime
//! is in use, add its format to the list and have that change reviewed.
//!
//! ## Fails
//! ```toml gate
//! ```
//!
//! ```jsonl traces/a.jsonl
//! ```
//!
//! ## Passes
//! ```toml gate
//! ```
//!
//! ```jsonl traces/a.jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(110),
    name: "unexpected-format",
    severity: Severity::Error,
    aspect: None,
    summary: "a trace is in a format that the configuration doesn't accept",
    source: include_str!("unexpected_format.rs"),
    examples: &[
        include_str!("unexpected_format/fails/yuangs-verify.toml"),
        include_str!("unexpected_format/fails/traces/a.jsonl"),
        include_str!("unexpected_format/passes/yuangs-verify.toml"),
        include_str!("unexpected_format/passes/traces/a.jsonl"),
    ],
    check: Check::Policy,
};
