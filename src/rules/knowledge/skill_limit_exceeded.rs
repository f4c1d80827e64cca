//! A skill cost more, was used more often or took longer than its limits allow.
//!
//! ## What it does
//! The rule sums up the uses of each skill in the traces by day and hour (UTC) and by task. It
//! compares cost and number with the limits in `[knowledge.limits]`: `cost-per-day`,
//! `cost-per-hour`, `cost-per-task`, `uses-per-day`, `uses-per-hour` and `uses-per-task`. It also
//! compares the duration of each use with `latency-ms`.
//!
//! A task is an execution, even if its records are in several files. A turn with several actions
//! counts with their total cost and duration. Uses without a time count as if they were all on one
//! day. Uses without a cost or a duration, or with a negative one, are counted separately.
//! `knowledge skills check` runs this rule.
//!
//! If the skill's `meta.json` has a `cost_estimate`, the mean recorded cost of a use may be twice
//! the estimate; more is a warning.
//!
//! ## Why it matters
//! A skill in a loop spends money and time until somebody notices. Without limits, that is the next
//! morning.
//!
//! ## How to fix it
//! Find out why the skill was used so often. Raise the limit only for a stated reason.
//!
//! ## Fails
//! ```toml knowledge skills check --fail-on warning
//! ```
//! ```jsonl trace.jsonl
//! ```
//!
//! ## Passes
//! ```toml knowledge skills check --fail-on warning
//! ```
//! ```jsonl trace.jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(914),
    name: "skill-limit-exceeded",
    severity: Severity::Error,
    aspect: None,
    summary: "a skill cost more, was used more often or took longer than its limits allow",
    source: include_str!("skill_limit_exceeded.rs"),
    examples: &[
        include_str!("skill_limit_exceeded/fails/yuangs-verify.toml"),
        include_str!("skill_limit_exceeded/fails/trace.jsonl"),
        include_str!("skill_limit_exceeded/passes/yuangs-verify.toml"),
        include_str!("skill_limit_exceeded/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
