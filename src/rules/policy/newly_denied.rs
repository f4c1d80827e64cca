//! The head policy denies an action that the base policy allows or asks about.
//!
//! ## What it does
//! Compares two policies as YV516 does, and reports each kind of action that the head newly denies,
//! with the smallest action of that kind.
//!
//! ## Why it matters
//! A newly denied action stops work that succeeded before.
//!
//! ## How to fix it
//! If this is intended, nothing. `policy replay` shows how often it would have happened.
//!
//! ## Fails
//! ```yaml policy compare --fail-on note --cases 400 base.yaml policy.yaml
//! ```
//! ```yaml base.yaml
//! ```
//!
//! ## Passes
//! ```yaml policy compare --fail-on note --cases 400 base.yaml policy.yaml
//! ```
//! ```yaml base.yaml
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(517),
    name: "newly-denied",
    severity: Severity::Note,
    aspect: None,
    summary: "the head policy newly denies an action (witness printed)",
    source: include_str!("newly_denied.rs"),
    examples: &[
        include_str!("newly_denied/fails/policy.yaml"),
        include_str!("newly_denied/fails/base.yaml"),
        include_str!("newly_denied/passes/policy.yaml"),
        include_str!("newly_denied/passes/base.yaml"),
    ],
    check: Check::Policy,
};
