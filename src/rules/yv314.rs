//! The proposed action is no agent's thought of that turn.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::Movement;

pub(super) const RULE: Rule = Rule {
    code: Code(314),
    name: "proposal-not-thought",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "the proposed action is no agent's thought of that turn",
    source: include_str!("yv314.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    // A proposal that the path can't explain has its finding.
    if scene.judged.not_thought && scene.judged.movement.is_none_or(|m| m.movement == Movement::Legal) {
        let mut draft = out.report(&RULE, "the proposed action is no thought of this turn");
        for thought in &scene.execution.turn().thoughts {
            draft = draft.related(thought.line, "a thought of this turn");
        }
    }
}
