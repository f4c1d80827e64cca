//! A live or revoked token was issued again.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::governance::LedgerError;
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(403),
    name: "capability-reissued",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a live or revoked token was issued again",
    source: include_str!("yv403.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    match scene.judged.token {
        Some(LedgerError::AlreadyIssued) => out.report(&RULE, "the token is live already").below("/id"),
        Some(LedgerError::Revoked) => out.report(&RULE, "the token was revoked; it can never be issued again").below("/id"),
        Some(LedgerError::Unknown) | None => return,
    };
}
