//! The input ends and the execution is in no final state.
//!
//! ## What it does
//! At the end of the input each execution must be in `TERMINAL`, or have been declared over by
//! `execution_ended`. The rule fires when it stands anywhere else, also when it waits for a human
//! after a `pause`. It is silent about a path that broke before, since the break may have lost the
//! end, and about answers that the editor runtime hands out without an evaluation.
//!
//! ## Why it matters
//! An execution without an end may have crashed, may still be running, or may have gone on without
//! its recorder. In the example an approved write is under way: whether it happened, in part or in
//! full, nobody can tell from the record.
//!
//! ## How to mend it
//! Look at how the process ended and at what its last action left behind. Resume the execution
//! under the same id or let the runtime rule on it (`terminate`, `user_abort`), and flush the
//! recorder at every exit. A trace of a running execution is complete later; verify it then.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Create src/add.ts","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
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
use crate::trace::Format;

pub(super) const RULE: Rule = Rule {
    code: Code(203),
    name: "unterminated-execution",
    severity: Severity::Warning,
    aspect: None,
    summary: "the input ends and the execution is in no final state",
    source: include_str!("yv203.rs"),
    check: Check::RuleContext(&[Trigger::End], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(close) = scene.close.filter(|c| c.unterminated) else {
        return;
    };
    let message = if close.paused {
        "the input ends while the execution waits for a human".to_owned()
    } else if scene.execution.format() == Format::YuangsTurns {
        "the input ends, and nothing shows that the execution did".to_owned()
    } else {
        format!("the input ends while the execution is in {}", close.state)
    };
    out.report(&RULE, message);
}
