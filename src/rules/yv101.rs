//! An input can't be opened or decompressed, or a line is no UTF-8.

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(101),
    name: "unreadable-input",
    severity: Severity::Error,
    aspect: None,
    summary: "an input can't be opened or decompressed, or a line is no UTF-8",
    source: include_str!("yv101.rs"),
    check: Check::Reader,
};
