//! A failed action ran again without being proposed and decided anew.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(313),
    name: "silent-retry",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a failed action ran again without being proposed and decided anew",
    source: include_str!("yv313.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(ran) = &scene.judged.executed
        && let Some(repeat) = ran.repeat
        && !repeat.succeeded
        && !repeat.reported
    {
        let id = ran.id.as_deref().unwrap_or_default();
        out.report(&RULE, format!("action `{id}` failed and ran again, without a new proposal and a new decision"))
            .below_if_there("/actionId")
            .related(repeat.line, "it failed here");
    }
}
