//! More actions were approved within a window than a rule grants.
//!
//! ## What it does
//! Counts, for every recorded action, the approvals of its type that stand in the window of a
//! rule's limit, from the record alone, and reports approved actions beyond what the rule grants.
//!
//! ## Why it matters
//! A limit is what ends a loop that has gone wrong. If more was approved than it grants, it wasn't
//! applied.
//!
//! ## How to mend it
//! Find out why the runtime didn't count: several executions that each count for themselves, a
//! clock that was set back, or a limit that is newer than the trace.
//!
//! ## Fails
//! ```yaml policy replay --policy policy.yaml
//! rules:
//!   - id: shell-rate
//!     when: { type: shell_cmd, max_per_minute: 1 }
//!     effect: allow
//!     reason: One a minute
//! ```
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Work","fsmVersion":"1"}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"shell_cmd","payload":{"command":"ls"}}}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"shell_cmd","payload":{"command":"ls"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","timestamp":1768800000120,"ruleId":"r1"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000130,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000140,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000150,"evaluation":{"kind":"continue","reason":"incomplete"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":2,"timestamp":1768800001100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"shell_cmd","payload":{"command":"ls -l"}}}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":2,"timestamp":1768800001110,"action":{"id":"a2","type":"shell_cmd","payload":{"command":"ls -l"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":2,"timestamp":1768800001120,"decision":{"status":"approved","by":"policy","actionId":"a2","timestamp":1768800001120,"ruleId":"r1"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":2,"timestamp":1768800001130,"actionId":"a2","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":2,"timestamp":1768800001140,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":2,"timestamp":1768800001150,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```yaml policy replay --policy policy.yaml
//! rules:
//!   - id: shell-rate
//!     when: { type: shell_cmd, max_per_minute: 1 }
//!     effect: allow
//!     reason: One a minute
//! ```
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Work","fsmVersion":"1"}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"shell_cmd","payload":{"command":"ls"}}}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"shell_cmd","payload":{"command":"ls"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","timestamp":1768800000120,"ruleId":"r1"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000130,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000140,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000150,"evaluation":{"kind":"continue","reason":"incomplete"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":2,"timestamp":1768800061100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"shell_cmd","payload":{"command":"ls -l"}}}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":2,"timestamp":1768800061110,"action":{"id":"a2","type":"shell_cmd","payload":{"command":"ls -l"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":2,"timestamp":1768800061120,"decision":{"status":"approved","by":"policy","actionId":"a2","timestamp":1768800061120,"ruleId":"r1"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":2,"timestamp":1768800061130,"actionId":"a2","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":2,"timestamp":1768800061140,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":2,"timestamp":1768800061150,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(505),
    name: "rate-limit-exceeded",
    severity: Severity::Error,
    aspect: None,
    summary: "more actions in the window than the rule grants",
    source: include_str!("yv505.rs"),
    check: Check::Policy,
};
