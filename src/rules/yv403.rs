//! A live or revoked token was issued again.
//!
//! ## What it does
//! The `id` of a token may be issued once in an execution. The rule fires for a `capability_issued`
//! whose id is live already, or was revoked before, be it before anybody issued it. The second
//! issue has no effect in the replay: what the token covers stays as it was, and a revoked one
//! stays revoked.
//!
//! ## Why it matters
//! Issuing a live token again can widen its scope after somebody has agreed to the narrow one.
//! Issuing a revoked one takes the revocation back, without a record that says so.
//!
//! ## How to mend it
//! Draw a fresh id for every token. To change what a token covers, revoke it and issue another. If
//! ids repeat because the issuer forgot its state, mend that first: its revocations are forgotten
//! too.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"capability_issued","executionId":"exec_1","timestamp":1768800000130,"capability":{"id":"cap_1","subject":"a1","grants":["tool_call"],"issuer":"governor"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","capabilityId":"cap_1","result":{"success":true,"output":"# demo"}}
//! {"record":"capability_revoked","executionId":"exec_1","timestamp":1768800000165,"capability":{"id":"cap_1"}}
//! {"record":"capability_issued","executionId":"exec_1","timestamp":1768800000166,"capability":{"id":"cap_1","subject":"a2","grants":["tool_call"],"issuer":"governor"}}
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
//! {"record":"capability_revoked","executionId":"exec_1","timestamp":1768800000165,"capability":{"id":"cap_1"}}
//! {"record":"capability_issued","executionId":"exec_1","timestamp":1768800000166,"capability":{"id":"cap_2","subject":"a2","grants":["tool_call"],"issuer":"governor"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity, subject};
use crate::replay::Aspect;
use crate::trace::Fact;
use governance::LedgerError;

pub(super) const RULE: Rule = Rule {
    code: Code(403),
    name: "capability-reissued",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a live or revoked token was issued again",
    source: include_str!("yv403.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let id = match scene.step.map(|s| s.fact) {
        Some(Fact::Issued(token)) => token.id.decode(),
        _ => "".into(),
    };
    match scene.judged.anomalies().token {
        Some(LedgerError::AlreadyIssued) => out
            .report(&RULE, "the token is live already")
            .below("/id")
            .subject(subject(["live", &id])),
        Some(LedgerError::Revoked) => out
            .report(&RULE, "the token was revoked; it can never be issued again")
            .below("/id")
            .subject(subject(["revoked", &id])),
        Some(LedgerError::Unknown) | None => return,
    };
}
