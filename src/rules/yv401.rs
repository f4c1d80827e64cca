//! Tokens are in force and none covers the executed action.
//!
//! ## What it does
//! Tokens are in force when the start says `capabilities: "required"`, or once any token was issued
//! in the execution. Then whatever runs needs a live one: that in `capabilityId`, or any that
//! covers it. A token covers an action by its `subject` (the action's id) and by its `scope`; where
//! it states both, both must hold; one that states neither covers nothing. The rule fires when
//! there is none. Revoked ones are YV402, too narrow ones YV405, ones that nobody issued YV407.
//!
//! ## Why it matters
//! An approval says that an action may run; the token is what lets it. If the executor runs without
//! one, taking the token away doesn't stop anything, and a stolen approval is enough.
//!
//! ## How to mend it
//! Issue a token for each approved action, with the action as `subject`, before it runs, and let
//! the executor refuse without it. If this execution should not use tokens, say so in the start and
//! issue none.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"capabilities":"required"}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"capabilities":"required"}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"capability_issued","executionId":"exec_1","timestamp":1768800000130,"capability":{"id":"cap_1","subject":"a1","grants":["tool_call"],"issuer":"governor"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::TokenUse;

pub(super) const RULE: Rule = Rule {
    code: Code(401),
    name: "no-capability",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "tokens are in force and none covers the executed action",
    source: include_str!("yv401.rs"),
    check: Check::RuleContext(&[Trigger::Execution], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(TokenUse::None(named)) = scene.judged.executed.as_ref().map(|r| &r.token) {
        let message = match named {
            Some(name) => format!("the action ran on token `{name}`, which isn't one for it"),
            None => "the action ran, and no live token covers it".to_owned(),
        };
        out.report(&RULE, message)
            .below_if_there("/capabilityId")
            .subject(named.as_deref().unwrap_or_default());
    }
}
