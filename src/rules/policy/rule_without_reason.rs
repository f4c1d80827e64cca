//! A rule of a policy denies or asks for approval and gives no reason.
//!
//! ## What it does
//! The rule reports every policy rule with the effect `deny` or `require_approval` whose `reason`
//! is missing or empty.
//!
//! ## Why it matters
//! The reason tells a person why an action was stopped, and helps an agent to plan. Without it,
//! they only learn that something is forbidden, and the next attempt is a guess.
//!
//! ## How to fix it
//! Explain in `reason` what the action does wrong, for somebody who doesn't know the policy.
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
