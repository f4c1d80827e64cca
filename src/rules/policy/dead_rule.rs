//! A rule of a policy never decides: other rules decide on every action that it matches.
//!
//! ## What it does
//! Proves for each rule whether some abstract action exists that it decides. Names the rules that
//! decide in its place. Reports a `default` in the same way if the rules decide every action.
//!
//! ## Why it matters
//! People read the rule and believe that it protects them, or that it allows something. It does
//! neither.
//!
//! ## How to fix it
//! Delete the rule. Under `first-match` it can also be moved before the others. Otherwise narrow
//! theirs.
//!
//! ## Fails
//! ```yaml policy check --fail-on warning policy.yaml
//! ```
//!
//! ## Passes
//! ```yaml policy check --fail-on warning policy.yaml
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(510),
    name: "dead-rule",
    severity: Severity::Warning,
    aspect: None,
    summary: "a rule of the policy never decides",
    source: include_str!("dead_rule.rs"),
    examples: &[
        include_str!("dead_rule/fails/policy.yaml"),
        include_str!("dead_rule/passes/policy.yaml"),
    ],
    check: Check::Policy,
};
