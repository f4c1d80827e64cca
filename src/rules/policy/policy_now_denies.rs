//! The given policy denies an action that was approved.
//!
//! ## What it does
//! The policy decides on every recorded action that was approved, by policy or by a human, with the
//! history at that moment. The rule reports those that it denies.
//!
//! ## Why it matters
//! Either the policy has become stricter since, and the trace shows what the change will stop, or
//! the action was approved although it was forbidden. Without testing a policy on past work, its
//! effect is a guess.
//!
//! ## How to fix it
//! `policy eval --trace` shows which rule matches the action. If the action is legitimate, the rule
//! is too wide; otherwise, ask the person who approved it.
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
