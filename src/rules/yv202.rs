//! An execution has events before its start.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::Breach;

pub(super) const RULE: Rule = Rule {
    code: Code(202),
    name: "no-start",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an execution has events before its start",
    source: include_str!("yv202.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(moved) = &scene.judged.movement
        && moved.breach == Some(Breach::NoStart)
    {
        out.report(&RULE, format!("{} stands before the start of its execution", moved.event));
    }
}
