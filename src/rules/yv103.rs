//! A record breaks its schema.

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(103),
    name: "schema-violation",
    severity: Severity::Error,
    aspect: None,
    summary: "a record breaks its schema",
    source: include_str!("yv103.rs"),
    check: Check::Reader,
};
