//! A turn used a skill that wasn't enabled at that time.
//!
//! ## What it does
//! The rule determines the status of a skill at the time of each recorded use: from the changes of
//! its status (`promotions.jsonl`), the creation time in its manifest, `enabled` in `skills.json`,
//! and its directory. A skill that is pending, rejected, deferred, disabled, degraded, retired or
//! archived may not be used.
//!
//! The same must hold for each skill in the `dependencies` of its `meta.json`.
//!
//! If the skill is unknown, or the time of its status isn't recorded, the finding is a warning. If
//! no source describes skills, nothing is checked.
//!
//! ## Why it matters
//! A skill is disabled because it fails or does harm. If it is used anyway, that decision has no
//! effect. If it was used before it was approved, there was no decision.
//!
//! ## How to fix it
//! Find out where the runtime got the skill from. If its status is recorded incorrectly, add the
//! missing change.
//!
//! ## Fails
//! ```toml knowledge reindex
//! ```
//! ```jsonl skills/promotions.jsonl
//! ```
//! ```jsonl trace.jsonl
//! ```
//!
//! ## Passes
//! ```toml knowledge reindex
//! ```
//! ```jsonl skills/promotions.jsonl
//! ```
//! ```jsonl trace.jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(911),
    name: "skill-not-enabled",
    severity: Severity::Error,
    aspect: None,
    summary: "a turn used a skill that wasn't enabled at that time",
    source: include_str!("skill_not_enabled.rs"),
    examples: &[
        include_str!("skill_not_enabled/fails/yuangs-verify.toml"),
        include_str!("skill_not_enabled/fails/skills/promotions.jsonl"),
        include_str!("skill_not_enabled/fails/trace.jsonl"),
        include_str!("skill_not_enabled/passes/yuangs-verify.toml"),
        include_str!("skill_not_enabled/passes/skills/promotions.jsonl"),
        include_str!("skill_not_enabled/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
