//! The given policy allows an action that was rejected by policy.
//!
//! ## What it does
//! The policy decides on every recorded action that was rejected by policy. The rule reports those
//! that it allows. Actions that a human rejected aren't reported: the policy may well leave them to
//! a human.
//!
//! ## Why it matters
//! This shows what a policy change allows that was stopped before.
//!
//! ## How to fix it
//! If the change is intended, nothing. Otherwise a rule has become too narrow, or an allowing rule
//! too wide.
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
    summary: "rejected by policy, but the given policy allows it",
    source: include_str!("policy_now_allows.rs"),
    examples: &[
        include_str!("policy_now_allows/fails/policy.yaml"),
        include_str!("policy_now_allows/fails/trace.jsonl"),
        include_str!("policy_now_allows/passes/policy.yaml"),
        include_str!("policy_now_allows/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
