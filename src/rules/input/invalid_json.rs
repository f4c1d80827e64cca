//! A line is not a JSON object.
//!
//! ## What it does
//! Each line must be one JSON object (a frame of a terminal recording: one array). The rule fires
//! for a line that is not JSON and for one that is JSON but a number, a string or a list; in a
//! document over several lines, for the place where it stops being JSON. Blank lines and a
//! byte-order mark are ignored. A last line without a line end that breaks off is YV104. Events
//! that are illegal only because the line is lost are listed with this finding.
//!
//! ## Why it matters
//! Whatever was on that line is outside every check. A runtime that mixes log output into the
//! trace may cut a record in two, and someone who wants a decision or a command out of sight only
//! has to damage its line.
//!
//! ## How to fix it
//! Let nothing but the recorder write to the trace: send warnings and tool output to another
//! stream, and write each record with one call. If a record was damaged, restore its line from the
//! source; don't just delete it.
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
