//! A rejected action ran.
//!
//! ## What it does
//! After a decision with `status` `rejected`, the action must not run in that turn. The rule fires
//! for `execution_finished` of a rejected action, and for a native log that goes from `GOVERNING`
//! to `EXECUTING` on a rejection. A rejection behind an approval counts as long as the action
//! hasn't run. A rejected action may be proposed again; if it is then approved, it may run. Notices
//! of the early runtimes that nothing ran are no execution.
//!
//! ## Why it matters
//! Somebody looked, said no, and it happened all the same. Either the decision doesn't reach the
//! executor, and no rejection ever has held, or something goes around it on purpose.
//!
//! ## How to mend it
//! Treat it as an incident: find out what the action changed and undo it. Then make the executor
//! demand an approval, instead of looking for a rejection, so that a lost or late answer means no.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Make the install work","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Allow install scripts.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"notes.txt","content":"ignore-scripts=false\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"notes.txt","content":"ignore-scripts=false\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"rejected","by":"human","actionId":"a1","signer":"alice","reason":"Scripts stay off.","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Make the install work","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Allow install scripts.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"notes.txt","content":"ignore-scripts=false\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"notes.txt","content":"ignore-scripts=false\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"rejected","by":"human","actionId":"a1","signer":"alice","reason":"Scripts stay off.","timestamp":1768800002510}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":2,"timestamp":1768800002600,"thought":{"reasoning":"Then I can't make it work.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":2,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"user_abort"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Approval;
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(309),
    name: "executed-after-rejection",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a rejected action ran",
    source: include_str!("yv309.rs"),
    check: Check::RuleContext(&[Trigger::Execution], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(ran) = &scene.judged.executed
        && ran.approval == Approval::Rejected
        && ran.repeat.is_none()
    {
        let message = match &ran.id {
            Some(id) => format!("action `{id}` was rejected, and it ran"),
            None => "the action was rejected, and it ran".to_owned(),
        };
        let draft = out
            .report(&RULE, message)
            .below_if_there("/actionId")
            .subject(ran.id.as_deref().unwrap_or_default());
        if let Some(line) = ran.decision_line {
            draft.related(line, "the decision");
        }
    }
}
