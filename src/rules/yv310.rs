//! The recorded risk is below what the analyser finds.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(310),
    name: "risk-understated",
    severity: Severity::Error,
    aspect: None,
    summary: "the recorded risk is below what the analyser finds",
    source: include_str!("yv310.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    if let Some((recorded, found)) = scene.judged.understated {
        out.report(&RULE, format!("the recorded risk is {recorded}, and the analyser finds {found}")).below_if_there("/riskLevel");
    }
}
