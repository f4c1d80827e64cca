//! A property of the policy has a counterexample.
//!
//! ## What it does
//! The rule searches for actions that violate a property: a built-in one (`policy fuzz` lists them)
//! or one of the policy's own `properties`. A counterexample is reduced to the smallest action that
//! still violates it, and printed as a case for the policy's test file.
//!
//! ## Why it matters
//! Cases cover what somebody thought of; a property covers everything else. In the example, the
//! policy promises that keys can't be read, and a rule intended for something else allows it.
//!
//! ## How to fix it
//! Find the deciding rule with `policy eval --trace`. Narrow it, or put a stricter one before it;
//! then keep the counterexample as a case (`--save`).
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
