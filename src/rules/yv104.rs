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
//! ## How to mend it
//! Write each record with its newline in one call and flush at every exit, also on signals. Look at
//! the host's logs for how the process ended, then check the work tree for what the last action may
//! have done. Resume the execution, or record its end.
//!
//! ## Fails
//! ```jsonl unended
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Nothing is left to do.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate",
//! ```
//!
//! ## Passes
//! ```jsonl unended
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Nothing is left to do.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(104),
    name: "truncated-record",
    severity: Severity::Warning,
    aspect: None,
    summary: "the last line breaks off: a crash while writing",
    source: include_str!("yv104.rs"),
    check: Check::Reader,
};
