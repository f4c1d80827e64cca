//! An object names a member twice.
//!
//! ## What it does
//! Every object of a record, at any depth and inside payloads too, may name a member only once.
//! Names are compared after their escapes are resolved, so `"\u0062y"` is `by`. The first one is
//! read, and the replay goes on with it. At most five are reported for one record. In what
//! `knowledge reindex` reads (graph, context bank, runs, transcripts, decisions about skills) such
//! a line or item is passed over.
//!
//! ## Why it matters
//! JSON readers disagree on which of two equal members counts. A record that says
//! `"by":"policy","by":"human"` is a policy's approval for one tool and a person's for another; a
//! payload with two paths shows one to the governor and opens the other.
//!
//! ## How to fix it
//! Build records with a JSON library, never by joining strings, and refuse duplicates where a
//! model's output is parsed. In a review, treat the record as if it said the worse of the two.
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
    summary: "an object names a member twice",
    source: include_str!("duplicate_member.rs"),
    examples: &[
        include_str!("duplicate_member.fails.jsonl"),
        include_str!("duplicate_member.passes.jsonl"),
    ],
    check: Check::Reader,
};
