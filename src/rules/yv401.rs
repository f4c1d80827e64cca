//! Tokens are in force and none covers the executed action.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::TokenUse;

pub(super) const RULE: Rule = Rule {
    code: Code(401),
    name: "no-capability",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "tokens are in force and none covers the executed action",
    source: include_str!("yv401.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(TokenUse::None(named)) = scene.judged.executed.as_ref().map(|r| &r.token) {
        let message = match named {
            Some(name) => format!("the action ran on token `{name}`, which isn't one for it"),
            None => "the action ran, and no live token covers it".to_owned(),
        };
        out.report(&RULE, message).below_if_there("/capabilityId");
    }
}
