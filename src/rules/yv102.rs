//! A line is no JSON object.
//!
//! ## What it does
//! Each line must be one JSON object (a frame of a terminal recording: one array). The rule fires
//! for a line that is no JSON and for one that is JSON but a number, a string or a list; in a
//! document over several lines, for the place where it stops being JSON. Blank lines and a
//! byte-order mark are let pass. A last line without a line end that breaks off is YV104. Events
//! that are illegal only because the line is lost are listed with this finding.
//!
//! ## Why it matters
//! Whatever stood on that line is outside every check. A runtime that mixes log output into the
//! trace may cut a record in two, and someone who wants a decision or a command out of sight only
//! has to damage its line.
//!
//! ## How to mend it
//! Let nothing but the recorder write to the trace: send warnings and tool output to another
//! stream, and write each record with one call. If a record was damaged, restore its line from the
//! source; don't just delete it.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Nothing is left to do.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! npm warn deprecated glob@7.2.3: versions before 9 are no longer supported
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Nothing is left to do.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(102),
    name: "invalid-json",
    severity: Severity::Error,
    aspect: None,
    summary: "a line is no JSON object",
    source: include_str!("yv102.rs"),
    check: Check::Reader,
};
