//! An event is illegal in the state that the record has led to.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::Breach;
use crate::trace::Format;

pub(super) const RULE: Rule = Rule {
    code: Code(201),
    name: "illegal-transition",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an event is illegal in the state that the record has led to",
    source: include_str!("yv201.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let Some(moved) = &scene.judged.movement else {
        return;
    };
    let message = match (moved.breach, moved.claimed) {
        (Some(Breach::Other), Some(claimed)) => {
            format!("the log moves from {} to {claimed}, and no event leads there", moved.before)
        }
        (Some(Breach::Other), None) if scene.execution.format() == Format::YuangsCast => {
            "a root shell is reported, and no elevation was let through before it".to_owned()
        }
        (Some(Breach::Other), None) => format!("{} is illegal in {}", moved.event, moved.before),
        (Some(Breach::SecondThought), _) => "an agent has thought twice in one turn".to_owned(),
        _ => return,
    };
    out.report(&RULE, message).path(scene);
}
