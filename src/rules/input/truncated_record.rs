//! The last line breaks off: a crash while writing.
//!
//! ## What it does
//! The last line of an input has no line end and is no complete JSON: the writer stopped in the
//! middle of a record. A last line that is complete JSON is read as any other, with or without a
//! line end. A compressed stream that breaks off is YV101. That the execution seems unfinished for
//! it is part of this finding, not a second one. A line that may tell of an executed action leaves
//! no answer of its execution at *yes*. If it shows one, and no execution on record is open for it,
//! the finding is an error. In both examples the final newline is missing.
//!
//! ## Why it matters
//! The record ends before the story does. What the process did last, perhaps the very action that
//! brought it down, is not on file, and a trace that was cut off on purpose looks just the same. It
//! must not pass for a finished execution.
//!
//! ## How to fix it
//! Write each record with its newline in one call and flush at every exit, also on signals. Read
//! the host's logs for how the process ended, then check the work tree for what the last action may
//! have done. Resume the execution, or record its end.
//!
//! ## Fails
//! ```jsonl unended
//! ```
//!
//! ## Passes
//! ```jsonl unended
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(104),
    name: "truncated-record",
    severity: Severity::Warning,
    aspect: None,
    summary: "the last line breaks off: a crash while writing",
    source: include_str!("truncated_record.rs"),
    examples: &[
        include_str!("truncated_record.fails.jsonl"),
        include_str!("truncated_record.passes.jsonl"),
    ],
    check: Check::Reader,
};
