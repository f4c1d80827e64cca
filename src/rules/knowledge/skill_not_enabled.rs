//! A turn used a skill that wasn't enabled at that time.
//!
//! ## What it does
//! Takes each use of a skill that a trace records and finds the status of the skill at that time:
//! by the changes of its status (`promotions.jsonl`), the time at which its manifest says that it
//! was made, `enabled` in `skills.json`, and its directory. A skill that is pending, rejected,
//! deferred, disabled, degraded, retired or archived may not be used. Where it isn't recorded since
//! when, or nobody knows the skill at all, the finding is a warning. Where no source says anything
//! about skills, nothing is checked.
//!
//! ## Why it matters
//! A skill is taken out of use because it fails or does harm. If it runs all the same, the decision
//! has no effect; if it ran before anybody approved it, there was none.
//!
//! ## How to fix it
//! Find out where the runtime took the skill from. If its status is recorded wrongly, add the
//! change that is missing.
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
