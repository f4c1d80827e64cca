//! A skill was promoted without the evidence that the rules ask for.
//!
//! ## What it does
//! Takes each recorded promotion and counts what the traces say of the skill up to that time. Into
//! production belongs what has a score of at least 0.8 over at least 10 executions, of which at
//! least 85 % succeeded; successes of weak turns (YV602) don't count, and a turn of an execution
//! counts once, in however many files it is. A context becomes a skill when it was referenced
//! at least 5 times, verified as useful at least 5 times and in three of four cases, with a
//! confidence of at least 0.7 and a use within 7 days; and when a person or a written rule approved
//! it. A recorded score is shown and not believed. Where promotions are recorded at all, a skill
//! that lies in `production` without one is a finding too.
//!
//! ## Why it matters
//! Skills in production are chosen without asking. One that got there on someone's word is run as
//! if it had been tried.
//!
//! ## How to fix it
//! Name the traces that bear the promotion out among the sources, or take the skill back to
//! `experimental` until it has been used often enough. `knowledge skills evaluate` shows how far it
//! is.
//!
//! ## Fails
//! ```toml knowledge reindex
//! ```
//! ```json skills/production/mend-build/meta.json
//! ```
//! ```jsonl skills/promotions.jsonl
//! ```
//!
//! ## Passes
//! ```toml knowledge reindex
//! ```
//! ```json skills/experimental/mend-build/meta.json
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
    summary: "a skill was promoted without the evidence the rules ask for",
    source: include_str!("unsupported_promotion.rs"),
    examples: &[
        include_str!("unsupported_promotion/fails/yuangs-verify.toml"),
        include_str!("unsupported_promotion/fails/skills/production/mend-build/meta.json"),
        include_str!("unsupported_promotion/fails/skills/promotions.jsonl"),
        include_str!("unsupported_promotion/passes/yuangs-verify.toml"),
        include_str!("unsupported_promotion/passes/skills/experimental/mend-build/meta.json"),
        include_str!("unsupported_promotion/passes/skills/promotions.jsonl"),
    ],
    check: Check::Policy,
};
