//! A string escapes half of a surrogate pair.

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(109),
    name: "lone-surrogate",
    severity: Severity::Warning,
    aspect: None,
    summary: "a string escapes half of a surrogate pair",
    source: include_str!("yv109.rs"),
    check: Check::Reader,
};
