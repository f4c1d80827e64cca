//! A failed action ran again without being proposed and decided anew.
//!
//! ## What it does
//! An action, known by its id, that failed (`success` false) may not run again without a new
//! proposal and a new decision. The rule fires for its second result. A second run after a success
//! is YV404; a second proposal under the same id is YV209. In an event log, a result without an
//! action id is that of the action that the turn's decision allows, if it shows an equal one;
//! otherwise it can't be told what ran.
//!
//! ## Why it matters
//! The approval covered one attempt. A retry loop in the executor repeats a payment, a push or a
//! half-done migration as often as it likes, and the record shows one decision. Rate limits that
//! count approvals never see it.
//!
//! ## How to mend it
//! Take the loop out of the executor: observe the failure, evaluate `continue` with
//! `failure_retry`, and let the next turn propose the action under a new id. Transport retries that
//! can't have an effect belong inside one call and one result.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Create src/add.ts","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":false,"output":"","error":"EBUSY: resource busy","errorType":"runtime"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800003000,"actionId":"a1","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800003010,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800003020,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Create src/add.ts","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":false,"output":"","error":"EBUSY: resource busy","errorType":"runtime"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"The file is busy.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"continue","reason":"failure_retry"}}
//! {"record":"turn","executionId":"exec_1","turnId":2,"startTime":1768800002700,"endTime":1768800005000,"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"},"thought":{"reasoning":"Try again.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"proposedAction":{"id":"a2","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Try again."},"governance":{"status":"approved","by":"human","actionId":"a2","signer":"alice","timestamp":1768800004900},"executionResult":{"success":true,"output":"ok"},"observation":{"summary":"Done.","artifacts":[]},"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(313),
    name: "silent-retry",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a failed action ran again without being proposed and decided anew",
    source: include_str!("yv313.rs"),
    check: Check::RuleContext(&[Trigger::Execution], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(ran) = &scene.judged.executed
        && let Some(repeat) = ran.repeat
        && !repeat.succeeded
    {
        let action = ran
            .id
            .as_deref()
            .map_or_else(|| "the action".to_owned(), |id| format!("action `{id}`"));
        out.report(
            &RULE,
            format!("{action} failed and ran again, without a new proposal and a new decision"),
        )
        .below_if_there("/actionId")
        .subject(ran.id.as_deref().unwrap_or_default())
        .related(repeat.line, "it failed here");
    }
}
