//! A trace is in a format that the configuration doesn't accept.
//!
//! ## What it does
//! Where `[traces] formats` in `yuangs-verify.toml` lists the formats that traces may have, the
//! gate gives this finding for every input in another one. It is replayed all the same, so that
//! nothing in it goes unseen.
//!
//! ## Why it matters
//! Formats differ in what they record. Whoever rewrites a trace in a format without signers, turns
//! or actions takes away what the rules look at: an approval that is missing is an error in one
//! format and *not recorded* in another. A project whose runtime writes one format has no reason to
//! accept a poorer one.
//!
//! ## How to mend it
//! Find out who wrote the file, and hand in the trace that the runtime wrote. If a second runtime
//! is in use, add its format to the list and have that change reviewed.
//!
//! ## Fails
//! ```toml gate
//! [traces]
//! paths = ["traces"]
//! formats = ["execution-record"]
//! ```
//!
//! ```jsonl traces/a.jsonl
//! {"turnId":1,"startTime":1768800000100,"endTime":1768800000180,"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"},"thought":{"isDone":false,"type":"tool_call","payload":{"tool_name":"read_file","parameters":{"path":"README.md"}},"reasoning":"Read it."},"proposedAction":{"id":"a1","type":"tool_call","payload":{"tool_name":"read_file","parameters":{"path":"README.md"}},"riskLevel":"low","reasoning":"Read it."},"governance":{"status":"approved","by":"auto-policy","timestamp":1768800000120},"executionResult":{"success":true,"output":"# demo"},"observation":{"summary":"Read the file.","artifacts":[]},"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```toml gate
//! [traces]
//! paths = ["traces"]
//! formats = ["execution-record"]
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

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(110),
    name: "unexpected-format",
    severity: Severity::Error,
    aspect: None,
    summary: "a trace is in a format that the configuration doesn't accept",
    source: include_str!("yv110.rs"),
    check: Check::Policy,
};
