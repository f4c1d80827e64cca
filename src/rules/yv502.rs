//! An action was approved by policy, and the given policy asks for a human.
//!
//! ## What it does
//! Asks the policy about every recorded action that was approved by policy, and reports those for
//! which it requires an approval. What a human approved is no finding: a human was asked.
//!
//! ## Why it matters
//! These are the questions that people will get once the policy is in force. Too many of them and
//! they will be waved through.
//!
//! ## How to mend it
//! Look at the actions grouped by rule. Narrow a rule that asks about what nobody would refuse.
//!
//! ## Fails
//! ```yaml policy replay --fail-on warning --policy policy.yaml
//! rules:
//!   - id: build-only
//!     when: { effects: [delete] }
//!     effect: ask
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
//! ```yaml policy replay --fail-on warning --policy policy.yaml
//! rules:
//!   - id: build-only
//!     when: { effects: [delete] }
//!     effect: ask
//!     reason: Deletes files
//!   - id: rest
//!     effect: allow
//!     reason: Anything else
//! ```
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Work","fsmVersion":"1"}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"shell_cmd","payload":{"command":"rm src/old.ts"}}}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"shell_cmd","payload":{"command":"rm src/old.ts"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"human","actionId":"a1","timestamp":1768800000120,"signer":"alice"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000130,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000140,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000150,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(502),
    name: "policy-now-asks",
    severity: Severity::Warning,
    aspect: None,
    summary: "approved by policy, and the given policy asks for a human",
    source: include_str!("yv502.rs"),
    check: Check::Policy,
};
