//! A decision isn't signed, and has to be.
//!
//! ## What it does
//! With `--require-signatures human` (or `[keys] require` in the configuration of a gate) each
//! decision of a human must carry a signature, with `all` each decision. The option needs a trust
//! file, so that what is signed is checked as well (YV802). Formats that keep no signatures have
//! unsigned decisions, and where the decision about something that ran isn't on record, nothing is
//! signed either: both fail.
//!
//! ## Why it matters
//! Without a signature anybody who can write the trace can write the name of a person into it.
//! Where signatures are checked but not required, whoever has no key leaves the signature out.
//!
//! ## How to mend it
//! Have whoever decides sign (docs/trust-file.md says what is signed), and record the signature
//! with the decision. Old traces that were never signed are to be replayed without the option.
//!
//! ## Fails
//! ```jsonl --keys keys/example.json --require-signatures human
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Create src/add.ts","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl --keys keys/example.json --require-signatures human
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Create src/add.ts","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"write_file","parameters":{"path":"src/add.ts","content":"export const add = (a, b) => a + b\n"}},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800002510,"decision":{"status":"approved","by":"human","actionId":"a1","signer":"alice","timestamp":1768800002510,"signature":{"keyId":"TEST-KEY-alice","alg":"ed25519","value":"Nxei3iMe8qdT2FmcWvsE/2Yipj8pm1xSiBL0RjmWFZ5XufIUWdFDvdEX1xXhlo5LcSjZDrcq0PE1IUHY/ZCWAw=="}}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800002590,"actionId":"a1","result":{"success":true,"output":"ok"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800002600,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800002610,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Trust file
//! ```json
//! {
//!   "keys": [
//!     {
//!       "keyId": "TEST-KEY-alice",
//!       "publicKey": "4/Q/c/4tHuNwM5+VfiMvXJjwuydGJLLD73Fab14MPvs=",
//!       "signer": "alice",
//!       "validFrom": 1768713600000,
//!       "validTo": 1800336000000
//!     }
//!   ]
//! }
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::{Approval, Aspect};
use crate::rules::Signed;
use governance::DecidedBy;

pub(super) const RULE: Rule = Rule {
    code: Code(321),
    name: "unsigned-decision",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "a decision isn't signed, and has to be",
    source: include_str!("yv321.rs"),
    check: Check::RuleContext(&[Trigger::Decision, Trigger::Execution], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(required) = scene.settings.signed else {
        return;
    };
    if let Some(decision) = scene.decision().filter(|_| scene.judged.decided.is_some()) {
        let must = required == Signed::All || decision.by == DecidedBy::Human;
        if must && decision.signature.is_none() {
            let of = if decision.by == DecidedBy::Human {
                " of a human"
            } else {
                ""
            };
            out.report(&RULE, format!("the decision{of} isn't signed"));
        }
    }
    if scene
        .judged
        .executed
        .as_ref()
        .is_some_and(|ran| ran.approval == Approval::Unknown)
    {
        out.report(
            &RULE,
            "an action ran, and no signed decision about it is on record",
        )
        .subject("action");
    }
}
