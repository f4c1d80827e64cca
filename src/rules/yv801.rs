//! A record's `prev` doesn't match the record before it.
//!
//! ## What it does
//! With `chain` set to `sha256`, each record of the execution carries `prev`: the SHA-256, in
//! lower-case hexadecimal, of the record of that execution before it, byte for byte as it stands on
//! its line without the line end; 64 zeros in the first. The rule fires for a `prev` that is
//! missing or doesn't fit. Breaks in a row are one finding, and a break behind an unreadable line
//! belongs to that line. Where no start declares a chain, the first `prev` does: from there on each
//! record carries one, and that the record before it has none is a break.
//!
//! ## Why it matters
//! The chain shows that nothing was changed, added, taken away or moved after it was written. A
//! break means that the trace isn't what the runtime recorded. An unbroken one doesn't prove that
//! nobody wrote the whole chain anew; for that its last hash must be kept elsewhere.
//!
//! ## How to mend it
//! Get the original and compare the lines before and at the break. If the writer is at fault: hash
//! the very bytes that are written, keep one hash for each execution, and don't reformat traces.
//! Never compute the chain anew over an edited trace.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","prev":"0000000000000000000000000000000000000000000000000000000000000000","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"chain":"sha256"}
//! {"record":"thought_generated","executionId":"exec_1","prev":"602f93ec6b8fd8402697b86dae8eebadc3e78cbbc1f40e9fbeec61e9f5e7d81a","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"All links are fine.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","prev":"d206b990ef5cf5c62b4536713d1c58545b25f0b526f205dfb3b0bddfc78aa5c8","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","prev":"0000000000000000000000000000000000000000000000000000000000000000","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"},"chain":"sha256"}
//! {"record":"thought_generated","executionId":"exec_1","prev":"602f93ec6b8fd8402697b86dae8eebadc3e78cbbc1f40e9fbeec61e9f5e7d81a","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Two links are dead, that will do.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","prev":"d206b990ef5cf5c62b4536713d1c58545b25f0b526f205dfb3b0bddfc78aa5c8","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(801),
    name: "broken-chain",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "a record's `prev` doesn't match the record before it",
    source: include_str!("yv801.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(chain) = &scene.judged.anomalies().chain else {
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
