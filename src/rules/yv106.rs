//! An object names a member twice.

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(106),
    name: "duplicate-member",
    severity: Severity::Error,
    aspect: None,
    summary: "an object names a member twice",
    source: include_str!("yv106.rs"),
    check: Check::Reader,
};
