//! An execution took more turns than it was given.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(207),
    name: "max-turns-exceeded",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an execution took more turns than it was given",
    source: include_str!("yv207.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some((line, max)) = scene.close.and_then(|c| c.max_turns) {
        out.report(&RULE, format!("more than {max} turns were begun, and no evaluation ended the execution for it")).at_line(line);
    }
}
