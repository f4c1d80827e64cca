//! The head policy allows an action that the base policy denies or asks about.
//!
//! ## What it does
//! Compares two policies. An exact analysis proves, for each pair of deciding rules, which kinds of
//! actions the head allows and the base denies or asks about. Each kind is reported with the
//! smallest action that could be built, confirmed by the engine on both policies.
//!
//! ## Why it matters
//! The diff of a policy shows what was written, not what it allows. The witness is an action that
//! the change allows.
//!
//! ## How to fix it
//! If the witness should be allowed, nothing. Otherwise narrow the named rule, or keep the one that
//! stopped the action.
//!
//! ## Fails
//! ```yaml policy compare --cases 400 base.yaml policy.yaml
//! ```
//! ```yaml base.yaml
//! ```
//!
//! ## Passes
//! ```yaml policy compare --cases 400 base.yaml policy.yaml
//! ```
//! ```yaml base.yaml
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(516),
    name: "newly-allowed",
    severity: Severity::Error,
    aspect: None,
    summary: "the base policy stops an action, and the head allows it (witness printed)",
    source: include_str!("newly_allowed.rs"),
    examples: &[
        include_str!("newly_allowed/fails/policy.yaml"),
        include_str!("newly_allowed/fails/base.yaml"),
        include_str!("newly_allowed/passes/policy.yaml"),
        include_str!("newly_allowed/passes/base.yaml"),
    ],
    check: Check::Policy,
};
