//! A thought breaks the prompt contract.

use super::{Check, Rule};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(210),
    name: "contract-violation",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "a thought breaks the prompt contract",
    source: include_str!("yv210.rs"),
    check: Check::Reader,
};
