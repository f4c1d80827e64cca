//! An event arrives after the end.
//!
//! ## What it does
//! `TERMINAL` is final: in version 1, no event leads out of it. The rule fires for the first event
//! after an evaluation with `terminate`, or after `execution_ended`. Later events that are only a
//! consequence are listed with it. A second `execution_started` is YV209. Records of tokens and of
//! the context aren't events of the state machine.
//!
//! ## Why it matters
//! Nobody supervises an execution that has ended: the user has the answer, and its tokens should be
//! revoked. Work after the end is unsupervised, and records added later only claim to belong to the
//! execution.
//!
//! ## How to fix it
//! Stop the loop when the evaluation says `terminate`, and cancel pending tool calls. If there is
//! more to do, the evaluation should be `continue` or `pause`. New work after the end is a new
//! execution with its own id, linked by `parent`.
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
use crate::replay::Breach;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};
use governance::Event;

pub(super) const RULE: Rule = Rule {
    code: Code(204),
    name: "event-after-terminal",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an event arrives after the end",
    source: include_str!("event_after_terminal.rs"),
    examples: &[
        include_str!("event_after_terminal.fails.jsonl"),
        include_str!("event_after_terminal.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(moved) = &cx.step_facts.movement
        && moved.breach == Some(Breach::AfterTerminal)
    {
        let message = if moved.event == Event::Concluded {
            "the execution is ended a second time".to_owned()
        } else {
            format!("{} is after the end of its execution", moved.event)
        };
        out.report(&RULE, message).subject(moved.event.to_string());
    }
}
