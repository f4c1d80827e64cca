//! An object contains a member twice.
//!
//! ## What it does
//! Every object of a record, at any depth and inside payloads, may contain a member only once.
//! Names are compared after their escapes are resolved, so `"\u0062y"` is `by`. The replay
//! continues with the first occurrence. At most five are reported per record. Of the files that
//! `knowledge reindex` reads (graph, context bank, runs, transcripts, decisions about skills), a
//! line or item with a duplicate is skipped.
//!
//! ## Why it matters
//! JSON readers disagree on which of two equal members counts. A record with
//! `"by":"policy","by":"human"` is a policy's approval for one tool and a person's for another. A
//! payload with two paths shows one to the governor and opens the other.
//!
//! ## How to fix it
//! Write records with a JSON library, never by joining strings, and refuse duplicates when parsing
//! a model's output. In a review, assume the worse of the two values.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(106),
    name: "duplicate-member",
    severity: Severity::Error,
    aspect: None,
    summary: "an object contains a member twice",
    source: include_str!("duplicate_member.rs"),
    examples: &[
        include_str!("duplicate_member.fails.jsonl"),
        include_str!("duplicate_member.passes.jsonl"),
    ],
    check: Check::Reader,
};
