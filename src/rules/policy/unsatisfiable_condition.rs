//! No action can match the condition of a rule.
//!
//! ## What it does
//! For each rule, the analysis proves whether its condition matches at least one abstract action.
//!
//! ## Why it matters
//! The rule does nothing. Often two of its keys were meant as alternatives.
//!
//! ## How to fix it
//! Write alternatives under `any`, remove the key that contradicts the others, or delete the rule.
//!
//! ## Fails
//! ```yaml policy check policy.yaml
//! ```
//!
//! ## Passes
//! ```yaml policy check policy.yaml
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(511),
    name: "unsatisfiable-condition",
    severity: Severity::Error,
    aspect: None,
    summary: "no action can match a rule of the policy",
    source: include_str!("unsatisfiable_condition.rs"),
    examples: &[
        include_str!("unsatisfiable_condition/fails/policy.yaml"),
        include_str!("unsatisfiable_condition/passes/policy.yaml"),
    ],
    check: Check::Policy,
};
