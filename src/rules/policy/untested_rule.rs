//! No test case makes a rule decide, or names it as a near miss.
//!
//! ## What it does
//! The rule runs the cases of a policy and reports each policy rule that decides no case, and each
//! one that no case names as a near miss.
//!
//! ## Why it matters
//! Nobody has checked a rule without a case: it may never match, because of a mistake in a glob or
//! because an earlier rule matches everything. A rule without a near miss may match far too much.
//!
//! ## How to fix it
//! Add a case that the rule decides (`expect: {effect: …, rule: ID}`), and one that it should just
//! not match (`near_miss: [ID]`).
//!
//! ## Fails
//! ```yaml policy test --strict policy.yaml
//! ```
//! ```yaml
//! ```
//!
//! ## Passes
//! ```yaml policy test --strict policy.yaml
//! ```
//! ```yaml
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(513),
    name: "untested-rule",
    severity: Severity::Warning,
    aspect: None,
    summary: "no test case makes the rule decide",
    source: include_str!("untested_rule.rs"),
    examples: &[
        include_str!("untested_rule/fails/policy.yaml"),
        include_str!("untested_rule/fails/policy.test.yaml"),
        include_str!("untested_rule/passes/policy.yaml"),
        include_str!("untested_rule/passes/policy.test.yaml"),
    ],
    check: Check::Policy,
};
