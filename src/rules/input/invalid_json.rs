//! A line is not a JSON object.
//!
//! ## What it does
//! Each line must be one JSON object, or one array for a frame of a terminal recording. The rule
//! fires for a line that isn't valid JSON, and for one that is a number, a string or a list. In a
//! document over several lines, it reports the place of the error. Blank lines and a byte-order
//! mark are ignored. A last line that breaks off without a line end is YV104. Events that are
//! illegal only because the line is lost are listed with this finding.
//!
//! ## Why it matters
//! Nothing on that line is checked. A runtime that mixes log output into the trace may cut a record
//! in two. Someone who wants to hide a decision or a command only has to damage its line.
//!
//! ## How to fix it
//! Let only the recorder write to the trace: send warnings and tool output to another stream, and
//! write each record with one call. If a record was damaged, restore its line from the source;
//! don't just delete it.
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
    code: Code(102),
    name: "invalid-json",
    severity: Severity::Error,
    aspect: None,
    summary: "a line is not a JSON object",
    source: include_str!("invalid_json.rs"),
    examples: &[
        include_str!("invalid_json.fails.jsonl"),
        include_str!("invalid_json.passes.jsonl"),
    ],
    check: Check::Reader,
};
