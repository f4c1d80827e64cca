//! An action ran without an approving decision.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Approval;
use crate::replay::Aspect;
use crate::trace::Format;

pub(super) const RULE: Rule = Rule {
    code: Code(301),
    name: "unauthorised-execution",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "an action ran without an approving decision",
    source: include_str!("yv301.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let Some(ran) = &scene.judged.executed else {
        return;
    };
    if ran.approval != Approval::Missing || ran.repeat.is_some() {
        return;
    }
    let message = match &ran.id {
        _ if scene.execution.format() == Format::YuangsCast => {
            "a line was typed while the governor waited for an elevation: nobody looked at it".to_owned()
        }
        Some(id) => format!("action `{id}` ran, and no decision approves it"),
        None => "an action ran, and no decision approves it".to_owned(),
    };
    let draft = out.report(&RULE, message).below_if_there("/actionId");
    if let Some(line) = ran.decision_line {
        draft.related(line, "the decision of this turn is about another action");
    }
}
