//! A modification changed the type, the tool or the target of a diff.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(306),
    name: "modification-beyond-parameters",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a modification changed the type, the tool or the target of a diff",
    source: include_str!("yv306.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(what) = scene.judged.decided.as_ref().and_then(|d| d.beyond_parameters) {
        out.report(&RULE, format!("the modification changed {what}; it may only change parameters")).below_if_there("/modifiedAction");
    }
}
