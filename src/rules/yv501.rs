//! An action was approved that the given policy denies.
//!
//! ## What it does
//! Asks the policy about every recorded action that was approved, by policy or by a human, with the
//! history as it stood at that moment, and reports those that it denies.
//!
//! ## Why it matters
//! Either the policy has become stricter since, and the trace shows what the change will stop; or
//! the action was approved although it was forbidden then. A policy whose effect on last month's
//! work nobody has seen is a guess.
//!
//! ## How to mend it
//! `policy eval --trace` on the action shows which rule it meets. If the action is legitimate, the
//! rule is too wide; if it isn't, ask who approved it.
//!
//! ## Fails
//! ```yaml policy replay --policy policy.yaml
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
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","timestamp":1768800000120,"ruleId":"r1"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000130,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000140,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000150,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```yaml policy replay --policy policy.yaml
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
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","timestamp":1768800000120,"ruleId":"r1"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000130,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000140,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000150,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(501),
    name: "policy-now-denies",
    severity: Severity::Error,
    aspect: None,
    summary: "an approved action that the given policy denies",
    source: include_str!("yv501.rs"),
    check: Check::Policy,
};
