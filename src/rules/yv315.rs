//! A human is said to have decided faster than a person can.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(315),
    name: "implausible-approval",
    severity: Severity::Warning,
    aspect: None,
    summary: "a human is said to have decided faster than a person can",
    source: include_str!("yv315.rs"),
    check: Check::Scene(check),
};

/// Milliseconds below which nobody has read, understood and answered.
const HUMAN_MILLIS: i64 = 150;

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let Some(decided) = &scene.judged.decided else {
        return;
    };
    if let Some(millis) = decided.human_millis.filter(|ms| *ms < HUMAN_MILLIS) {
        let message = if millis < 0 {
            format!("a human is said to have decided {} ms before the action was proposed", millis.unsigned_abs())
        } else {
            format!("a human is said to have decided within {millis} ms; a person takes {HUMAN_MILLIS} ms at the least")
        };
        let draft = out.report(&RULE, message).below_if_there("/timestamp");
        if let Some(line) = decided.proposal_line {
            draft.related(line, "the proposed action");
        }
    }
}
