//! A record is larger or deeper than the limits.
//!
//! ## What it does
//! A record may have `--max-record-bytes` bytes (16 MiB by default) and `--max-depth`
//! levels of nesting (128); a document that isn't one record a line may have
//! `--max-document-bytes`. What is larger or deeper is passed over, never read in part. Events that
//! are illegal only because it is missing are listed with this finding. A run may hold
//! `--max-executions` executions (50,000), and the open executions of an input may hold
//! `--max-open-bytes` of memory; the records of further ones are refused and counted. Of a manifest
//! a thousand tools are checked, and 64 arguments of a server. The examples set a limit of 400
//! bytes.
//!
//! ## Why it matters
//! Without limits one hostile record could exhaust the memory or the stack of the checker, and a
//! gate that falls over checks nothing. With limits, but without this finding, an oversized record
//! would be a place to hide an action in.
//!
//! ## How to fix it
//! Keep large outputs out of the trace: cut them, say so with `truncated`, and point to the full
//! text with `rawOutputRef`. If such records are legitimate in your setting, verify again with a
//! higher limit.
//!
//! ## Fails
//! ```jsonl --max-record-bytes 400
//! ```
//!
//! ## Passes
//! ```jsonl --max-record-bytes 400
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(107),
    name: "limit-exceeded",
    severity: Severity::Error,
    aspect: None,
    summary: "a record, or a run, is beyond a limit",
    source: include_str!("limit_exceeded.rs"),
    examples: &[
        include_str!("limit_exceeded.fails.jsonl"),
        include_str!("limit_exceeded.passes.jsonl"),
    ],
    check: Check::Reader,
};
