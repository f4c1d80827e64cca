//! An action ran on a token that nobody had issued.
//!
//! ## What it does
//! The token that `execution_finished` names in `capabilityId` must have been issued on an earlier
//! line of its execution, as soon as tokens are in force (YV401 says when). One that is issued
//! later, or whose execution issues others later, is told where the first of them is issued. A
//! record of a token that can't be read may be that of any token: then nothing is said. Dates count
//! as well as lines: a token whose record is dated behind the action isn't issued before it,
//! compared as coarsely as the coarser date is written. Nor is one whose `issuer` is empty, blank
//! or invisible: nobody has issued that.
//!
//! ## Why it matters
//! A token that doesn't exist yet can't have been checked before the action ran: the executor
//! accepts any name. One that nobody issues at all is made up.
//!
//! ## How to mend it
//! Issue the token before the action runs, write the record when it is issued, and let the executor
//! look the token up. If only the record came late, correct the writer.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"agents":["coder"],"governor":{"id":"governor"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"agentId":"coder","thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"agentId":"coder","action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"capability_issued","executionId":"exec_1","timestamp":1768800000125,"capability":{"id":"cap2","grants":["tool_call"],"issuer":"governor","subject":"a1"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","capabilityId":"cap1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"agents":["coder"],"governor":{"id":"governor"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"agentId":"coder","thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"agentId":"coder","action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"capability_issued","executionId":"exec_1","timestamp":1768800000125,"capability":{"id":"cap1","grants":["tool_call"],"issuer":"governor","subject":"a1"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","capabilityId":"cap1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity, subject};
use crate::replay::{Aspect, TokenUse};
use crate::trace::Fact;

pub(super) const RULE: Rule = Rule {
    code: Code(407),
    name: "capability-not-issued",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "an action ran on a token that nobody had issued",
    source: include_str!("yv407.rs"),
    check: Check::RuleContext(&[Trigger::Execution, Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let message = |name: &str| format!("the action ran on token `{name}`, which nobody had issued");
    if let Some(TokenUse::NotIssued(name)) = scene.judged.executed.as_ref().map(|r| &r.token) {
        out.report(&RULE, message(name))
            .below_if_there("/capabilityId")
            .subject(subject(["now", &**name]));
    }
    if let Some(TokenUse::IssuedLater(name)) = scene.judged.executed.as_ref().map(|r| &r.token) {
        let message = format!("the action ran on token `{name}` before the date of its issue");
        out.report(&RULE, message)
            .below_if_there("/capabilityId")
            .subject(subject(["dated", &**name]));
    }
    if scene.judged.anomalies().issued_by_nobody {
        let id = match scene.step.map(|s| s.fact) {
            Some(Fact::Issued(token)) => token.id.decode(),
            _ => "".into(),
        };
        out.report(
            &RULE,
            "the token is issued by nobody: its issuer shows nothing",
        )
        .below_if_there("/issuer")
        .subject(subject(["nobody", &id]));
    }
    for (name, line) in &scene.judged.anomalies().used_unissued {
        out.report(&RULE, message(name))
            .subject(subject(["late", &**name]))
            .related(*line, "it ran here");
    }
}
