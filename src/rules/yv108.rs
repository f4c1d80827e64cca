//! The format of an input can't be told.

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(108),
    name: "unknown-format",
    severity: Severity::Error,
    aspect: None,
    summary: "the format of an input can't be told",
    source: include_str!("yv108.rs"),
    check: Check::Reader,
};
