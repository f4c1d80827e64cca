//! The base policy denies an action, and the head policy asks a human.
//!
//! ## What it does
//! Compares two policies as YV516 does. Reports each kind of action that the base denies and for
//! which the head asks for approval, with the smallest action of that kind.
//!
//! ## Why it matters
//! A human can now allow the action. People who are asked often approve without reading.
//!
//! ## How to fix it
//! If a human should decide, nothing. Otherwise keep the rule that denies, or narrow the one that
//! asks.
//!
//! ## Fails
//! ```yaml policy compare --cases 400 base.yaml policy.yaml
//! ```
//! ```yaml base.yaml
//! ```
//!
//! ## Passes
//! ```yaml policy compare --cases 400 base.yaml policy.yaml
//! ```
//! ```yaml base.yaml
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(506),
    name: "newly-asked",
    severity: Severity::Warning,
    aspect: None,
    summary: "the base policy denies an action, and the head asks a human",
    source: include_str!("newly_asked.rs"),
    examples: &[
        include_str!("newly_asked/fails/policy.yaml"),
        include_str!("newly_asked/fails/base.yaml"),
        include_str!("newly_asked/passes/policy.yaml"),
        include_str!("newly_asked/passes/base.yaml"),
    ],
    check: Check::Policy,
};
