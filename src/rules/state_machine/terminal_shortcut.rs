//! The end was reached without an evaluation.
//!
//! ## What it does
//! `TERMINAL` is reached from `EVALUATING` only. The rule fires when an execution is declared over
//! and the last event was a thought with `done` set, with no `evaluation_made` between them. Under
//! version 0, whose runtime did just that, it is a warning; there a trace that simply stops at such
//! a thought counts as concluded too. An end that contradicts an evaluation is YV211.
//!
//! ## Why it matters
//! The model never announces the end: `done` is its suggestion. If it counts as the end, a model
//! that was talked into giving up, or that is merely wrong, closes the execution by itself, and no
//! runtime ever checked the goal, the turns or the last failure.
//!
//! ## How to fix it
//! Send a `done` thought to `EVALUATING` and let the runtime rule there; then record its
//! `evaluation_made` with `kind` and `reason` before `execution_ended`. Old runtimes need the same
//! change; their traces keep the warning.
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
use governance::{Event, FsmVersion};

pub(super) const RULE: Rule = Rule {
    code: Code(205),
    name: "terminal-shortcut",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "the end was reached without an evaluation",
    source: include_str!("terminal_shortcut.rs"),
    examples: &[
        include_str!("terminal_shortcut.fails.jsonl"),
        include_str!("terminal_shortcut.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly, Trigger::End], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let moved = cx
        .step_facts
        .movement
        .filter(|m| m.event == Event::Concluded && m.breach.is_none());
    let line = match (moved, cx.close.and_then(|c| c.shortcut)) {
        (Some(_), _) => None,
        (None, Some(line)) => Some(line),
        (None, None) => return,
    };
    let early = cx.execution.version() == FsmVersion::V0;
    let message = if early {
        "TERMINAL was reached straight from THINKING, as the early runtime allowed"
    } else {
        "TERMINAL was reached straight from a thought that says `done`; no evaluation ruled on it"
    };
    let mut draft = out.report(&RULE, message);
    if early {
        draft = draft.severity(Severity::Warning);
    }
    if let Some(line) = line {
        draft.at_line(line);
    }
}
