//! An id is used twice.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(209),
    name: "duplicate-identity",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an id is used twice",
    source: include_str!("yv209.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(reuse) = &scene.judged.reuse {
        // A whole turn that comes again brings its ids with it, and is reported as a turn.
        if reuse.of == "action" && scene.execution.turn().repeated {
            return;
        }
        let below = if reuse.of == "action" { "/id" } else { "" };
        out.report(&RULE, format!("the {} id `{}` is used a second time", reuse.of, reuse.id))
            .below(below)
            .related(reuse.line, "first used here");
    }
}
