//! The input ends and the execution is in no final state.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::trace::Format;

pub(super) const RULE: Rule = Rule {
    code: Code(203),
    name: "unterminated-execution",
    severity: Severity::Warning,
    aspect: None,
    summary: "the input ends and the execution is in no final state",
    source: include_str!("yv203.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let Some(close) = scene.close.filter(|c| c.unterminated) else {
        return;
    };
    // A path that broke may have lost its end; it has its finding.
    if scene.execution.is_broken() {
        return;
    }
    let message = if close.paused {
        "the input ends while the execution waits for a human".to_owned()
    } else if scene.execution.format() == Format::YuangsTurns {
        "the input ends, and nothing shows that the execution did".to_owned()
    } else {
        format!("the input ends while the execution is in {}", close.state)
    };
    out.report(&RULE, message);
}
