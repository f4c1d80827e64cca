//! A skill was promoted without the evidence that the rules require.
//!
//! ## What it does
//! The rule checks each recorded promotion against the traces up to that time.
//!
//! A skill may be promoted to production with a score of at least 0.8 over at least 10 executions,
//! of which at least 85 % succeeded. Successes in weak turns (YV602) don't count. A turn of an
//! execution counts once, even if several files contain it.
//!
//! A context may become a skill under these conditions:
//!
//! - A person or a written rule approved it.
//! - It was referenced at least 5 times.
//! - It was verified as useful at least 5 times, and in at least three of four cases.
//! - Its confidence is at least 0.7, and it was used within the last 7 days.
//!
//! A `success_threshold` in the skill's `meta.json` that is higher than 0.85 applies instead. A
//! recorded score is shown but isn't trusted. If promotions are recorded at all, a skill in
//! `production` without a recorded promotion is a finding too.
//!
//! The directory of a skill must agree with the last recorded change: `production` after a
//! promotion, `retired` after a retirement, `experimental` after it was set back. A skill in
//! `retired` needs a recorded retirement.
//!
//! In a user's queue, a candidate that isn't pending needs the same decision in `promotions.jsonl`.
//! A user's library must not enable a skill whose last change disables it, such as `retired`.
//!
//! ## Why it matters
//! Agents use skills in production without asking. A skill that was promoted on someone's word is
//! used as if it had been tested.
//!
//! ## How to fix it
//! Add the traces that support the promotion to the sources, or move the skill back to
//! `experimental` until it has been used often enough. `knowledge skills evaluate` shows what is
//! missing.
//!
//! ## Fails
//! ```toml knowledge reindex
//! ```
//! ```json skills/production/fix-build/meta.json
//! ```
//! ```jsonl skills/promotions.jsonl
//! ```
//!
//! ## Passes
//! ```toml knowledge reindex
//! ```
//! ```json skills/experimental/fix-build/meta.json
//! ```
//! ```jsonl skills/promotions.jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(903),
    name: "unsupported-promotion",
    severity: Severity::Error,
    aspect: None,
    summary: "a skill was promoted without the evidence that the rules require",
    source: include_str!("unsupported_promotion.rs"),
    examples: &[
        include_str!("unsupported_promotion/fails/yuangs-verify.toml"),
        include_str!("unsupported_promotion/fails/skills/production/fix-build/meta.json"),
        include_str!("unsupported_promotion/fails/skills/promotions.jsonl"),
        include_str!("unsupported_promotion/passes/yuangs-verify.toml"),
        include_str!("unsupported_promotion/passes/skills/experimental/fix-build/meta.json"),
        include_str!("unsupported_promotion/passes/skills/promotions.jsonl"),
    ],
    check: Check::Policy,
};
