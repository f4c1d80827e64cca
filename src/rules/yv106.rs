//! An object names a member twice.
//!
//! ## What it does
//! Every object of a record, at any depth and inside payloads too, may name a member only once.
//! Names are compared after their escapes are resolved, so `"\u0062y"` is `by`. The first one is
//! read, and the replay goes on with it. At most five are reported for one record. In what
//! `knowledge reindex` reads (graph, context bank, runs, transcripts, decisions about skills) such
//! a line or item is passed over.
//!
//! ## Why it matters
//! JSON readers disagree on which of two equal members counts. A record that says
//! `"by":"policy","by":"human"` is a policy's approval for one tool and a person's for another; a
//! payload with two paths shows one to the governor and opens the other.
//!
//! ## How to mend it
//! Build records with a JSON library, never by joining strings, and refuse duplicates where a
//! model's output is parsed. In a review, treat the record as if it said the worse of the two.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","by":"human","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
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
    code: Code(106),
    name: "duplicate-member",
    severity: Severity::Error,
    aspect: None,
    summary: "an object names a member twice",
    source: include_str!("yv106.rs"),
    check: Check::Reader,
};
