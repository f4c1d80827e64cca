//! The declared outcome contradicts the last evaluation.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(211),
    name: "outcome-mismatch",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "the declared outcome contradicts the last evaluation",
    source: include_str!("yv211.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let Some(mismatch) = &scene.judged.outcome else {
        return;
    };
    let message = match mismatch.evaluated {
        Some(said) => format!("the outcome is `{}`, and the last evaluation said `{said}`", mismatch.outcome),
        None => format!("the outcome is `{}`, and no evaluation was made", mismatch.outcome),
    };
    out.report(&RULE, message).related(mismatch.line, "the last evaluation");
}
