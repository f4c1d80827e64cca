//! No test case makes a rule decide, or none just misses it.
//!
//! ## What it does
//! Runs the cases of a policy and reports each rule that decides none of them, and each rule that
//! no case names as a near miss.
//!
//! ## Why it matters
//! A rule that no case exercises is a promise that nobody has checked: it may never match, because
//! of a slip in a glob or because an earlier rule takes everything. A rule without a near miss may
//! match far too much.
//!
//! ## How to fix it
//! Add a case that the rule decides (`expect: {effect: …, rule: ID}`), and one that it should just
//! leave alone (`near_miss: [ID]`).
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
