//! The signature of one decision appears in another one.
//!
//! ## What it does
//! The values of all signatures of a run are compared, whether they are checked or not, and however
//! they are spelled. A signature covers execution, turn and action; the rule fires where the same
//! one appears in a record that differs from the first in one of these, be it in another file. The
//! same record twice, as in a copy of a trace, is no finding. Of one run 262,144 signed decisions
//! are compared, and 32,768 of each of the sixteen workers that an input is dealt out to; one more
//! is YV107.
//!
//! ## Why it matters
//! A person has signed once, for one action. Whoever copies the signature shows it for something
//! else, and without the keys at hand nobody sees that it doesn't fit.
//!
//! ## How to fix it
//! Find out which of the two records is the one that was signed (`replay --keys` tells), and have
//! the other action decided again. Draw a fresh signature for each decision.
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
