//! The end was reached without an evaluation.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::governance::{Event, FsmVersion};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(205),
    name: "terminal-shortcut",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "the end was reached without an evaluation",
    source: include_str!("yv205.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let moved = scene.judged.movement.filter(|m| m.event == Event::Concluded && m.breach.is_none());
    let line = match (moved, scene.close.and_then(|c| c.shortcut)) {
        (Some(_), _) => None,
        (None, Some(line)) => Some(line),
        (None, None) => return,
    };
    let early = scene.execution.version() == FsmVersion::V0;
    let message = if early {
        "TERMINAL was reached straight from THINKING, as the early runtime allowed"
    } else {
        "TERMINAL was reached straight from a thought that says `done`; no evaluation ruled on it"
    };
    let mut draft = out.report(&RULE, message);
    if early {
        draft = draft.severity(Severity::Warning);
    }
    if let Some(line) = line {
        draft.at_line(line);
    }
}
