//! The head policy lacks a property of the base policy.
//!
//! ## What it does
//! Compares the `properties` of two policies. For each property of the base, the head needs one,
//! under any id, that requires at least the same effect for at least the same actions. The rule
//! reports a property that was removed or weakened, or that no longer clearly covers the same
//! actions.
//!
//! ## Why it matters
//! A property states what no change of the rules may undo. Without it, a search for counterexamples
//! finds none, so an attacker removes the property first.
//!
//! ## How to fix it
//! Keep the property. If it is no longer needed, explain that in the pull request and let a person
//! approve it.
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
    code: Code(520),
    name: "property-removed",
    severity: Severity::Error,
    aspect: None,
    summary: "the head policy lacks a property of the base policy",
    source: include_str!("property_removed.rs"),
    examples: &[
        include_str!("property_removed/fails/policy.yaml"),
        include_str!("property_removed/fails/base.yaml"),
        include_str!("property_removed/passes/policy.yaml"),
        include_str!("property_removed/passes/base.yaml"),
    ],
    check: Check::Policy,
};
