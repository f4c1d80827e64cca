//! An action was rejected by policy, and the given policy allows it.
//!
//! ## What it does
//! Asks the policy about every recorded action that was rejected by policy, and reports those that
//! it allows. What a human rejected is no finding here: the policy may well leave it to a human.
//!
//! ## Why it matters
//! It shows what a change of the policy allows that was stopped before.
//!
//! ## How to fix it
//! Nothing, if the change is meant. Otherwise a rule has become too narrow, or an allowing rule too
//! wide.
//!
//! ## Fails
//! ```yaml policy replay --fail-on note --policy policy.yaml
//! ```
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```yaml policy replay --fail-on note --policy policy.yaml
//! ```
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(503),
    name: "policy-now-allows",
    severity: Severity::Note,
    aspect: None,
    summary: "rejected by policy, and the given policy allows",
    source: include_str!("policy_now_allows.rs"),
    examples: &[
        include_str!("policy_now_allows/fails/policy.yaml"),
        include_str!("policy_now_allows/fails/trace.jsonl"),
        include_str!("policy_now_allows/passes/policy.yaml"),
        include_str!("policy_now_allows/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
