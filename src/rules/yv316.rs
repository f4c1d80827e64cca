//! A success stands beside the signs of a failure.
//!
//! ## What it does
//! A result with `success` true must show no sign of failure: no `exitCode` other than 0, no
//! `error` with text in it, no `errorType`. In the native formats also no output that starts with a
//! mark of the early runtimes, such as `[FAILED]` or `POLICY DENIED:`. One finding names the first
//! sign. A failure that calls itself one is fine.
//!
//! ## Why it matters
//! The next thought, the evaluation and every statistic go by `success`. A run that takes its
//! failures for successes says the tests pass when they don't, and ends with `goal_satisfied` over
//! work that was never done.
//!
//! ## How to mend it
//! Derive `success` from the exit code and the error in the executor, in one place. Programs that
//! exit with non-zero codes for a good result (`grep`, `diff`) need to be told apart there, and the
//! code explained in the observation.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Create src/add.ts","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"","error":"EACCES: permission denied"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Create src/add.ts","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":false,"output":"","error":"EACCES: permission denied","errorType":"permission"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"The write failed.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"user_abort"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(316),
    name: "success-contradicted",
    severity: Severity::Warning,
    aspect: None,
    summary: "a success stands beside the signs of a failure",
    source: include_str!("yv316.rs"),
    check: Check::RuleContext(&[Trigger::Execution], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(result) = scene.result().filter(|r| r.success) else {
        return;
    };
    let mark = result.marks.iter().find(|m| result.output.starts_with(m));
    let sign = if let Some(code) = result.exit_code.filter(|c| *c != 0) {
        format!("the exit code is {code}")
    } else if result.error.is_some_and(|e| !e.decode().trim().is_empty()) {
        "an error is recorded".to_owned()
    } else if result.error_type {
        "a kind of error is recorded".to_owned()
    } else if let Some(mark) = mark {
        format!("the output starts with `{mark}`")
    } else {
        return;
    };
    out.report(&RULE, format!("`success` is true, and {sign}"))
        .below_if_there("/success")
        .below_if_there("/result/success");
}
