//! A record violates its schema.
//!
//! ## What it does
//! A record is compared with the schema of its kind: required members, types, bounds and allowed
//! values. The `reason` of an evaluation must belong to its `kind`. Unknown members are allowed
//! only under `metadata`; in native formats they are ignored. The finding points to the member.
//!
//! The record still counts as an event of its kind, if that is known, and the facts that it should
//! show are *not recorded*. A turn and a whole execution contain many events. Each valid part is
//! replayed, and each invalid one counts as such an event. Violations inside a `thought` are YV210.
//!
//! ## Why it matters
//! Every consumer reads an invalid record differently: one treats an unknown risk as high, another
//! as low. What the record says about risk, signer or result isn't reliable, so an approval next to
//! it proves little.
//!
//! ## How to fix it
//! Fix the writer, not the file. `yuangs-verify schema` prints the schema of each kind. Put your
//! own members under `metadata`. In a review, treat the record as missing evidence until the
//! runtime has written it again.
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
