//! A decision must be signed but isn't.
//!
//! ## What it does
//! With `--require-signatures human` (or `[keys] require` in the configuration of a gate), each
//! decision of a human must be signed; with `all`, each decision. The option requires a trust file,
//! so that signatures are also verified (YV802). Decisions in formats without signatures fail, and
//! so do executed actions without a recorded decision.
//!
//! ## Why it matters
//! Without a signature, anybody who can write the trace can write the name of a person into it. If
//! signatures are checked but not required, an attacker without a key simply omits the signature.
//!
//! ## How to fix it
//! Make the person who decides sign (docs/trust-file.md describes what is signed), and record the
//! signature with the decision. Replay old traces that were never signed without the option.
//!
//! ## Fails
//! ```jsonl --keys keys/example.json --require-signatures human
//! ```
//!
//! ## Passes
//! ```jsonl --keys keys/example.json --require-signatures human
//! ```
//!
//! ## Trust file
//! ```json
//! ```

use crate::diag::{Code, Severity};
use crate::replay::{Approval, Aspect};
use crate::rules::SignatureRequirement;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};
use governance::DecidedBy;

pub(super) const RULE: Rule = Rule {
    code: Code(321),
    name: "unsigned-decision",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "a decision must be signed but isn't",
    source: include_str!("unsigned_decision.rs"),
    examples: &[
        include_str!("unsigned_decision.fails.jsonl"),
        include_str!("unsigned_decision.passes.jsonl"),
        include_str!("unsigned_decision/keys/example.json"),
    ],
    check: Check::Step(&[Trigger::Decision, Trigger::Execution], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(required) = cx.settings.signed else {
        return;
    };
    if let Some(decision) = cx.decision().filter(|_| cx.step_facts.decided.is_some()) {
        let must = required == SignatureRequirement::All || decision.by == DecidedBy::Human;
        if must && decision.signature.is_none() {
            let of = if decision.by == DecidedBy::Human {
                " of a human"
            } else {
                ""
            };
            out.report(&RULE, format!("the decision{of} isn't signed"));
        }
    }
    if cx
        .step_facts
        .executed
        .as_ref()
        .is_some_and(|ran| ran.approval == Approval::Unknown)
    {
        out.report(
            &RULE,
            "an action ran, but no signed decision about it is recorded",
        )
        .subject("action");
    }
}
