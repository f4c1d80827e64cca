//! The conditions of the decisions can't be told.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(606),
    name: "replay-condition-missing",
    severity: Severity::Note,
    aspect: None,
    summary: "the conditions of the decisions can't be told",
    source: include_str!("yv606.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some(what) = scene.close.and_then(|c| c.conditions_missing) {
        out.report(&RULE, format!("not recorded: {what}; the conditions of the decisions can't be told"))
            .at_line(scene.execution.first_line());
    }
}
