//! The last line breaks off: a crash while writing.

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
