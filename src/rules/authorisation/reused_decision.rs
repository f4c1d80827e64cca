//! The signature of one decision appears in another decision.
//!
//! ## What it does
//! The values of all signatures of a run are compared, in any spelling, whether or not they are
//! verified. A signature covers execution, turn and action. The rule fires if the same signature
//! appears in a record where one of these differs, also in another file. The same record twice, as
//! in a copy of a trace, isn't a finding. At most 262,144 signed decisions of a run are compared,
//! and at most 32,768 for each of the sixteen workers of an input; more are YV107.
//!
//! ## Why it matters
//! A person signed once, for one action. A copied signature pretends that they approved something
//! else, and without the keys nobody notices that it is invalid there.
//!
//! ## How to fix it
//! Find out which of the two records was signed (`replay --keys` shows it), and have the other
//! action decided again. Create a new signature for each decision.
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
    code: Code(322),
    name: "reused-decision",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "the signature of one decision appears in another one",
    source: include_str!("reused_decision.rs"),
    examples: &[
        include_str!("reused_decision.fails.jsonl"),
        include_str!("reused_decision.passes.jsonl"),
    ],
    check: Check::Reader,
};
