//! A record's `prev` doesn't match the record before it.
//!
//! ## What it does
//! With `chain` set to `sha256`, each record of the execution carries `prev`: the SHA-256, in
//! lower-case hexadecimal, of the record of that execution before it, byte for byte as it is on
//! its line without the line end; 64 zeros in the first. The rule fires for a `prev` that is
//! missing or doesn't fit. Breaks in a row are one finding, and a break behind an unreadable line
//! belongs to that line. Where no start declares a chain, the first `prev` does: from there on each
//! record carries one, and that the record before it has none is a break.
//!
//! ## Why it matters
//! The chain shows that nothing was changed, added, taken away or moved after it was written. A
//! break means that the trace isn't what the runtime recorded. An unbroken one doesn't prove that
//! nobody recomputed the whole chain; for that its last hash must be kept elsewhere.
//!
//! ## How to fix it
//! Get the original and compare the lines before and at the break. If the writer is at fault: hash
//! the very bytes that are written, keep one hash for each execution, and don't reformat traces.
//! Never recompute the chain over an edited trace.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(801),
    name: "broken-chain",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "a record's `prev` doesn't match the record before it",
    source: include_str!("broken_chain.rs"),
    examples: &[
        include_str!("broken_chain.fails.jsonl"),
        include_str!("broken_chain.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(chain) = &cx.step_facts.anomalies().chain else {
        return;
    };
    let message = match &chain.found {
        None => "the record carries no `prev`, though its execution is chained".to_owned(),
        Some(_) if chain.expected.is_none() => {
            "the record carries a `prev` and the one before it none: the chain was cut there, or put together later".to_owned()
        }
        Some(_) if chain.previous_line == 0 => "`prev` of the first record must be 64 zeros".to_owned(),
        Some(_) => "`prev` is not the hash of the record before: something was changed, added or taken away".to_owned(),
    };
    let draft = out.report(&RULE, message).whole_record("/prev");
    if chain.previous_line > 0 {
        draft.related(chain.previous_line, "the record before");
    }
}
