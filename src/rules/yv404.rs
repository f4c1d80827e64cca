//! The same action ran twice.
//!
//! ## What it does
//! An action, known by its id, may run once. The rule fires for an `execution_finished` of an
//! action whose run before succeeded, wherever in the execution it stands. In an event log, what
//! ran without an id is the action that the turn's decision allows, if it equals that. A second run
//! after a failure is YV313. Where the id was proposed a second time, that is the finding (YV209).
//!
//! ## Why it matters
//! One approval, two effects: a comment is posted twice, a payment is made twice, a migration is
//! applied to its own result. Replaying an approved action is also what an attacker does who can
//! reach the executor, but not the governor.
//!
//! ## How to mend it
//! Let the executor use up the approval: mark the action as run before it runs, and refuse a second
//! call. Resume after a crash from that mark. In a review, check whether the second run had an
//! effect, and undo it.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Answer issue 12","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"post_comment","parameters":{"issue":12,"text":"Fixed in 1.4.2."}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"post_comment","parameters":{"issue":12,"text":"Fixed in 1.4.2."}},"riskLevel":"high","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"posted"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"actionId":"a1","result":{"success":true,"output":"posted"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002620,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Answer issue 12","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"post_comment","parameters":{"issue":12,"text":"Fixed in 1.4.2."}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"post_comment","parameters":{"issue":12,"text":"Fixed in 1.4.2."}},"riskLevel":"high","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"posted"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(404),
    name: "double-execution",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "the same action ran twice",
    source: include_str!("yv404.rs"),
    check: Check::RuleContext(&[Trigger::Execution], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(ran) = &scene.judged.executed
        && let Some(repeat) = ran.repeat
        && repeat.succeeded
    {
        let action = ran
            .id
            .as_deref()
            .map_or_else(|| "the action".to_owned(), |id| format!("action `{id}`"));
        out.report(&RULE, format!("{action} ran a second time"))
            .below_if_there("/actionId")
            .subject(ran.id.as_deref().unwrap_or_default())
            .related(repeat.line, "it ran here");
    }
}
