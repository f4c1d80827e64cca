//! A decision lacks what makes it one.

use super::{Check, Out, Rule, Scene};
use crate::diag::{Code, Severity};
use crate::governance::{Risk, Ruling};
use crate::json::Str;
use crate::replay::Aspect;
use crate::trace::Format;
use crate::trace::record::DecidedBy;

pub(super) const RULE: Rule = Rule {
    code: Code(303),
    name: "incomplete-decision",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "a decision lacks what makes it one",
    source: include_str!("yv303.rs"),
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    let (Some(decided), Some(decision)) = (&scene.judged.decided, scene.decision()) else {
        return;
    };
    let ours = scene.execution.format() == Format::ExecutionRecord;
    let blank = |text: Option<Str<'_>>| text.is_none_or(|t| t.decode().trim().is_empty());
    let mut missing = Vec::new();
    if ours && decision.by == DecidedBy::Human && blank(decision.signer) {
        missing.push("the signer of a human decision");
    }
    let permitted_by_policy = decision.by == DecidedBy::Policy && decision.ruling.permits();
    if ours && permitted_by_policy && decided.risk.is_some_and(|r| r >= Risk::Medium) && blank(decision.rule) {
        missing.push("the rule that policy used");
    }
    if decision.ruling == Ruling::Rejected && blank(decision.reason) {
        missing.push("the reason of a rejection");
    }
    // The early runtime's pre-flight check leaves no decision, only a result that says so.
    let has_time = decision.time.is_some() || scene.step.is_some_and(|s| s.part.member == "executionResult");
    if !has_time {
        missing.push("the timestamp");
    }
    if decision.ruling == Ruling::Modified {
        if decision.original.is_none() {
            missing.push("the id of the original action");
        }
        if decision.modified.is_none() {
            missing.push("the modified action");
        }
        if blank(decision.modification_reason) {
            missing.push("the reason of the modification");
        }
        if decision.by == DecidedBy::Policy {
            missing.push("the human who alone may modify an action");
        }
    }
    if !missing.is_empty() {
        out.report(&RULE, format!("the decision lacks {}", missing.join(", ")));
    }
}
