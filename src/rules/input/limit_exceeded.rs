//! A record or a run exceeds a limit.
//!
//! ## What it does
//! These limits apply:
//!
//! - A record: `--max-record-bytes` bytes (16 MiB by default) and `--max-depth` levels of nesting
//!   (128). A document over several lines that is one object may have four times as many bytes.
//! - A document that isn't one record per line: `--max-document-bytes`.
//! - A run: `--max-executions` executions (50,000). The open executions of an input may use
//!   `--max-open-bytes` of memory.
//! - Manifests: 1,000 tools are checked, and 64 arguments of a server.
//!
//! A record over the limit is skipped, never read in part. Events that are illegal only because it
//! is missing are listed with this finding. Records of executions over the limit are refused and
//! counted. The examples set a limit of 400 bytes.
//!
//! ## Why it matters
//! Without limits, one hostile record could exhaust the memory or the stack of the checker, and a
//! gate that crashes checks nothing. Without this finding, an action could be hidden in an
//! oversized record.
//!
//! ## How to fix it
//! Keep large outputs out of the trace: cut them, set `truncated`, and refer to the full text with
//! `rawOutputRef`. If such records are legitimate, verify again with a higher limit.
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
    summary: "a record or a run exceeds a limit",
    source: include_str!("limit_exceeded.rs"),
    examples: &[
        include_str!("limit_exceeded.fails.jsonl"),
        include_str!("limit_exceeded.passes.jsonl"),
    ],
    check: Check::Reader,
};
