//! A string escapes half of a surrogate pair.
//!
//! ## What it does
//! A `\uhhhh` escape from `\ud800` to `\udfff` is half of a character and must be followed or
//! preceded by its other half. A half that stands alone is read as `U+FFFD`, and reading goes on;
//! the record is replayed as usual. One finding is given for a record, with the number of such
//! escapes. In an id, it leaves open whether the id is another one: what rests on comparing them is
//! *not recorded* then.
//!
//! ## Why it matters
//! Real writers produce it by cutting text by length in the middle of an emoji. But readers differ:
//! some refuse the record, some replace the half, some keep it. Hashes and signatures over such a
//! text can't be recomputed reliably, and two different texts may look the same in a report.
//!
//! ## How to mend it
//! Cut text at character boundaries (in JavaScript by code points, not by `length`) and mark it as
//! `truncated`. Where output comes from tools, make it well formed before it is recorded.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# Demo \ud83d"}}
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
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# Demo \ud83d\ude80"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(109),
    name: "lone-surrogate",
    severity: Severity::Warning,
    aspect: None,
    summary: "a string escapes half of a surrogate pair",
    source: include_str!("yv109.rs"),
    check: Check::Reader,
};
