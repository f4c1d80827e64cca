//! The recorded policy of a trace can't be found.
//!
//! ## What it does
//! Without a given policy, `policy replay` uses the one whose SHA-256 the trace records. It
//! searches the files under `--policy-path` and the built-in policies. The rule reports each
//! recorded digest that it doesn't find, once.
//!
//! ## Why it matters
//! A decision can only be checked with the policy of its time. If that is missing, nobody can
//! determine whether the decision was right. A policy that was changed in place looks the same as
//! one that was lost.
//!
//! ## How to fix it
//! Keep every policy that was ever in force, and pass their location with `--policy-path`. To apply
//! today's policy instead, pass it with `--policy`.
//!
//! ## Fails
//! ```yaml policy replay --policy-path policy.yaml
//! ```
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```yaml policy replay --policy-path policy.yaml
//! ```
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(504),
    name: "policy-not-found",
    severity: Severity::Error,
    aspect: None,
    summary: "the recorded policy can't be found",
    source: include_str!("policy_not_found.rs"),
    examples: &[
        include_str!("policy_not_found/fails/policy.yaml"),
        include_str!("policy_not_found/fails/trace.jsonl"),
        include_str!("policy_not_found/passes/policy.yaml"),
        include_str!("policy_not_found/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
