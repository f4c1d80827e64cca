//! An action was approved that the given policy denies.
//!
//! ## What it does
//! Asks the policy about every recorded action that was approved, by policy or by a human, with the
//! history at that moment, and reports those that it denies.
//!
//! ## Why it matters
//! Either the policy has become stricter since, and the trace shows what the change will stop; or
//! the action was approved although it was forbidden then. A policy whose effect on last month's
//! work nobody has seen is a guess.
//!
//! ## How to fix it
//! `policy eval --trace` on the action shows which rule it meets. If the action is legitimate, the
//! rule is too wide; if it isn't, ask who approved it.
//!
//! ## Fails
//! ```yaml policy replay --policy policy.yaml
//! ```
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```yaml policy replay --policy policy.yaml
//! ```
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(501),
    name: "policy-now-denies",
    severity: Severity::Error,
    aspect: None,
    summary: "an approved action that the given policy denies",
    source: include_str!("policy_now_denies.rs"),
    examples: &[
        include_str!("policy_now_denies/fails/policy.yaml"),
        include_str!("policy_now_denies/fails/trace.jsonl"),
        include_str!("policy_now_denies/passes/policy.yaml"),
        include_str!("policy_now_denies/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
