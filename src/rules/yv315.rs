//! A human is said to have decided faster than a person can.
//!
//! ## What it does
//! For a decision by a human, its time is compared with that of the proposal. Under 150 ms, or
//! before the proposal, is a finding. The decision's own `timestamp` counts, else the record's; in
//! a `turn`, the proposal's time is `startTime`. Without both times nothing is compared. Decisions
//! by policy may be as fast as they like.
//!
//! ## Why it matters
//! Nobody reads, understands and answers in a tenth of a second. Such an approval comes from a
//! script, from a default that is pressed automatically or from a runtime that writes `human` to
//! get high risk through.
//!
//! ## How to mend it
//! Find out what answered in the person's place, and switch that off. If it was a policy, record it
//! as one, with its `ruleId`. If only the time is wrong, take it when the person answers, not when
//! the dialog is built.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Create src/add.ts","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000150,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800000150}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000230,"actionId":"a1","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000240,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000250,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Create src/add.ts","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(315),
    name: "implausible-approval",
    severity: Severity::Warning,
    aspect: None,
    summary: "a human is said to have decided faster than a person can",
    source: include_str!("yv315.rs"),
    check: Check::RuleContext(&[Trigger::Decision], check),
};

/// Milliseconds below which nobody has read, understood and answered.
const HUMAN_MILLIS: i64 = 150;

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(decided) = &scene.judged.decided else {
        return;
    };
    if let Some(millis) = decided.human_millis.filter(|ms| *ms < HUMAN_MILLIS) {
        let message = if millis < 0 {
            format!(
                "a human is said to have decided {} ms before the action was proposed",
                millis.unsigned_abs()
            )
        } else {
            format!(
                "a human is said to have decided within {millis} ms; a person takes {HUMAN_MILLIS} ms at the least"
            )
        };
        let draft = out.report(&RULE, message).below_if_there("/timestamp");
        if let Some(line) = decided.proposal_line {
            draft.related(line, "the proposed action");
        }
    }
}
