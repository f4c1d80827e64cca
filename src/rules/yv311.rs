//! A result or an observation stands outside its state.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::governance::Event;
use crate::replay::Aspect;
use crate::replay::{Approval, Breach};

pub(super) const RULE: Rule = Rule {
    code: Code(311),
    name: "result-without-execution",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "a result or an observation stands outside its state",
    source: include_str!("yv311.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let Some(moved) = &scene.judged.movement else {
        return;
    };
    if moved.breach != Some(Breach::ResultOutsideState) {
        return;
    }
    // Something that ran without leave, or twice, is told as that.
    let told = scene
        .judged
        .executed
        .as_ref()
        .is_some_and(|r| matches!(r.approval, Approval::Missing | Approval::Rejected) || r.repeat.is_some());
    if !told {
        let what = if moved.event == Event::ExecutionFinished { "a result" } else { "an observation" };
        out.report(&RULE, format!("{what} stands in {}", moved.before)).path(scene);
    }
}
