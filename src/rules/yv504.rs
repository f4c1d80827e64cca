//! The policy that a trace was made under is not to be found.
//!
//! ## What it does
//! When no policy is given, `policy replay` takes the one whose SHA-256 the trace records, from the
//! files under `--policy-path` and the policies that are built in. Reports each recorded digest
//! that none of them has, once.
//!
//! ## Why it matters
//! A decision can only be judged by the rules of its day. If those can't be produced any more,
//! nobody can say whether it was right; a policy that was changed in place looks the same as one
//! that was lost.
//!
//! ## How to mend it
//! Keep every policy that was ever in force, and point to them with `--policy-path`. To ask what
//! today's policy would say, name it with `--policy`.
//!
//! ## Fails
//! ```yaml policy replay --policy-path policy.yaml
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
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Work","fsmVersion":"1","policy":{"digest":"sha256:0000000000000000000000000000000000000000000000000000000000000000","path":"policy.yaml"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Do it.","done":false,"action":{"type":"shell_cmd","payload":{"command":"cat src/old.ts"}}}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"shell_cmd","payload":{"command":"cat src/old.ts"},"riskLevel":"medium","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","timestamp":1768800000120,"ruleId":"r1"}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000130,"actionId":"a1","result":{"success":true,"output":""}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000140,"observation":{"summary":"Done.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000150,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```yaml policy replay --policy-path policy.yaml
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
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Work","fsmVersion":"1","policy":{"digest":"sha256:197db4bad8325e17b222bc3e726584a9b6964adee1015f6e1b92606cd85916ac","path":"policy.yaml"}}
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
    code: Code(504),
    name: "policy-not-found",
    severity: Severity::Error,
    aspect: None,
    summary: "the recorded policy digest is not to be found",
    source: include_str!("yv504.rs"),
    check: Check::Policy,
};
