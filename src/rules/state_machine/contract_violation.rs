//! A thought breaks the prompt contract.
//!
//! ## What it does
//! A model's output is a `thought`. It requires `reasoning` and `done`. `action`, with `type` and
//! `payload`, is required if `done` is false, and forbidden otherwise. Nothing else is allowed. The
//! rule fires for anything that is missing, has the wrong type or is unknown. It checks a thought
//! in a record of its own and in a `turn`. Violations elsewhere in a record are YV103.
//!
//! ## Why it matters
//! The contract separates the model from governance. If a thought contains a state, a decision or a
//! result, and the runtime accepts it, the model approves its own action or reports a success that
//! never happened.
//!
//! ## How to fix it
//! Check the model's output against the contract before recording it, and ask again if it violates
//! it. Don't drop unknown members silently: a model that sends states has the wrong prompt. Put
//! your own data into `metadata` of the record.
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
