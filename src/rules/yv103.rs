//! A record breaks its schema.
//!
//! ## What it does
//! A record is compared with the schema of its kind: required members, types, bounds, closed sets
//! of words, and that the `reason` of an evaluation belongs to its `kind`. Unknown members are
//! allowed only under `metadata`; in the native formats they are let pass. The finding points to
//! the member. The record still counts as an event of its kind as far as that can be told, and what
//! it would have shown is *not recorded*. A turn and a whole execution stand for many events: each
//! part that keeps the schema is replayed, each other one is taken for such an event. Violations
//! inside a `thought` are YV210.
//!
//! ## Why it matters
//! A record of the wrong shape is read differently by every consumer: one takes an unknown risk for
//! high, another for low. What a broken record says about risk, signer or result can't be relied
//! on, so an approval next to it proves little.
//!
//! ## How to mend it
//! Mend the writer, not the file: `yuangs-verify schema` prints what each kind must look like. Put
//! members of your own under `metadata`. In a review, take the record as missing evidence until it
//! is written again by the runtime.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"none","reasoning":"Needed."}}
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

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(103),
    name: "schema-violation",
    severity: Severity::Error,
    aspect: None,
    summary: "a record breaks its schema",
    source: include_str!("yv103.rs"),
    check: Check::Reader,
};
