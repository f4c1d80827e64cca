//! A file among the traces is neither read nor excluded.
//!
//! ## What it does
//! The gate walks the folders of `[traces] paths`. A file there is read when an `include` fits it,
//! or, without `include`, when it ends in `.jsonl`, `.json` or `.cast`, with or without `.gz` or
//! `.zst`. It is passed over when an `exclude` fits it. Every other file is this finding: another
//! ending, another compression, a pipe, a socket, a symbolic link to something outside. Hidden
//! files count like any other.
//!
//! ## Why it matters
//! A trace that nobody reads can't fail. If a file were passed over because of its name, renaming a
//! bad trace to `.log` or compressing it in another way would be enough to pass.
//!
//! ## How to mend it
//! If the file is a trace, give it one of the endings, or name it in `include`; unpack it if its
//! compression isn't read. If it is none, name it in `exclude` (a glob, as narrow as it can be), or
//! move it elsewhere.
//!
//! ## Fails
//! ```toml gate
//! [traces]
//! paths = ["traces"]
//! ```
//!
//! ```jsonl traces/a.jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ```jsonl traces/b.log
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```toml gate
//! [traces]
//! paths = ["traces"]
//! exclude = ["traces/README.md"]
//! ```
//!
//! ```jsonl traces/a.jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Summarise README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Read it.","done":false,"action":{"type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}}}},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"action_proposed","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"action":{"id":"a1","type":"tool_call","payload":{"tool":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Needed."}}
//! {"record":"governance_decided","executionId":"exec_1","turnId":1,"timestamp":1768800000120,"decision":{"status":"approved","by":"policy","actionId":"a1","ruleId":"allow-read","timestamp":1768800000120}}
//! {"record":"execution_finished","executionId":"exec_1","turnId":1,"timestamp":1768800000160,"actionId":"a1","result":{"success":true,"output":"# demo"}}
//! {"record":"observation_recorded","executionId":"exec_1","turnId":1,"timestamp":1768800000170,"observation":{"summary":"Read the file.","artifacts":[]}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000180,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ```text traces/README.md
//! What lies here.
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(111),
    name: "unread-file",
    severity: Severity::Error,
    aspect: None,
    summary: "a file among the traces is neither read nor excluded",
    source: include_str!("yv111.rs"),
    check: Check::Policy,
};
