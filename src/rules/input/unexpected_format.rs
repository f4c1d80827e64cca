//! A trace is in a format that the configuration doesn't accept.
//!
//! ## What it does
//! If `[traces] formats` in `yuangs-verify.toml` lists the allowed formats of traces, the gate
//! reports every input in another format. The input is replayed anyway, so its other findings
//! appear too.
//!
//! ## Why it matters
//! Formats differ in what they record. Rewriting a trace in a format without signers, turns or
//! actions removes what the rules check: a missing approval is an error in one format and *not
//! recorded* in another. A project whose runtime writes one format has no reason to accept a poorer
//! one.
//!
//! ## How to fix it
//! Find out who wrote the file, and submit the trace that the runtime wrote. If a second runtime is
//! in use, add its format to the list and have that change reviewed.
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
