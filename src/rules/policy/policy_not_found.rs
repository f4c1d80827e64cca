//! The policy that a trace was made under is not to be found.
//!
//! ## What it does
//! When no policy is given, `policy replay` takes the one whose SHA-256 the trace records, from the
//! files under `--policy-path` and the policies that are built in. Reports each recorded digest
//! that none of them has, once.
//!
//! ## Why it matters
//! A decision can only be checked by the rules of its day. If those can't be produced any more,
//! nobody can say whether it was right; a policy that was changed in place looks the same as one
//! that was lost.
//!
//! ## How to fix it
//! Keep every policy that was ever in force, and point to them with `--policy-path`. To ask what
//! today's policy would say, name it with `--policy`.
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
    summary: "the recorded policy digest is not to be found",
    source: include_str!("policy_not_found.rs"),
    examples: &[
        include_str!("policy_not_found/fails/policy.yaml"),
        include_str!("policy_not_found/fails/trace.jsonl"),
        include_str!("policy_not_found/passes/policy.yaml"),
        include_str!("policy_not_found/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
