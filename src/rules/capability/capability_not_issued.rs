//! An action was executed with a token that hadn't been issued.
//!
//! ## What it does
//! If tokens are in force (see YV401), the token in `capabilityId` of `execution_finished` must
//! have been issued on an earlier line of its execution. If it is issued later, or the execution
//! issues other tokens later, the finding names the line of the first one. An unreadable record of
//! a token may be about any token; then nothing is reported.
//!
//! Dates count as well as lines. A token whose record is dated after the action wasn't issued
//! before it; the two times are compared at the lower of their precisions. A token whose `issuer`
//! is empty, blank or invisible counts as not issued.
//!
//! ## Why it matters
//! A token that doesn't exist yet can't have been checked before the action was executed: the
//! executor accepts any name. A token that is never issued is made up.
//!
//! ## How to fix it
//! Issue the token before the action is executed, write its record at that moment, and let the
//! executor look the token up. If only the record was late, fix the writer.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity, subject};
use crate::replay::{Aspect, TokenUse};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};
use crate::trace::Fact;

pub(super) const RULE: Rule = Rule {
    code: Code(407),
    name: "capability-not-issued",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "an action ran with a token that hadn't been issued",
    source: include_str!("capability_not_issued.rs"),
    examples: &[
        include_str!("capability_not_issued.fails.jsonl"),
        include_str!("capability_not_issued.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution, Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let message =
        |name: &str| format!("the action ran with token `{name}`, which hadn't been issued");
    if let Some(TokenUse::NotIssued(name)) = cx.step_facts.executed.as_ref().map(|r| &r.token) {
        out.report(&RULE, message(name))
            .below_if_present("/capabilityId")
            .subject(subject(["now", &**name]));
    }
    if let Some(TokenUse::IssuedLater(name)) = cx.step_facts.executed.as_ref().map(|r| &r.token) {
        let message = format!("the action ran with token `{name}` before the date of its issue");
        out.report(&RULE, message)
            .below_if_present("/capabilityId")
            .subject(subject(["dated", &**name]));
    }
    if cx.step_facts.anomalies().issued_by_nobody {
        let id = match cx.step.map(|s| s.fact) {
            Some(Fact::Issued(token)) => token.id.decode(),
            _ => "".into(),
        };
        out.report(
            &RULE,
            "the token isn't issued by anybody: its issuer is empty or invisible",
        )
        .below_if_present("/issuer")
        .subject(subject(["nobody", &id]));
    }
    for (name, line) in &cx.step_facts.anomalies().used_unissued {
        out.report(&RULE, message(name))
            .subject(subject(["late", &**name]))
            .related(*line, "it ran here");
    }
}
