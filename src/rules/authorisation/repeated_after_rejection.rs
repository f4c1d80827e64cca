//! A rejected action was executed under another id.
//!
//! ## What it does
//! The rule fires if, in a session, an action with the type and payload of a rejected one was
//! executed, or may have been, without a recorded approval. It compares up to 1,024 rejected
//! actions of a session, including those of sub-agents and of other files of the same run. Files
//! are compared by recorded times. If the session doesn't record decisions, the finding is a note,
//! since the approval may only be missing from the record. If the rejected call itself is executed,
//! that is YV309.
//!
//! ## Why it matters
//! The agent was refused, and asked again until something accepted it. Without a recorded approval,
//! nobody can determine whether a person changed their mind or the second call circumvented the
//! first answer.
//!
//! ## How to fix it
//! Ask the person who rejected it whether they allowed the second call. Make the runtime record
//! each decision with its call, and remember a rejection for the rest of the session.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};
use crate::trace::record::NotRecorded;

pub(super) const RULE: Rule = Rule {
    code: Code(324),
    name: "repeated-after-rejection",
    severity: Severity::Warning,
    aspect: None,
    summary: "a rejected action ran under another id",
    source: include_str!("repeated_after_rejection.rs"),
    examples: &[
        include_str!("repeated_after_rejection.fails.jsonl"),
        include_str!("repeated_after_rejection.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some((id, line)) = &cx.step_facts.anomalies().rejected_before else {
        return;
    };
    let ran = if cx.result().is_some_and(|result| result.perhaps) {
        "may have run"
    } else {
        "ran"
    };
    let draft = out
        .report(
            &RULE,
            format!(
                "the same action was rejected before as `{id}`, and {ran} without an approval on record"
            ),
        )
        .subject(id);
    let draft = match line {
        Some(line) => draft.related(*line, "it was rejected here"),
        None => draft,
    };
    if !cx.execution.records(NotRecorded::Decisions) {
        draft.severity(Severity::Note);
    }
}
