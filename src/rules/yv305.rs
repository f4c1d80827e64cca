//! What ran isn't what was approved.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(305),
    name: "executed-other-than-approved",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "what ran isn't what was approved",
    source: include_str!("yv305.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(ran) = &scene.judged.executed
        && ran.differs
    {
        let draft = out.report(&RULE, "what ran is not what was approved").below_if_there("/action");
        if let Some(line) = ran.decision_line {
            draft.related(line, "the decision");
        }
    }
}
