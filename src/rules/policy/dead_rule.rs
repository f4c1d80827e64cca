//! A rule of a policy never decides: other rules decide on every action that it matches.
//!
//! ## What it does
//! For each rule, the analysis proves whether it decides at least one abstract action. For a rule
//! that doesn't, the finding names the rules that decide instead. A `default` is reported in the
//! same way if the rules decide every action.
//!
//! ## Why it matters
//! People read the rule and believe that it protects them or allows something. It does neither.
//!
//! ## How to fix it
//! Delete the rule. With `first-match`, it can also be moved before the others. Otherwise narrow
//! the others.
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
