//! A string escapes half of a surrogate pair.
//!
//! ## What it does
//! A `\uhhhh` escape from `\ud800` to `\udfff` is half of a character and must be followed or
//! preceded by its other half. A half alone is read as `U+FFFD`, and reading goes on;
//! the record is replayed as usual. One finding is given for a record, with the number of such
//! escapes. In an id, it leaves open whether the id is another one: what rests on comparing them is
//! *not recorded* then.
//!
//! ## Why it matters
//! Real writers produce it by cutting text by length in the middle of an emoji. But readers differ:
//! some refuse the record, some replace the half, some keep it. Hashes and signatures over such a
//! text can't be recomputed reliably, and two different texts may look the same in a report.
//!
//! ## How to fix it
//! Cut text at character boundaries (in JavaScript by code points, not by `length`) and mark it as
//! `truncated`. Where output comes from tools, make it well formed before it is recorded.
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
    summary: "a string escapes half of a surrogate pair",
    source: include_str!("lone_surrogate.rs"),
    examples: &[
        include_str!("lone_surrogate.fails.jsonl"),
        include_str!("lone_surrogate.passes.jsonl"),
    ],
    check: Check::Reader,
};
