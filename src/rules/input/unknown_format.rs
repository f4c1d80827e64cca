//! The format of an input can't be determined.
//!
//! ## What it does
//! The format of an input is detected by the members of its records, never by the name of the file.
//! The rule fires when records come before the first one that is shaped like a record of a known
//! format, or when there is none. They are refused, and only searched for secrets (YV803) and
//! hidden text (YV804). The finding says how many they are, and what they look like where that is
//! known: a session of Claude Code, an OpenTelemetry export. A run whose only inputs are of unknown
//! formats ends with 3. `--format-in` names the format by hand; then broken records are found as
//! such (YV103). Several programs write records with `type`, `data` and `timestamp`: only an
//! `executionId` or a type of the event log decides that it is one.
//!
//! ## Why it matters
//! A trace that nobody can read must not count as a trace without findings. Otherwise a renamed
//! member or a new runtime version would turn the gate off, and nobody would notice.
//!
//! ## How to fix it
//! Write version 1 records, with `record` and `executionId` in each line, or convert the log to it.
//! If the file is not a trace, remove it from the verified directory.
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
