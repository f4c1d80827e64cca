//! A record's `prev` doesn't match the previous record.
//!
//! ## What it does
//! With `chain` set to `sha256`, each record of the execution has a member `prev`: the SHA-256, in
//! lower-case hexadecimal, of the previous record of that execution. It covers the exact bytes of
//! its line without the line end; in the first record, it is 64 zeros. The rule fires if `prev` is
//! missing or wrong. Breaks on consecutive records are one finding, and a break after an unreadable
//! line belongs to that line. If no start declares a chain, the first `prev` does. From there on,
//! each record must have one, and if the record before it has none, that is a break.
//!
//! ## Why it matters
//! The chain shows that nothing was changed, added, removed or moved afterwards. A break means that
//! the trace isn't what the runtime recorded. An unbroken chain doesn't prove that nobody
//! recomputed all of it; for that, its last hash must be kept elsewhere.
//!
//! ## How to fix it
//! Get the original and compare the lines before and at the break. If the writer is wrong: hash
//! exactly the bytes that are written, keep one hash per execution, and don't reformat traces.
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
    summary: "a record's `prev` doesn't match the previous record",
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
        None => "the record has no `prev`, although its execution is chained".to_owned(),
        Some(_) if chain.expected.is_none() => {
            "the record has a `prev`, but the previous record has none: \
             the chain was cut there, or was joined later"
                .to_owned()
        }
        Some(_) if chain.previous_line == 0 => {
            "`prev` of the first record must be 64 zeros".to_owned()
        }
        Some(_) => "`prev` is not the hash of the previous record: \
                    something was changed, added or removed"
            .to_owned(),
    };
    let draft = out.report(&RULE, message).in_record("/prev");
    if chain.previous_line > 0 {
        draft.related(chain.previous_line, "the record before");
    }
}
