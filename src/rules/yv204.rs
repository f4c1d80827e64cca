//! An event arrives after the end.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::Breach;

pub(super) const RULE: Rule = Rule {
    code: Code(204),
    name: "event-after-terminal",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an event arrives after the end",
    source: include_str!("yv204.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(moved) = &scene.judged.movement
        && moved.breach == Some(Breach::AfterTerminal)
    {
        out.report(&RULE, format!("{} stands after the end of its execution", moved.event));
    }
}
