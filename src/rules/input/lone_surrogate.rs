//! A string contains half of a surrogate pair.
//!
//! ## What it does
//! A `\uhhhh` escape from `\ud800` to `\udfff` is half of a character and needs its other half next
//! to it. A lone half is read as `U+FFFD`, and the record is replayed as usual. Each record has at
//! most one such finding, with the number of the escapes. In an id, the half makes it uncertain
//! whether two ids are equal. Answers that depend on comparing them become *not recorded*.
//!
//! ## Why it matters
//! Writers produce such halves when they cut text by length in the middle of an emoji. Readers
//! treat them differently: some refuse the record, some replace the half, some keep it. Hashes and
//! signatures of such a text can't be recomputed reliably, and two different texts may look the
//! same in a report.
//!
//! ## How to fix it
//! Cut text at character boundaries (in JavaScript by code points, not by `length`) and set
//! `truncated`. Make the output of tools well formed before recording it.
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
    code: Code(109),
    name: "lone-surrogate",
    severity: Severity::Warning,
    aspect: None,
    summary: "a string contains half of a surrogate pair",
    source: include_str!("lone_surrogate.rs"),
    examples: &[
        include_str!("lone_surrogate.fails.jsonl"),
        include_str!("lone_surrogate.passes.jsonl"),
    ],
    check: Check::Reader,
};
