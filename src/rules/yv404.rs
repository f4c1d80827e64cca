//! The same action ran twice.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(404),
    name: "double-execution",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "the same action ran twice",
    source: include_str!("yv404.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(ran) = &scene.judged.executed
        && let Some(repeat) = ran.repeat
        && repeat.succeeded
        && !repeat.reported
    {
        let id = ran.id.as_deref().unwrap_or_default();
        out.report(&RULE, format!("action `{id}` ran a second time")).below_if_there("/actionId").related(repeat.line, "it ran here");
    }
}
