//! A high-risk action was approved by policy.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::governance::{Risk, Ruling};
use crate::replay::Aspect;
use crate::trace::record::DecidedBy;

pub(super) const RULE: Rule = Rule {
    code: Code(302),
    name: "high-risk-without-human",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a high-risk action was approved by policy",
    source: include_str!("yv302.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let (Some(decided), Some(decision)) = (&scene.judged.decided, scene.decision()) else {
        return;
    };
    let by_policy = decision.ruling == Ruling::Approved && decision.by == DecidedBy::Policy;
    if by_policy && decided.risk == Some(Risk::High) && decided.other_action.is_none() {
        let draft = out.report(&RULE, "a high-risk action was approved by policy; it takes a human").below_if_there("/by");
        if let Some(line) = decided.proposal_line {
            draft.related(line, "the proposed action");
        }
    }
}
