//! What ran isn't what was approved.
//!
//! ## What it does
//! `action` of `execution_finished`, what really ran, is compared with the approved action, or with
//! `modifiedAction` where a human changed it. Type and payload are compared in canonical form (RFC
//! 8785), so spelling and the order of members don't matter. The rule also fires when the proposal
//! ran although it was modified. Without `action` in the result there is nothing to compare.
//!
//! ## Why it matters
//! Approving one thing and running another is the shortest way around a governor: a template that
//! is filled in after the approval, a race on a shared object, or an executor that was tampered
//! with.
//!
//! ## How to mend it
//! Freeze the action when it is proposed and hand the frozen copy to the executor; compare hashes
//! right before running. If parameters must change, let a human decide with `modified`.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":".env"}}},"result":{"success":true,"output":"PORT=8080"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}},"result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(305),
    name: "executed-other-than-approved",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "what ran isn't what was approved",
    source: include_str!("yv305.rs"),
    check: Check::RuleContext(&[Trigger::Execution], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(ran) = &scene.judged.executed
        && ran.differs
    {
        let draft = out
            .report(&RULE, "what ran is not what was approved")
            .below_if_there("/action")
            .below_if_there("/actionId")
            .subject(ran.id.as_deref().unwrap_or_default());
        if let Some(line) = ran.decision_line {
            draft.related(line, "the decision");
        }
    }
}
