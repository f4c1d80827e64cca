//! A command that is written another way gets a more permissive decision.
//!
//! ## What it does
//! Takes commands that a policy asks about or denies, writes them in other ways that a shell runs
//! alike (quotes, variables, `sh -c`, encodings, wrappers), and reports the first that gets less.
//!
//! ## Why it matters
//! A rule about the text of a command stops nobody: `r''m` is `rm` to the shell and a
//! stranger to the rule. An agent finds such ways by trying.
//!
//! ## How to fix it
//! Say what the command does, not how it is written: `effects`, `path`, `host`, `command.program`.
//! Keep `pattern` and `command.raw` for what only occurs as text.
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
    summary: "a rewriting that keeps the command's meaning gets a more permissive decision",
    source: include_str!("evadable_rule.rs"),
    examples: &[
        include_str!("evadable_rule/fails/policy.yaml"),
        include_str!("evadable_rule/fails/policy.test.yaml"),
        include_str!("evadable_rule/passes/policy.yaml"),
        include_str!("evadable_rule/passes/policy.test.yaml"),
    ],
    check: Check::Policy,
};
