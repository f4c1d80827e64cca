//! The base policy allows an action, and the head policy asks a human.
//!
//! ## What it does
//! Compares two policies as YV516 does. Reports each kind of action that the base allows and for
//! which the head asks for approval, with the smallest action of that kind.
//!
//! ## Why it matters
//! Each question costs attention and stops an agent that works alone.
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
    code: Code(507),
    name: "newly-asked-instead-of-allowed",
    severity: Severity::Note,
    aspect: None,
    summary: "the base policy allows an action, and the head asks a human",
    source: include_str!("newly_asked_instead_of_allowed.rs"),
    examples: &[
        include_str!("newly_asked_instead_of_allowed/fails/policy.yaml"),
        include_str!("newly_asked_instead_of_allowed/fails/base.yaml"),
        include_str!("newly_asked_instead_of_allowed/passes/policy.yaml"),
        include_str!("newly_asked_instead_of_allowed/passes/base.yaml"),
    ],
    check: Check::Policy,
};
