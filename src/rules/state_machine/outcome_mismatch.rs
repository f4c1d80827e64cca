//! The declared outcome contradicts the last evaluation.
//!
//! ## What it does
//! `outcome` of `execution_ended` (or of an `execution`) must equal the `reason` of the last
//! evaluation, and that evaluation must be `terminate` or `pause`. The rule also fires if there was
//! no evaluation, or the last one was `continue`. An end directly after a `done` thought is YV205.
//! If the path broke before, nothing is compared.
//!
//! ## Why it matters
//! Dashboards and other agents read the outcome, not the turns. An aborted or exhausted run that
//! calls itself `goal_satisfied` gets merged, paid for or learned from.
//!
//! ## How to fix it
//! Derive the outcome from the evaluation in code; don't let the model or the caller set it. In a
//! review, trust the evaluation, and find out who wrote the end.
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
    code: Code(211),
    name: "outcome-mismatch",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "the declared outcome contradicts the last evaluation",
    source: include_str!("outcome_mismatch.rs"),
    examples: &[
        include_str!("outcome_mismatch.fails.jsonl"),
        include_str!("outcome_mismatch.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(mismatch) = &cx.step_facts.anomalies().outcome else {
        return;
    };
    let message = match mismatch.evaluated {
        Some(said) => format!(
            "the outcome is `{}`, but the last evaluation said `{said}`",
            mismatch.outcome
        ),
        None => format!(
            "the outcome is `{}`, but no evaluation was made",
            mismatch.outcome
        ),
    };
    out.report(&RULE, message)
        .subject(mismatch.outcome.as_str())
        .related(mismatch.line, "the last evaluation");
}
