//! The recorded hash of the context doesn't match the recorded messages.
//!
//! ## What it does
//! In the turns of the early runtimes, `inputHash` is the SHA-256 of all messages shown to the
//! model, as compact JSON, and `recentMessages` contains the last of them. If that list is shorter
//! than what the runtime keeps (10 messages, in the editor 5), it is complete. Then the hash is
//! computed again and must be equal. A longer list can't be checked, unless the hash happens to
//! match.
//!
//! ## Why it matters
//! The messages explain why the model acted as it did. If the hash doesn't match, the model was
//! shown other messages: a prompt injection was removed from the record afterwards, or a harmless
//! request was added.
//!
//! ## How to fix it
//! Compute the hash over exactly what is sent, and record the messages at the same moment, in the
//! order `role`, `content`, `timestamp`, `metadata`. If the record was edited, get the original.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(607),
    name: "input-hash-mismatch",
    severity: Severity::Error,
    aspect: None,
    summary: "the recorded hash of the context doesn't match the recorded messages",
    source: include_str!("input_hash_mismatch.rs"),
    examples: &[
        include_str!("input_hash_mismatch.fails.jsonl"),
        include_str!("input_hash_mismatch.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if cx.step_facts.anomalies().input_hash_wrong {
        out.report(
            &RULE,
            "`inputHash` is not the hash of the recorded messages",
        )
        .in_record("/contextSnapshot/inputHash");
    }
}
