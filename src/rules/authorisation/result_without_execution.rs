//! A result or an observation is outside its state.
//!
//! ## What it does
//! `execution_finished` belongs to the state `EXECUTING`, and `observation_recorded` to
//! `OBSERVING`. The rule fires for a result or an observation in any other state. Later findings
//! that are only a consequence are listed with it. An observation with an `actionId` must name the
//! action executed in its turn, by the id under which it was executed. A result without approval or
//! for a second time has a finding of its own (YV301, YV309, YV313, YV404), and one after the end
//! is YV204.
//!
//! ## Why it matters
//! An observation without a result is a claim about something that, according to the record, never
//! happened. The next thought depends on it: this is how invented test results and file contents
//! get into a run.
//!
//! ## How to fix it
//! Record the result when the executor returns, before anything is observed, and derive the
//! observation from it. If the record of the result was lost, fix the writer, and don't trust the
//! observation.
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
use crate::replay::{Approval, Breach};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};
use governance::Event;

pub(super) const RULE: Rule = Rule {
    code: Code(311),
    name: "result-without-execution",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "a result or an observation is outside its state, or is of another action",
    source: include_str!("result_without_execution.rs"),
    examples: &[
        include_str!("result_without_execution.fails.jsonl"),
        include_str!("result_without_execution.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some((named, ran)) = &cx.step_facts.anomalies().observed_other {
        let own = cx
            .step
            .and_then(|step| cx.entry?.resolve(&step.part.pointer("/actionId")));
        let draft = out.report(
            &RULE,
            format!("the observation is about action `{named}`, but `{ran}` ran"),
        );
        if own.is_some() {
            draft.below("/actionId");
        } else {
            draft.in_record("/actionId");
        }
    }
    let Some(moved) = &cx.step_facts.movement else {
        return;
    };
    if moved.breach != Some(Breach::ResultOutsideState) {
        return;
    }
    // An action executed without approval, or twice, is reported by its own rule.
    let told = cx.step_facts.executed.as_ref().is_some_and(|r| {
        matches!(r.approval, Approval::Missing | Approval::Rejected) || r.repeat.is_some()
    });
    if !told {
        let what = if moved.event == Event::ExecutionFinished {
            "a result"
        } else {
            "an observation"
        };
        out.report(&RULE, format!("{what} is in {}", moved.before))
            .path(cx)
            .subject(subject([&*moved.event.to_string(), moved.before.name()]));
    }
}
