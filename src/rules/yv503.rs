//! An action was rejected by policy, and the given policy allows it.
//!
//! ## What it does
//! Asks the policy about every recorded action that was rejected by policy, and reports those that
//! it allows. What a human rejected is no finding here: the policy may well leave it to a human.
//!
//! ## Why it matters
//! It shows what a change of the policy lets through that was stopped before.
//!
//! ## How to mend it
//! Nothing, if the change is meant. Otherwise a rule has become too narrow, or an allowing rule too
//! wide.
//!
//! ## Fails
//! ```yaml policy replay --fail-on note --policy policy.yaml
//! rules:
//!   - id: build-only
//!     when: { effects: [delete] }
//!     effect: deny
//!     reason: Deletes files
//!   - id: rest
//!     effect: allow
//!     reason: Anything else
//! ```
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Work","fsmVersion":"1"}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"shell_cmd","payload":{"command":"cat src/old.ts"}}}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"shell_cmd","payload":{"command":"cat src/old.ts"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"rejected","by":"policy","actionId":"a1","timestamp":1768800000120,"ruleId":"r1","reason":"No."}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":2,"timestamp":1768800001100,"thought":{"reasoning":"Stop.","done":true}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":2,"timestamp":1768800001101,"evaluation":{"kind":"terminate","reason":"user_abort"}}
//! ```
//!
//! ## Passes
//! ```yaml policy replay --fail-on note --policy policy.yaml
//! rules:
//!   - id: build-only
//!     when: { effects: [delete] }
//!     effect: deny
//!     reason: Deletes files
//!   - id: rest
//!     effect: allow
//!     reason: Anything else
//! ```
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Work","fsmVersion":"1"}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"shell_cmd","payload":{"command":"rm src/old.ts"}}}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"shell_cmd","payload":{"command":"rm src/old.ts"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"rejected","by":"policy","actionId":"a1","timestamp":1768800000120,"ruleId":"r1","reason":"No."}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":2,"timestamp":1768800001100,"thought":{"reasoning":"Stop.","done":true}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":2,"timestamp":1768800001101,"evaluation":{"kind":"terminate","reason":"user_abort"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(503),
    name: "policy-now-allows",
    severity: Severity::Note,
    aspect: None,
    summary: "rejected by policy, and the given policy allows",
    source: include_str!("yv503.rs"),
    check: Check::Policy,
};
