//! An event arrives after the end.
//!
//! ## What it does
//! `TERMINAL` is final: no event leads out of it in version 1. The rule fires for the first event
//! after an evaluation that said `terminate`, or after `execution_ended`; what follows from that
//! event is listed with it. A second `execution_started` is YV209. Records of tokens and of the
//! context are no events of the machine.
//!
//! ## Why it matters
//! Once an execution is over, nobody watches it: the user has the answer, the tokens should be
//! gone. Work that goes on after the end runs outside of any supervision, and records that were
//! added later pretend to belong to it.
//!
//! ## How to fix it
//! Stop the loop when the evaluation says `terminate`, and cancel pending tool calls. If there was
//! more to do, the evaluation should have been `continue` or `pause`; new work after the end is a
//! new execution with an id of its own (`parent` links them).
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
            "the execution is declared over a second time".to_owned()
        } else {
            format!("{} is after the end of its execution", moved.event)
        };
        out.report(&RULE, message).subject(moved.event.to_string());
    }
}
