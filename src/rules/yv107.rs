//! A record is larger or deeper than the limits.

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(107),
    name: "limit-exceeded",
    severity: Severity::Error,
    aspect: None,
    summary: "a record is larger or deeper than the limits",
    source: include_str!("yv107.rs"),
    check: Check::Reader,
};
