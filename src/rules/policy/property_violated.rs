//! A property of the policy has a counterexample.
//!
//! ## What it does
//! Searches for actions that break a property: the built-in ones (`policy fuzz` lists them) and
//! those that the policy states itself under `properties`. A counterexample is shrunk to the
//! smallest action that still breaks it, and printed as a case for the policy's test file.
//!
//! ## Why it matters
//! Cases say what somebody thought of. A property says what must hold of everything else. In the
//! example the policy promises that keys stay where they are, and a rule that is meant for
//! something else lets them be read.
//!
//! ## How to fix it
//! Ask `policy eval --trace` which rule decides. Narrow it, or put a stricter one before it; then
//! keep the counterexample as a case (`--save`).
//!
//! ## Fails
//! ```yaml policy fuzz --property keys-stay policy.yaml
//! ```
//! ```yaml
//! ```
//!
//! ## Passes
//! ```yaml policy fuzz --property keys-stay policy.yaml
//! ```
//! ```yaml
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(515),
    name: "property-violated",
    severity: Severity::Error,
    aspect: None,
    summary: "a property of the policy has a counterexample (shrunk, printed)",
    source: include_str!("property_violated.rs"),
    examples: &[
        include_str!("property_violated/fails/policy.yaml"),
        include_str!("property_violated/fails/policy.test.yaml"),
        include_str!("property_violated/passes/policy.yaml"),
        include_str!("property_violated/passes/policy.test.yaml"),
    ],
    check: Check::Policy,
};
