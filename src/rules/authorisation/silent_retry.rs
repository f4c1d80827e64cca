//! A failed action was executed again without a new proposal and decision.
//!
//! ## What it does
//! An action, identified by its id, that failed (`success` false) may not be executed again without
//! a new proposal and a new decision. The rule fires for its second result. A second execution
//! after a success is YV404; a second proposal under the same id is YV209. In an event log, a
//! result without an action id belongs to the action that the turn's decision allows, if it shows
//! an equal one. Otherwise the executed action is unknown.
//!
//! ## Why it matters
//! The approval covered one attempt. A retry loop in the executor repeats a payment, a push or a
//! half-finished migration many times, and the record shows one decision. Rate limits that count
//! approvals don't notice.
//!
//! ## How to fix it
//! Remove the loop from the executor: observe the failure, evaluate `continue` with
//! `failure_retry`, and let the next turn propose the action under a new id. Transport retries
//! without effects belong inside one call and one result.
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
    code: Code(313),
    name: "silent-retry",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a failed action ran again without being proposed and decided again",
    source: include_str!("silent_retry.rs"),
    examples: &[
        include_str!("silent_retry.fails.jsonl"),
        include_str!("silent_retry.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(ran) = &cx.step_facts.executed
        && let Some(repeat) = ran.repeat
        && !repeat.succeeded
    {
        let action = ran
            .id
            .as_deref()
            .map_or_else(|| "the action".to_owned(), |id| format!("action `{id}`"));
        out.report(
            &RULE,
            format!("{action} failed and ran again, without a new proposal and a new decision"),
        )
        .below_if_present("/actionId")
        .subject(ran.id.as_deref().unwrap_or_default())
        .related(repeat.line, "it failed here");
    }
}
