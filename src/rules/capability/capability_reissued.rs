//! A live or revoked token was issued again.
//!
//! ## What it does
//! The `id` of a token may be issued once in an execution. The rule fires for a `capability_issued`
//! whose id is live already or was revoked before, even if it had not been issued then. The second
//! issue has no effect in the replay: what the token covers doesn't change, and a revoked token
//! stays revoked.
//!
//! ## Why it matters
//! Issuing a live token again can widen its scope after somebody approved the narrow one. Issuing a
//! revoked one undoes the revocation, without a record that says so.
//!
//! ## How to fix it
//! Create a new id for every token. To change what a token covers, revoke it and issue another one.
//! If ids repeat because the issuer lost its state, fix that first: it has lost its revocations
//! too.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity, subject};
use crate::replay::Aspect;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};
use crate::trace::Fact;
use governance::LedgerError;

pub(super) const RULE: Rule = Rule {
    code: Code(403),
    name: "capability-reissued",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a live or revoked token was issued again",
    source: include_str!("capability_reissued.rs"),
    examples: &[
        include_str!("capability_reissued.fails.jsonl"),
        include_str!("capability_reissued.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let id = match cx.step.map(|s| s.fact) {
        Some(Fact::Issued(token)) => token.id.decode(),
        _ => "".into(),
    };
    match cx.step_facts.anomalies().token {
        Some(LedgerError::AlreadyIssued) => out
            .report(&RULE, "the token is live already")
            .below("/id")
            .subject(subject(["live", &id])),
        Some(LedgerError::Revoked) => out
            .report(&RULE, "the token was revoked; it can never be issued again")
            .below("/id")
            .subject(subject(["revoked", &id])),
        Some(LedgerError::Unknown) | None => return,
    };
}
