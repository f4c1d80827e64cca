//! The proposed action is no agent's thought of that turn.
//!
//! ## What it does
//! The proposed action must be the action of a thought of the same turn; where `agentId` is
//! recorded, of that agent's thought. Where several thought, the proposal has to name the one. Type
//! and payload are compared in canonical form. The rule is silent when a thought can't be read,
//! when no thought of the turn wants anything (then the path is illegal, YV201), and where the
//! format keeps no thoughts.
//!
//! ## Why it matters
//! An action that nobody thought of comes from elsewhere: injected between model and governor, left
//! over from another turn, or rewritten by a plug-in. The reasoning that the reviewer reads then
//! belongs to something else.
//!
//! ## How to mend it
//! Let the runtime copy the action from the selected thought, unchanged, and name the agent. If a
//! step in between must change it, let the agent think again, or let a human modify the proposal.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"LICENSE"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
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
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::Movement;

pub(super) const RULE: Rule = Rule {
    code: Code(314),
    name: "proposal-not-thought",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "the proposed action is no agent's thought of that turn",
    source: include_str!("yv314.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    // A proposal that the path can't explain has its finding.
    if scene.judged.anomalies().not_thought
        && scene
            .judged
            .movement
            .is_none_or(|m| m.movement == Movement::Legal)
    {
        let mut draft = out.report(&RULE, "the proposed action is no thought of this turn");
        for thought in &scene.execution.turn().thoughts {
            draft = draft.related(thought.line, "a thought of this turn");
        }
    }
}
