//! Compared with the base policy, a property is no longer held.
//!
//! ## What it does
//! Compares the `properties` of two policies. Each property of the base needs one in the head that
//! asks at least the same effect of at least the same actions, under whatever id. A property that
//! is gone, weaker, or no longer plainly about all the actions that it was about is reported.
//!
//! ## Why it matters
//! A property says what no change of the rules may undo. Who wants to undo it takes the property
//! away first, and then every search for counterexamples finds none.
//!
//! ## How to fix it
//! Keep the property. If it needn't hold any more, say so in the pull request and let a person
//! approve that.
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
    code: Code(520),
    name: "property-removed",
    severity: Severity::Error,
    aspect: None,
    summary: "the head lost a property that the base held",
    source: include_str!("property_removed.rs"),
    examples: &[
        include_str!("property_removed/fails/policy.yaml"),
        include_str!("property_removed/fails/base.yaml"),
        include_str!("property_removed/passes/policy.yaml"),
        include_str!("property_removed/passes/base.yaml"),
    ],
    check: Check::Policy,
};
