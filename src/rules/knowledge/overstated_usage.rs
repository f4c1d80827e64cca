//! An item of the context bank claims more uses than the traces record.
//!
//! ## What it does
//! `knowledge context references` compares the counts of each item with the traces. A use is a turn
//! that declares the item, or that uses a skill with the item in its `sourceContextPaths`. An item
//! must not claim more references, successes or failures than there are. If the traces contain all
//! of its successes and failures, its confidence must follow from them: 0.5 at first, 0.05 more
//! after each success up to 1, 0.1 less after each failure down to 0.
//!
//! Lower claims are no finding: not every writer counts every use.
//!
//! `knowledge reindex` compares the successes and failures of each skill in a user's library with
//! the traces, and the uses of each queued candidate with its item.
//!
//! ## Why it matters
//! The counts decide what agents are shown first, and what becomes a skill. An item that gives
//! itself counts is shown although it never helped.
//!
//! ## How to fix it
//! Name all traces of the bank's uses, or set the counts back to what the traces show.
//!
//! ## Fails
//! ```toml knowledge context references --fail-on warning
//! ```
//! ```json bank.json
//! ```
//! ```jsonl trace.jsonl
//! ```
//!
//! ## Passes
//! ```toml knowledge context references --fail-on warning
//! ```
//! ```json bank.json
//! ```
//! ```jsonl trace.jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(922),
    name: "overstated-usage",
    severity: Severity::Warning,
    aspect: None,
    summary: "an item of the context bank claims more uses than the traces record",
    source: include_str!("overstated_usage.rs"),
    examples: &[
        include_str!("overstated_usage/fails/yuangs-verify.toml"),
        include_str!("overstated_usage/fails/bank.json"),
        include_str!("overstated_usage/fails/trace.jsonl"),
        include_str!("overstated_usage/passes/yuangs-verify.toml"),
        include_str!("overstated_usage/passes/bank.json"),
        include_str!("overstated_usage/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
