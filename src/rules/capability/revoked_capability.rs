//! An action was executed with a revoked token.
//!
//! ## What it does
//! A token named by a `capability_revoked` is invalid for the rest of the execution. The rule fires
//! if `execution_finished` names such a token in `capabilityId`, or names none and only revoked
//! tokens would cover the action.
//!
//! The order of the records counts, and so do their dates. A revocation recorded after the use, but
//! dated before it, was in force; the two times are compared at the lower of their precisions. A
//! revoked token is invalid even if it was never issued, and even if tokens aren't in force.
//!
//! ## Why it matters
//! Revoking is the emergency brake. A runtime that checks tokens when it plans, not when it
//! executes, continues with what was stopped, and anybody with a copy of an old token keeps the
//! right.
//!
//! ## How to fix it
//! Check the token right before executing, against the store to which revocations are written. In a
//! review, ask why it was revoked and whether the action should have happened at all.
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
use crate::replay::TokenUse;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(402),
    name: "revoked-capability",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "an action ran with a revoked token",
    source: include_str!("revoked_capability.rs"),
    examples: &[
        include_str!("revoked_capability.fails.jsonl"),
        include_str!("revoked_capability.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution, Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(TokenUse::Revoked(name)) = cx.step_facts.executed.as_ref().map(|r| &r.token) {
        out.report(
            &RULE,
            format!("the action ran with token `{name}`, which was revoked before"),
        )
        .below_if_present("/capabilityId")
        .subject(name.as_str());
    }
    if let Some((name, line)) = &cx.step_facts.anomalies().used_revoked {
        out.report(
            &RULE,
            format!("an action ran with token `{name}` after the date of its revocation"),
        )
        .subject(subject(["dated", &**name]))
        .related(*line, "it ran here");
    }
}
