//! More actions were approved within a window than a rule grants.
//!
//! ## What it does
//! Counts, for every recorded action, the approvals of its type that lie in the window of a
//! rule's limit, from the record alone, and reports approved actions beyond what the rule grants.
//!
//! ## Why it matters
//! A limit is what ends a loop that has gone wrong. If more was approved than it grants, it wasn't
//! applied.
//!
//! ## How to fix it
//! Find out why the runtime didn't count: several executions that each count for themselves, a
//! clock that was set back, or a limit that is newer than the trace.
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
