//! Two ids of one execution look alike.
//!
//! ## What it does
//! Ids of agents, of the governor, of signers and of issuers of tokens are compared with each
//! other. The rule fires where two of them differ and look the same to a person: `1`, `l` and `I`,
//! `0` and `O`, `rn` and `m`, letters of another script. Ids that differ only in upper and lower
//! case, in white space around them or in characters that nobody sees are one id and no finding. An
//! agent that signs under an id that passes for its own is YV312. Of one execution 1,024 ids are
//! compared.
//!
//! ## Why it matters
//! A reviewer reads names, not bytes. Where `agent-l` may sign what `agent-1` proposes, the record
//! says that nobody governs himself, and everybody who reads it believes the wrong thing.
//!
//! ## How to mend it
//! Give agents and people ids that differ in a word, not in a letter. If one of the two was never
//! meant to be there, find out who added it.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"agents":["agent-1","agent-l"],"governor":{"id":"alice"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"agentId":"agent-1","thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"agentId":"agent-1","action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","signer":"alice","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"agents":["agent-1","agent-2"],"governor":{"id":"alice"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"agentId":"agent-1","thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"agentId":"agent-1","action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","signer":"alice","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity, subject};

pub(super) const RULE: Rule = Rule {
    code: Code(318),
    name: "confusable-identity",
    severity: Severity::Warning,
    aspect: None,
    summary: "two ids of one execution look alike",
    source: include_str!("yv318.rs"),
    check: Check::RuleContext(&[Trigger::Decision, Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for pair in &scene.judged.anomalies().confusable {
        // Who signs under a name that passes for an agent's has a finding.
        let told = [
            &scene.judged.anomalies().late_agent,
            &scene.judged.anomalies().late_issuer,
        ]
        .into_iter()
        .flatten()
        .any(|(id, _)| *id == pair.id);
        if !told && scene.judged.anomalies().governing_agent.as_ref() != Some(&pair.id) {
            out.report(
                &RULE,
                format!(
                    "`{}` looks like `{}` and is another id",
                    pair.id, pair.other
                ),
            )
            .subject(subject([&*pair.id, &*pair.other]))
            .related(pair.line, "the other id");
        }
    }
}
