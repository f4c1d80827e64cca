//! A policy change may make an action more permissive, but no real action shows it.
//!
//! ## What it does
//! Compares two policies as YV516 does. The analysis proves which kinds of abstract actions become
//! more permissive. The rule reports each kind for which no real action could be built: either none
//! exists, or it is too unusual. If more kinds become more permissive than are listed, one more of
//! these findings covers the rest. `policy compare` then ends with exit code 3. In a gate, the
//! finding is an error that `[[policy.accept]]` can't accept.
//!
//! ## Why it matters
//! The proof covers more actions than exist: it doesn't know, for example, what a program does. A
//! kind without a real action may be harmless or a problem; a human must read it.
//!
//! ## How to fix it
//! Read the kind of action. If such actions exist, decide whether they should be allowed. If they
//! can't exist, write the rule so that it excludes them, or ignore the finding with this as the
//! reason. An ignored finding may hide another change by the same rules.
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
