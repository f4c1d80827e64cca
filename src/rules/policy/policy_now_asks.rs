//! An action was approved by policy, and the given policy asks for a human.
//!
//! ## What it does
//! Asks the policy about every recorded action that was approved by policy, and reports those for
//! which it requires an approval. What a human approved is no finding: a human was asked.
//!
//! ## Why it matters
//! These are the questions that people will get once the policy is in force. Too many of them and
//! they will be waved through.
//!
//! ## How to fix it
//! Read the actions grouped by rule. Narrow a rule that asks about what nobody would refuse.
//!
//! ## Fails
//! ```yaml policy replay --fail-on warning --policy policy.yaml
//! ```
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```yaml policy replay --fail-on warning --policy policy.yaml
//! ```
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(502),
    name: "policy-now-asks",
    severity: Severity::Warning,
    aspect: None,
    summary: "approved by policy, and the given policy asks for a human",
    source: include_str!("policy_now_asks.rs"),
    examples: &[
        include_str!("policy_now_asks/fails/policy.yaml"),
        include_str!("policy_now_asks/fails/trace.jsonl"),
        include_str!("policy_now_asks/passes/policy.yaml"),
        include_str!("policy_now_asks/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
