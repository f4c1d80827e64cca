//! A decision names another action than the proposed one.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(304),
    name: "decision-for-other-action",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a decision names another action than the proposed one",
    source: include_str!("yv304.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(decided) = &scene.judged.decided
        && let Some((found, proposed)) = &decided.other_action
    {
        let draft = out
            .report(&RULE, format!("the decision is about action `{found}`, and `{proposed}` was proposed"))
            .below_if_there("/actionId");
        if let Some(line) = decided.proposal_line {
            draft.related(line, "the proposed action");
        }
    }
}
