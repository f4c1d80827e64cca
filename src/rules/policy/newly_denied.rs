//! Compared with the base policy, an action is treated stricter.
//!
//! ## What it does
//! Asks two policies about the same actions, as for YV516, and reports the smallest action for each
//! pair of rules that gets a stricter effect now.
//!
//! ## Why it matters
//! What is newly forbidden stops work that went well before, and what is newly asked about costs
//! somebody's attention.
//!
//! ## How to fix it
//! Nothing, if it is meant. `policy replay` tells how often it would have happened.
//!
//! ## Fails
//! ```yaml policy compare --fail-on note --cases 400 base.yaml policy.yaml
//! ```
//! ```yaml base.yaml
//! ```
//!
//! ## Passes
//! ```yaml policy compare --fail-on note --cases 400 base.yaml policy.yaml
//! ```
//! ```yaml base.yaml
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(517),
    name: "newly-denied",
    severity: Severity::Note,
    aspect: None,
    summary: "compared with the base policy an action is newly denied (witness printed)",
    source: include_str!("newly_denied.rs"),
    examples: &[
        include_str!("newly_denied/fails/policy.yaml"),
        include_str!("newly_denied/fails/base.yaml"),
        include_str!("newly_denied/passes/policy.yaml"),
        include_str!("newly_denied/passes/base.yaml"),
    ],
    check: Check::Policy,
};
