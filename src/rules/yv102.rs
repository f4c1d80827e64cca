//! A line is no JSON object.

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
