//! The last line breaks off: a crash while writing.
//!
//! ## What it does
//! The rule fires if the last line of an input has no line end and is incomplete JSON: the writer
//! stopped in the middle of a record. A last line with complete JSON is read like any other, with
//! or without a line end. A compressed stream that breaks off is YV101. If the execution seems
//! unfinished because of this, there is no second finding.
//!
//! If the line may contain an executed action, no answer about its execution remains *yes*. If it
//! shows one, and no execution on record is open for it, the finding is an error. In both examples
//! the final newline is missing.
//!
//! ## Why it matters
//! The record ends before the execution does. The last action of the process, perhaps the one that
//! crashed it, isn't recorded. A trace that was cut off on purpose looks the same, so it must not
//! pass as a finished execution.
//!
//! ## How to fix it
//! Write each record with its newline in one call, and flush at every exit, also on signals. Find
//! out from the host's logs how the process ended, then check the work tree for effects of the last
//! action. Resume the execution, or record its end.
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
