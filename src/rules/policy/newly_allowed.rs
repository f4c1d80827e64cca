//! Compared with the base policy, the decision about an action is more permissive.
//!
//! ## What it does
//! Asks two policies about the same actions: those of corpora and traces that are given, and many
//! that are made from the words of both. Reports, for each pair of rules that disagree, the
//! smallest action that gets a more permissive effect: denied before and asked about or allowed
//! now, asked about before and allowed now.
//!
//! ## Why it matters
//! In a change of a policy one sees what was written and not what it allows. The witness is
//! an action that the change allows.
//!
//! ## How to fix it
//! If the witness should run, nothing. Otherwise narrow the rule that is named, or keep the one
//! that stopped it. That nothing is reported is no proof: the report says how much was searched.
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
    summary: "compared with the base policy an action is newly allowed (witness printed)",
    source: include_str!("newly_allowed.rs"),
    examples: &[
        include_str!("newly_allowed/fails/policy.yaml"),
        include_str!("newly_allowed/fails/base.yaml"),
        include_str!("newly_allowed/passes/policy.yaml"),
        include_str!("newly_allowed/passes/base.yaml"),
    ],
    check: Check::Policy,
};
