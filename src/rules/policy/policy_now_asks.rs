//! The given policy asks a human about an action that was approved by policy.
//!
//! ## What it does
//! The policy decides on every recorded action that was approved by policy. The rule reports those
//! for which it requires an approval. Actions that a human approved aren't reported.
//!
//! ## Why it matters
//! People will be asked these questions once the policy is in force. If there are too many, they
//! will approve without reading.
//!
//! ## How to fix it
//! Read the actions grouped by rule. Narrow a rule that asks about harmless actions.
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
    summary: "approved by policy, but the given policy asks a human",
    source: include_str!("policy_now_asks.rs"),
    examples: &[
        include_str!("policy_now_asks/fails/policy.yaml"),
        include_str!("policy_now_asks/fails/trace.jsonl"),
        include_str!("policy_now_asks/passes/policy.yaml"),
        include_str!("policy_now_asks/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
