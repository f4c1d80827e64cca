//! An agent signed a decision, or two governors did.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(312),
    name: "self-governance",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "an agent signed a decision, or two governors did",
    source: include_str!("yv312.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let Some(decided) = &scene.judged.decided else {
        return;
    };
    if let Some(agent) = &decided.signed_by_agent {
        out.report(&RULE, format!("the decision is signed by `{agent}`, who is an agent")).below_if_there("/signer");
    } else if let Some((signer, governor)) = &decided.second_governor {
        out.report(&RULE, format!("the decision is signed by `{signer}`, and `{governor}` governs this execution"))
            .below_if_there("/signer");
    }
}
