//! An agent acts that the start of the execution doesn't record.
//!
//! ## What it does
//! Where `execution_started` records `agents`, every `agentId` of a thought and of a proposal must
//! be among them; the last start that records any counts. Ids that differ only in upper and lower
//! case, in white space around them or in characters that nobody sees are the same; ones that only
//! look alike aren't. The rule fires once for each agent. An empty list says that there is no
//! agent; a start without the member says nothing.
//!
//! ## Why it matters
//! The list says who may think in this execution. An agent beside it has whatever rights its
//! runtime gives it, and nobody has agreed to it; its decisions are compared with no list of agents
//! either.
//!
//! ## How to mend it
//! Name all agents in the start, or record a pause and a start that names them when one joins. If
//! nobody knows the agent, find out who ran it.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"agents":["agent-1"],"governor":{"id":"alice"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"agentId":"helper","thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"agentId":"helper","action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","signer":"alice","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"agents":["agent-1"],"governor":{"id":"alice"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"agentId":"agent-1","thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"agentId":"agent-1","action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","signer":"alice","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(319),
    name: "unknown-agent",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "an agent acts that the start doesn't record",
    source: include_str!("yv319.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(agent) = &scene.judged.anomalies().stranger else {
        return;
    };
    let draft = out
        .report(
            &RULE,
            format!("`{agent}` isn't among the agents that the start records"),
        )
        .subject(agent.as_str());
    let own = scene
        .step
        .and_then(|step| scene.entry?.resolve(&step.part.pointer("/agentId")));
    if own.is_some() {
        draft.below("/agentId");
    } else {
        draft.whole_record("/agentId");
    }
}
