//! An action ran on a revoked token.
//!
//! ## What it does
//! A token that a `capability_revoked` has named is dead for the rest of the execution. The rule
//! fires when `execution_finished` names such a token in `capabilityId`, or names none and only
//! revoked ones would cover the action. The order of the records counts, and so do their dates: a
//! revocation that is recorded behind the use and dated before it was in force, compared as
//! coarsely as the coarser date is written. That a token was never issued changes nothing: what is
//! revoked is dead, whether tokens are in force or not.
//!
//! ## Why it matters
//! Revoking is the emergency brake. A runtime that checks tokens when it plans, not when it runs,
//! carries on with what was stopped, and whoever keeps a copy of an old token keeps the right.
//!
//! ## How to mend it
//! Check the token right before running, against the same store that revocations are written to. In
//! a review, ask why it was revoked and whether the action should have happened at all.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"capability_issued","executionId":"exec_1","timestamp":1768800000130,"capability":{"id":"cap_1","subject":"a1","grants":["tool_call"],"issuer":"governor"}}
//! {"record":"capability_revoked","executionId":"exec_1","timestamp":1768800000140,"capability":{"id":"cap_1"},"reason":"Stopped by alice"}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","capabilityId":"cap_1","result":{"success":true,"output":"# demo"}}
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
//! {"record":"capability_issued","executionId":"exec_1","timestamp":1768800000130,"capability":{"id":"cap_1","subject":"a1","grants":["tool_call"],"issuer":"governor"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","capabilityId":"cap_1","result":{"success":true,"output":"# demo"}}
//! {"record":"capability_revoked","executionId":"exec_1","timestamp":1768800000165,"capability":{"id":"cap_1"},"reason":"Used up"}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity, subject};
use crate::replay::Aspect;
use crate::replay::TokenUse;

pub(super) const RULE: Rule = Rule {
    code: Code(402),
    name: "revoked-capability",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "an action ran on a revoked token",
    source: include_str!("yv402.rs"),
    check: Check::RuleContext(&[Trigger::Execution, Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(TokenUse::Revoked(name)) = scene.judged.executed.as_ref().map(|r| &r.token) {
        out.report(
            &RULE,
            format!("the action ran on token `{name}`, which was revoked before"),
        )
        .below_if_there("/capabilityId")
        .subject(name.as_str());
    }
    if let Some((name, line)) = &scene.judged.anomalies().used_revoked {
        out.report(
            &RULE,
            format!("an action ran on token `{name}` behind the date of its revocation"),
        )
        .subject(subject(["dated", &**name]))
        .related(*line, "it ran here");
    }
}
