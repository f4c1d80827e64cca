//! A block of permissions is switched off, so that every action is allowed.
//!
//! ## What it does
//! `policy check` and `policy test` report a block of permission rules with `enabled: false`. The
//! runtime asks nobody then, so the policy allows every action, whatever its other members say.
//!
//! ## Why it matters
//! The rules below the switch look like protection and have no effect. A decision that such a
//! policy approves says nothing.
//!
//! ## How to fix it
//! Write `enabled: true`. If an agent is meant to run without checks, delete the block, so that
//! nobody relies on it.
//!
//! ## Fails
//! ```yaml policy check policy.yaml
//! ```
//!
//! ## Passes
//! ```yaml policy check policy.yaml
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(522),
    name: "permission-checks-off",
    severity: Severity::Error,
    aspect: None,
    summary: "a block of permissions is switched off",
    source: include_str!("permission_checks_off.rs"),
    examples: &[
        include_str!("permission_checks_off/fails/policy.yaml"),
        include_str!("permission_checks_off/passes/policy.yaml"),
    ],
    check: Check::Policy,
};
