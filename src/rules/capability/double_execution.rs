//! The same action was executed twice.
//!
//! ## What it does
//! An action, identified by its id, may be executed once. The rule fires for an
//! `execution_finished` of an action that succeeded before, anywhere in the execution. In an event
//! log, an action executed without an id is the one that the turn's decision allows, if it equals
//! that. A second execution after a failure is YV313. If the id was proposed a second time, that is
//! reported instead (YV209).
//!
//! ## Why it matters
//! One approval has two effects: a comment is posted twice, a payment is made twice, a migration is
//! applied to its own result. An attacker who can reach the executor, but not the governor, also
//! replays approved actions.
//!
//! ## How to fix it
//! Let the executor consume the approval: mark the action as executed before executing it, and
//! refuse a second call. After a crash, resume from that mark. In a review, check whether the
//! second execution had an effect, and undo it.
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
    code: Code(404),
    name: "double-execution",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "the same action ran twice",
    source: include_str!("double_execution.rs"),
    examples: &[
        include_str!("double_execution.fails.jsonl"),
        include_str!("double_execution.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(ran) = &cx.step_facts.executed
        && let Some(repeat) = ran.repeat
        && repeat.succeeded
    {
        let action = ran
            .id
            .as_deref()
            .map_or_else(|| "the action".to_owned(), |id| format!("action `{id}`"));
        out.report(&RULE, format!("{action} ran a second time"))
            .below_if_present("/actionId")
            .subject(ran.id.as_deref().unwrap_or_default())
            .related(repeat.line, "it ran here");
    }
}
