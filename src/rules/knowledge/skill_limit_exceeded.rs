//! A skill cost more, ran more often or took longer than the limits let it.
//!
//! ## What it does
//! Adds up the uses of each skill in the traces by day and hour (UTC) and by task, and holds cost
//! and count against `[knowledge.limits]`: `cost-per-day`, `cost-per-hour`, `cost-per-task`,
//! `uses-per-day`, `uses-per-hour`, `uses-per-task`, and each use against `latency-ms`. A task is
//! an execution, in however many files its records are; a turn that runs several actions costs
//! and takes what they do together. Uses without a time count as if all were on one day. A cost or
//! a duration below zero counts as none; uses without one are counted beside.
//! `knowledge skills check` runs it.
//!
//! ## Why it matters
//! A skill that loops spends money and time until somebody looks. The record shows it the next
//! morning.
//!
//! ## How to fix it
//! Find out why it ran so often; raise the limit only with the reason.
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
    summary: "a skill cost more, ran more often or took longer than the limits let it",
    source: include_str!("skill_limit_exceeded.rs"),
    examples: &[
        include_str!("skill_limit_exceeded/fails/yuangs-verify.toml"),
        include_str!("skill_limit_exceeded/fails/trace.jsonl"),
        include_str!("skill_limit_exceeded/passes/yuangs-verify.toml"),
        include_str!("skill_limit_exceeded/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
