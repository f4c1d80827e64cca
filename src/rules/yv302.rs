//! A high-risk action was approved by policy.
//!
//! ## What it does
//! An approval with `by` set to `policy` is compared with the risk of the proposed action. Its risk
//! is the worse of the recorded `riskLevel` and what the analyser finds (see YV310); an action of
//! an unknown type is always high. High and approved by policy is a finding. Where the proposal
//! isn't recorded, or its risk is lower, the rule checks the action that the record shows where it
//! ran. Rejections by policy are fine at any risk.
//!
//! ## Why it matters
//! High risk means deleting, elevating, or something that nobody understands. A policy can't look
//! at the situation; it matches text. One rule that is too wide, and an agent deletes or publishes
//! with nobody looking on.
//!
//! ## How to mend it
//! Make the policy ask (`require_approval`) from high risk up, and record the human's decision with
//! `signer`. If the risk is overrated, propose a smaller action: a narrower path, a dry run, a tool
//! instead of a shell.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Clean the build","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"shell_cmd","payload":{"command":"rm -rf build"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"shell_cmd","payload":{"command":"rm -rf build"},"riskLevel":"high","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-clean","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000200,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000210,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000220,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Clean the build","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"shell_cmd","payload":{"command":"rm -rf build"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"shell_cmd","payload":{"command":"rm -rf build"},"riskLevel":"high","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::trace::Format;
use governance::DecidedBy;
use governance::{RiskLevel, Ruling};

pub(super) const RULE: Rule = Rule {
    code: Code(302),
    name: "high-risk-without-human",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a high-risk action was approved by policy",
    source: include_str!("yv302.rs"),
    check: Check::RuleContext(&[Trigger::Decision, Trigger::Execution], check),
};

const MESSAGE: &str = "a high-risk action was approved by policy; it takes a human";

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let (Some(decided), Some(decision)) = (&scene.judged.decided, scene.decision()) {
        let by_policy = decision.ruling == Ruling::Approved && decision.by == DecidedBy::Policy;
        if by_policy
            && decided.risk.or(decided.thought_risk) == Some(RiskLevel::High)
            && decided.other_action.is_none()
        {
            let draft = out.report(&RULE, MESSAGE).below_if_there("/by");
            if let Some(line) = decided.proposal_line {
                draft.related(line, "the proposed action");
            }
        }
    }
    if let Some(ran) = scene
        .judged
        .executed
        .as_ref()
        .filter(|ran| ran.high_by_policy)
    {
        let at = if scene.execution.format() == Format::YuangsEvents {
            "/data/action"
        } else {
            "/action"
        };
        out.report(&RULE, MESSAGE)
            .whole_record(at)
            .related(ran.decision_line.unwrap_or_default(), "the decision");
    }
}
