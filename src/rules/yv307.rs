//! A modified action has a higher risk than the proposed one.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(307),
    name: "modification-raises-risk",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a modified action has a higher risk than the proposed one",
    source: include_str!("yv307.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some((before, after)) = scene.judged.decided.as_ref().and_then(|d| d.raised_risk) {
        out.report(&RULE, format!("the modified action has risk {after}, the proposed one {before}")).below_if_there("/modifiedAction");
    }
}
