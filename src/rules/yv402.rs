//! An action ran on a revoked token.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::TokenUse;

pub(super) const RULE: Rule = Rule {
    code: Code(402),
    name: "revoked-capability",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "an action ran on a revoked token",
    source: include_str!("yv402.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(TokenUse::Revoked(name)) = scene.judged.executed.as_ref().map(|r| &r.token) {
        out.report(&RULE, format!("the action ran on token `{name}`, which was revoked before")).below_if_there("/capabilityId");
    }
}
