//! A record breaks its schema.
//!
//! ## What it does
//! A record is compared with the schema of its kind: required members, types, bounds, closed sets
//! of words, and that the `reason` of an evaluation belongs to its `kind`. Unknown members are
//! allowed only under `metadata`; in the native formats they are ignored. The finding points to
//! the member. The record still counts as an event of its kind as far as that is known, and what
//! it would have shown is *not recorded*. A turn and a whole execution contain many events: each
//! part that keeps the schema is replayed, each other one is taken for such an event. Violations
//! inside a `thought` are YV210.
//!
//! ## Why it matters
//! A record of the wrong shape is read differently by every consumer: one takes an unknown risk for
//! high, another for low. What a broken record says about risk, signer or result can't be relied
//! on, so an approval next to it proves little.
//!
//! ## How to fix it
//! Fix the writer, not the file: `yuangs-verify schema` prints what each kind must look like. Put
//! members of your own under `metadata`. In a review, take the record as missing evidence until it
//! is written again by the runtime.
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
    code: Code(103),
    name: "schema-violation",
    severity: Severity::Error,
    aspect: None,
    summary: "a record breaks its schema",
    source: include_str!("schema_violation.rs"),
    examples: &[
        include_str!("schema_violation.fails.jsonl"),
        include_str!("schema_violation.passes.jsonl"),
    ],
    check: Check::Reader,
};
