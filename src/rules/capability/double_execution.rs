//! The same action ran twice.
//!
//! ## What it does
//! An action, known by its id, may run once. The rule fires for an `execution_finished` of an
//! action whose run before succeeded, wherever in the execution it is. In an event log, an action
//! executed without an id is the action that the turn's decision allows, if it equals that. A
//! second run after a failure is YV313. Where the id was proposed a second time, that is the
//! finding (YV209).
//!
//! ## Why it matters
//! One approval, two effects: a comment is posted twice, a payment is made twice, a migration is
//! applied to its own result. Replaying an approved action is also what an attacker does who can
//! reach the executor, but not the governor.
//!
//! ## How to fix it
//! Let the executor use up the approval: mark the action as run before it runs, and refuse a second
//! call. Resume after a crash from that mark. In a review, check whether the second run had an
//! effect, and undo it.
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
            .below_if_there("/actionId")
            .subject(ran.id.as_deref().unwrap_or_default())
            .related(repeat.line, "it ran here");
    }
}
