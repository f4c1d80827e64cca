//! The token's scope doesn't cover the action.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::TokenUse;

pub(super) const RULE: Rule = Rule {
    code: Code(405),
    name: "capability-out-of-scope",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "the token's scope doesn't cover the action",
    source: include_str!("yv405.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(TokenUse::OutOfScope(name)) = scene.judged.executed.as_ref().map(|r| &r.token) {
        out.report(&RULE, format!("the scope of token `{name}` doesn't cover the action")).below_if_there("/capabilityId");
    }
}
