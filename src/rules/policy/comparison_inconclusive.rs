//! A change of a policy may make an action more permissive, and no real action shows it.
//!
//! ## What it does
//! Compares two policies as YV516 does. The analysis proves which kinds of abstract actions become
//! more permissive. Reports each kind for which it can't build a real action: either none exists,
//! or it is too unusual. `policy compare` ends with 3 then; in a gate this is an error, which
//! `[[policy.accept]]` can't accept. Where more kinds become more permissive than are listed, the
//! rest is reported as one more of these findings.
//!
//! ## Why it matters
//! The proof covers more actions than exist: it doesn't know, for example, what a program does.
//! So a kind without a real action is neither a problem nor harmless until a human has read it.
//!
//! ## How to fix it
//! Read the kind of action. If it exists, decide whether it should run. If it can't exist, write
//! the rule so that it excludes it, or ignore the finding with this as the reason. An ignored
//! finding may hide another change by the same rules.
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
    code: Code(519),
    name: "comparison-inconclusive",
    severity: Severity::Error,
    aspect: None,
    summary: "whether a change makes an action more permissive is neither proved nor shown",
    source: include_str!("comparison_inconclusive.rs"),
    examples: &[
        include_str!("comparison_inconclusive/fails/policy.yaml"),
        include_str!("comparison_inconclusive/fails/base.yaml"),
        include_str!("comparison_inconclusive/passes/policy.yaml"),
        include_str!("comparison_inconclusive/passes/base.yaml"),
    ],
    check: Check::Policy,
};
