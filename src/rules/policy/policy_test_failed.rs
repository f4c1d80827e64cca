//! A test case gets another decision than expected.
//!
//! ## What it does
//! The rule runs the cases next to a policy and the given corpora, and compares effect, rule and
//! reason with what each case expects. It also reports a near miss that the rule does decide.
//!
//! ## Why it matters
//! The cases are what the team agreed on. In the example, a glob was written for only one
//! directory, so the key in another one is no longer protected.
//!
//! ## How to fix it
//! `policy eval --trace` shows for each rule why it matches or doesn't. Fix the rule, or the case
//! if the decision is intended.
//!
//! ## Fails
//! ```yaml policy test policy.yaml
//! ```
//! ```yaml
//! ```
//!
//! ## Passes
//! ```yaml policy test policy.yaml
//! ```
//! ```yaml
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(514),
    name: "policy-test-failed",
    severity: Severity::Error,
    aspect: None,
    summary: "a test case or corpus case gives another decision",
    source: include_str!("policy_test_failed.rs"),
    examples: &[
        include_str!("policy_test_failed/fails/policy.yaml"),
        include_str!("policy_test_failed/fails/policy.test.yaml"),
        include_str!("policy_test_failed/passes/policy.yaml"),
        include_str!("policy_test_failed/passes/policy.test.yaml"),
    ],
    check: Check::Policy,
};
