//! A high-risk action was approved by policy.
//!
//! ## What it does
//! An approval with `by` set to `policy` is compared with the risk of the proposed action. This
//! risk is the higher of the recorded `riskLevel` and the analyser's result (see YV310); an action
//! of an unknown type is always high risk. The rule fires if the risk is high. If the proposal
//! isn't recorded, or its risk is lower, the executed action in the record is checked. Rejections
//! by policy are fine at any risk.
//!
//! ## Why it matters
//! High risk means deleting, elevating, or something that can't be analysed. A policy can't see the
//! situation; it matches text. With one rule that is too wide, an agent deletes or publishes
//! unsupervised.
//!
//! ## How to fix it
//! Make the policy ask (`require_approval`) for high risk, and record the human's decision with
//! `signer`. If the risk is overestimated, propose a smaller action: a narrower path, a dry run, or
//! a tool instead of a shell.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};
use governance::DecidedBy;
use governance::{RiskLevel, Ruling};

pub(super) const RULE: Rule = Rule {
    code: Code(302),
    name: "high-risk-without-human",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a high-risk action was approved by policy",
    source: include_str!("high_risk_without_human.rs"),
    examples: &[
        include_str!("high_risk_without_human.fails.jsonl"),
        include_str!("high_risk_without_human.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Decision, Trigger::Execution], check),
};

const MESSAGE: &str = "a high-risk action was approved by policy; a human must approve it";

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let (Some(decided), Some(decision)) = (&cx.step_facts.decided, cx.decision()) {
        let by_policy = decision.ruling == Ruling::Approved && decision.by == DecidedBy::Policy;
        if by_policy
            && decided.risk.or(decided.thought_risk) == Some(RiskLevel::High)
            && decided.other_action.is_none()
        {
            let draft = out.report(&RULE, MESSAGE).below_if_present("/by");
            if let Some(line) = decided.proposal_line {
                draft.related(line, "the proposed action");
            }
        }
    }
    if let Some(ran) = cx
        .step_facts
        .executed
        .as_ref()
        .filter(|ran| ran.high_by_policy)
    {
        let native = cx.entry.and_then(|entry| entry.record.native());
        let at = native.map_or("/action", |record| record.action_pointer());
        out.report(&RULE, MESSAGE)
            .in_record(at)
            .related(ran.decision_line.unwrap_or_default(), "the decision");
    }
}
