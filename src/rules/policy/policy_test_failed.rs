//! A test case gets another decision than it expects.
//!
//! ## What it does
//! Runs the cases next to a policy and the corpora that are given, and compares effect, rule and
//! reason with what each case expects. A near miss that the rule decides after all is reported too.
//!
//! ## Why it matters
//! The cases are what the team has agreed on. In the example a glob was written for one directory
//! only, so that the key in another one is no longer protected.
//!
//! ## How to fix it
//! `policy eval --trace` shows of each rule why it matches or doesn't. Fix the rule; or, if the
//! decision is meant, the case.
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
