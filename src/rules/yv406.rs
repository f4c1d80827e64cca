//! An agent issued a capability token.
//!
//! ## What it does
//! The `issuer` of a `capability_issued` is compared with all agents of the execution: those in
//! `agents` and every `agentId` of a thought or proposal, be it a later one. No agent issues
//! tokens, neither for its own actions nor for those of others. Ids are compared as for YV312:
//! without upper and lower case, white space around them and characters that nobody sees, and with
//! letters of other scripts as what they look like.
//!
//! ## Why it matters
//! A token is what the governor's side hands out. An agent that writes its own has whatever right
//! it likes, and revoking is no brake: it writes another one.
//!
//! ## How to mend it
//! Let only the governor's side issue tokens, with a name of its own. Look at what ran on the
//! agent's tokens as at something that nobody allowed.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"agents":["coder"],"governor":{"id":"governor"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"agentId":"coder","thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"agentId":"coder","action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"capability_issued","executionId":"exec_1","timestamp":1768800000125,"capability":{"id":"cap1","grants":["tool_call"],"issuer":"coder","subject":"a1"}}
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
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(406),
    name: "self-issued-capability",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "an agent issued a token",
    source: include_str!("yv406.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(agent) = &scene.judged.anomalies().issued_by_agent {
        out.report(
            &RULE,
            format!("the token is issued by `{agent}`, who is an agent"),
        )
        .below_if_there("/issuer")
        .subject(subject(["issuer", &**agent]));
    }
    if let Some((agent, line)) = &scene.judged.anomalies().late_issuer {
        out.report(
            &RULE,
            format!("`{agent}` thinks as an agent, and has issued a token before"),
        )
        .whole_record("/agentId")
        .subject(subject(["late", &**agent]))
        .related(*line, "the token");
    }
}
