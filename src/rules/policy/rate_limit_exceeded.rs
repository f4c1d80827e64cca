//! More actions were approved within a window than a rule allows.
//!
//! ## What it does
//! For every recorded action, the rule counts the approvals of its type within the window of a
//! rule's limit, from the record alone. It reports approved actions above the limit.
//!
//! ## Why it matters
//! A rate limit ends a loop that has gone wrong. If more was approved, the limit wasn't applied.
//!
//! ## How to fix it
//! Find out why the runtime didn't count: several executions that each count separately, a clock
//! that was set back, or a limit that is newer than the trace.
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
    code: Code(505),
    name: "rate-limit-exceeded",
    severity: Severity::Error,
    aspect: None,
    summary: "more actions in the window than the rule grants",
    source: include_str!("rate_limit_exceeded.rs"),
    examples: &[
        include_str!("rate_limit_exceeded/fails/policy.yaml"),
        include_str!("rate_limit_exceeded/fails/trace.jsonl"),
        include_str!("rate_limit_exceeded/passes/policy.yaml"),
        include_str!("rate_limit_exceeded/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
