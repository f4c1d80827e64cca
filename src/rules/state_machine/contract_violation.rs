//! A thought breaks the prompt contract.
//!
//! ## What it does
//! What a model hands in is a `thought`: `reasoning` and `done` are required, `action` with `type`
//! and `payload` exactly when `done` is false, and nothing else. The rule fires for anything in a
//! thought that is missing, of the wrong type or unknown, whether the thought is alone or in a
//! `turn`. Violations elsewhere in the record are YV103.
//!
//! ## Why it matters
//! The contract keeps the model out of the government. A thought that carries a state, a decision
//! or a result, and a runtime that takes it over, let the model approve its own action or report a
//! success that never was.
//!
//! ## How to fix it
//! Check the model's output against the contract before it becomes a record, and ask again when it
//! breaks it. Drop no unknown member in silence: a model that sends states was given the wrong
//! prompt. Keep data of your own in `metadata` of the record.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(210),
    name: "contract-violation",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "a thought breaks the prompt contract",
    source: include_str!("contract_violation.rs"),
    examples: &[
        include_str!("contract_violation.fails.jsonl"),
        include_str!("contract_violation.passes.jsonl"),
    ],
    check: Check::Reader,
};
