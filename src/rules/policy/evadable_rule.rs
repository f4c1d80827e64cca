//! A rewritten command gets a more permissive decision.
//!
//! ## What it does
//! The rule takes commands that a policy denies or asks about, and rewrites them in ways that a
//! shell executes alike (quotes, variables, `sh -c`, encodings, wrappers). It reports the first
//! rewriting with a more permissive decision.
//!
//! ## Why it matters
//! A rule about the text of a command stops nobody: the shell reads `r''m` as `rm`, but the rule
//! doesn't recognise it. An agent finds such spellings by trying.
//!
//! ## How to fix it
//! Describe what the command does, not how it is written: `effects`, `path`, `host`,
//! `command.program`. Use `pattern` and `command.raw` only for text without such a meaning.
//!
//! ## Fails
//! ```yaml policy fuzz --property rewrite-stable policy.yaml
//! ```
//! ```yaml
//! ```
//!
//! ## Passes
//! ```yaml policy fuzz --property rewrite-stable policy.yaml
//! ```
//! ```yaml
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(518),
    name: "evadable-rule",
    severity: Severity::Error,
    aspect: None,
    summary: "a rewritten command gets a more permissive decision",
    source: include_str!("evadable_rule.rs"),
    examples: &[
        include_str!("evadable_rule/fails/policy.yaml"),
        include_str!("evadable_rule/fails/policy.test.yaml"),
        include_str!("evadable_rule/passes/policy.yaml"),
        include_str!("evadable_rule/passes/policy.test.yaml"),
    ],
    check: Check::Policy,
};
