//! The ids of a modification don't fit.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::Lineage;

pub(super) const RULE: Rule = Rule {
    code: Code(308),
    name: "broken-lineage",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "the ids of a modification don't fit",
    source: include_str!("yv308.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    match scene.judged.decided.as_ref().and_then(|d| d.lineage.as_ref()) {
        Some(Lineage::OtherOriginal { found, proposed }) => {
            out.report(&RULE, format!("the original action is said to be `{found}`, and `{proposed}` was proposed"))
                .below_if_there("/originalActionId");
        }
        Some(Lineage::IdTaken(id)) => {
            out.report(&RULE, format!("the modified action has the id `{id}`, which is taken; it needs a new one"))
                .below_if_there("/modifiedAction/id");
        }
        None => {}
    }
}
