//! A rejected action ran.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Approval;
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(309),
    name: "executed-after-rejection",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a rejected action ran",
    source: include_str!("yv309.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(ran) = &scene.judged.executed
        && ran.approval == Approval::Rejected
        && ran.repeat.is_none()
    {
        let message = match &ran.id {
            Some(id) => format!("action `{id}` was rejected, and it ran"),
            None => "the action was rejected, and it ran".to_owned(),
        };
        let draft = out.report(&RULE, message).below_if_there("/actionId");
        if let Some(line) = ran.decision_line {
            draft.related(line, "the decision");
        }
    }
}
