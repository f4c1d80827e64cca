//! An action ran on a revoked token.
//!
//! ## What it does
//! A token that a `capability_revoked` has named is dead for the rest of the execution. The rule
//! fires when `execution_finished` names such a token in `capabilityId`, or names none and only
//! revoked ones would cover the action. The order of the records counts, and so do their dates: a
//! revocation that is recorded behind the use and dated before it was in force, compared as
//! coarsely as the coarser date is written. That a token was never issued changes nothing: what is
//! revoked is dead, whether tokens are in force or not.
//!
//! ## Why it matters
//! Revoking is the emergency brake. A runtime that checks tokens when it plans, not when it runs,
//! carries on with what was stopped, and whoever keeps a copy of an old token keeps the right.
//!
//! ## How to fix it
//! Check the token right before running, against the same store that revocations are written to. In
//! a review, ask why it was revoked and whether the action should have happened at all.
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
    summary: "an action ran on a revoked token",
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
            format!("the action ran on token `{name}`, which was revoked before"),
        )
        .below_if_there("/capabilityId")
        .subject(name.as_str());
    }
    if let Some((name, line)) = &cx.step_facts.anomalies().used_revoked {
        out.report(
            &RULE,
            format!("an action ran on token `{name}` behind the date of its revocation"),
        )
        .subject(subject(["dated", &**name]))
        .related(*line, "it ran here");
    }
}
