//! The conditions of the decisions can't be told.
//!
//! ## What it does
//! To tell why a decision came out as it did one needs the prompt, the tools and the policy of that
//! moment. The note is given once for an execution when `execution_started` has no `policy`, or
//! when a thought has no `contextSnapshot` (with `systemPromptVersion` and `toolSetVersion`); it
//! says what is missing. Native formats have YV212 for it.
//!
//! ## Why it matters
//! A decision that can't be put back into its conditions can't be checked against another policy or
//! reproduced after an incident. Whoever exchanged the prompt or the policy for a day leaves no
//! trace of it.
//!
//! ## How to mend it
//! Record the digest of the policy in the start, and the snapshot with each thought: hashes and
//! versions, no contents. The versions should change whenever prompt or tools do.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1"}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Nothing is left to do.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Nothing is left to do.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(606),
    name: "replay-condition-missing",
    severity: Severity::Note,
    aspect: None,
    summary: "the conditions of the decisions can't be told",
    source: include_str!("yv606.rs"),
    check: Check::RuleContext(&[Trigger::End], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(what) = scene.close.and_then(|c| c.conditions_missing) {
        out.report(
            &RULE,
            format!("not recorded: {what}; the conditions of the decisions can't be told"),
        )
        .at_line(scene.execution.first_line());
    }
}
