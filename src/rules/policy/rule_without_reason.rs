//! A rule of a policy denies or asks for approval and gives no reason.
//!
//! ## What it does
//! Reports every rule whose effect is `deny` or `require_approval` and that has no `reason`, or an
//! empty one.
//!
//! ## Why it matters
//! The reason is what a person reads who was stopped, and what an agent gets to plan with. Without
//! it they learn that something is forbidden and not what; the next try is a guess.
//!
//! ## How to fix it
//! Say in `reason` what the action does that it shouldn't, in words for somebody who doesn't know
//! the policy.
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
    code: Code(512),
    name: "rule-without-reason",
    severity: Severity::Error,
    aspect: None,
    summary: "deny or ask without a reason",
    source: include_str!("rule_without_reason.rs"),
    examples: &[
        include_str!("rule_without_reason/fails/policy.yaml"),
        include_str!("rule_without_reason/fails/policy.test.yaml"),
        include_str!("rule_without_reason/passes/policy.yaml"),
        include_str!("rule_without_reason/passes/policy.test.yaml"),
    ],
    check: Check::Policy,
};
