//! A thought breaks the prompt contract.
//!
//! ## What it does
//! What a model hands in is a `thought`: `reasoning` and `done` are required, `action` with `type`
//! and `payload` exactly when `done` is false, and nothing else. The rule fires for anything in a
//! thought that is missing, of the wrong type or unknown, whether the thought stands alone or in a
//! `turn`. Violations elsewhere in the record are YV103.
//!
//! ## Why it matters
//! The contract keeps the model out of the government. A thought that carries a state, a decision
//! or a result, and a runtime that takes it over, let the model approve its own action or report a
//! success that never was.
//!
//! ## How to mend it
//! Check the model's output against the contract before it becomes a record, and ask again when it
//! breaks it. Drop no unknown member in silence: a model that sends states has been told the wrong
//! prompt. Keep data of your own in `metadata` of the record.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"The file is there.","done":true,"state":"TERMINAL"},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"The file is there.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(210),
    name: "contract-violation",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "a thought breaks the prompt contract",
    source: include_str!("yv210.rs"),
    check: Check::Reader,
};
