//! The declared outcome contradicts the last evaluation.
//!
//! ## What it does
//! `outcome` of `execution_ended` (or of an `execution`) must be the `reason` of the last
//! evaluation, and that evaluation must have said `terminate` or `pause`. The rule also fires when
//! no evaluation was made at all, or when the last one said `continue`. An end straight after a
//! `done` thought is YV205. On a path that broke before, nothing is compared.
//!
//! ## Why it matters
//! Dashboards and other agents read the outcome, not the turns. An aborted or exhausted run that
//! calls itself `goal_satisfied` gets merged, paid for or learned from.
//!
//! ## How to mend it
//! Derive the outcome from the evaluation in code; don't let the model or the caller set it. In a
//! review believe the evaluation, and look for who wrote the end.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check the links in README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Two links are dead; the user says stop.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"user_abort"}}
//! {"record":"execution_ended","executionId":"exec_1","timestamp":1768800000120,"outcome":"goal_satisfied"}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check the links in README.md","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Two links are dead; the user says stop.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"user_abort"}}
//! {"record":"execution_ended","executionId":"exec_1","timestamp":1768800000120,"outcome":"user_abort"}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;

pub(super) const RULE: Rule = Rule {
    code: Code(211),
    name: "outcome-mismatch",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "the declared outcome contradicts the last evaluation",
    source: include_str!("yv211.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(mismatch) = &scene.judged.anomalies().outcome else {
        return;
    };
    let message = match mismatch.evaluated {
        Some(said) => format!(
            "the outcome is `{}`, and the last evaluation said `{said}`",
            mismatch.outcome
        ),
        None => format!(
            "the outcome is `{}`, and no evaluation was made",
            mismatch.outcome
        ),
    };
    out.report(&RULE, message)
        .subject(mismatch.outcome.as_str())
        .related(mismatch.line, "the last evaluation");
}
