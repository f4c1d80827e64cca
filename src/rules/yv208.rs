//! A timestamp is before the previous one of its execution.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(208),
    name: "time-reversal",
    severity: Severity::Warning,
    aspect: None,
    summary: "a timestamp is before the previous one of its execution",
    source: include_str!("yv208.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(reversal) = scene.judged.reversal {
        let back = reversal.previous.saturating_sub(reversal.now);
        out.report(&RULE, format!("the time is {back} ms before the time of the event before"))
            .related(reversal.line, "the event before");
    }
}
