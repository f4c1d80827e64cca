//! The format of an input can't be determined.
//!
//! ## What it does
//! The format of an input is detected from the members of its records, never from the file name.
//! The rule fires if there is no record of a known format, or if other records precede the first
//! one. These records aren't replayed, and only searched for secrets (YV803) and hidden text
//! (YV804). The finding gives their number and, if known, what they resemble, such as a Claude Code
//! session or an OpenTelemetry export.
//!
//! A run whose inputs all have unknown formats ends with exit code 3. `--format-in` sets the
//! format; then invalid records are YV103. Several programs write records with `type`, `data` and
//! `timestamp`. Such a record counts as one of the event log only with an `executionId` or a type
//! of that log.
//!
//! ## Why it matters
//! A trace that can't be read must not count as a trace without findings. Otherwise a renamed
//! member or a new runtime version would turn the gate off unnoticed.
//!
//! ## How to fix it
//! Write version 1 records, with `record` and `executionId` on each line, or convert the log to
//! them. If the file isn't a trace, remove it from the verified directory.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(108),
    name: "unknown-format",
    severity: Severity::Error,
    aspect: None,
    summary: "the format of an input can't be determined",
    source: include_str!("unknown_format.rs"),
    examples: &[
        include_str!("unknown_format.fails.jsonl"),
        include_str!("unknown_format.passes.jsonl"),
    ],
    check: Check::Reader,
};
