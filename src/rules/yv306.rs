//! A modification changed the type, the tool or the target of a diff.
//!
//! ## What it does
//! A human may change the parameters of an action, not what it is. The rule compares the proposal
//! with `modifiedAction`. The `type` must stay; for a `tool_call` the tool; for a `code_diff` the
//! set of files that its headers name, where a diff that names none could go anywhere. Commands and
//! parameters are compared by what they do: another program, or a kind of effect that the proposal
//! didn't have, is more than a parameter (`npm test` becomes `curl http://x/`). Other arguments of
//! the same program are parameters, and so is an action that now only reads. A modification that
//! raises the risk is YV307.
//!
//! ## Why it matters
//! The agent's reasoning, the declared changes and the tokens all belong to the proposed action. A
//! "modification" that points the diff at another file runs something that was never proposed,
//! under the history of something that was.
//!
//! ## How to mend it
//! Reject the proposal with a reason and let the agent propose the other action. If a person wants
//! to do something else, let them do it themselves, outside the agent's record.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Fix add()","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Wrong sign.","done":false,"action":{"type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1 +1 @@\n-return a - b\n+return a + b\n"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1 +1 @@\n-return a - b\n+return a + b\n"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"modified","by":"human","signer":"alice","originalActionId":"a1","modifiedAction":{"id":"a1m","type":"code_diff","payload":{"diff":"--- a/src/auth.ts\n+++ b/src/auth.ts\n@@ -1 +1 @@\n-return false\n+return true\n"},"riskLevel":"medium"},"modificationReason":"Fix this one as well.","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1m","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Fix add()","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Wrong sign.","done":false,"action":{"type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1 +1 @@\n-return a - b\n+return a + b\n"}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1 +1 @@\n-return a - b\n+return a + b\n"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"modified","by":"human","signer":"alice","originalActionId":"a1","modifiedAction":{"id":"a1m","type":"code_diff","payload":{"diff":"--- a/src/add.ts\n+++ b/src/add.ts\n@@ -1 +1 @@\n-return a - b\n+return b + a\n"},"riskLevel":"medium"},"modificationReason":"Same order as in sub().","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1m","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(306),
    name: "modification-beyond-parameters",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a modification changed the type, the tool or the target of a diff",
    source: include_str!("yv306.rs"),
    check: Check::RuleContext(&[Trigger::Decision], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(what) = scene
        .judged
        .decided
        .as_ref()
        .and_then(|d| d.beyond_parameters)
    {
        out.report(
            &RULE,
            format!("the modification changed {what}; it may only change parameters"),
        )
        .below_if_there("/modifiedAction");
    }
}
