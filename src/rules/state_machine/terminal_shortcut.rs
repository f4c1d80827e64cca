//! The execution ended without an evaluation.
//!
//! ## What it does
//! `TERMINAL` can only be reached from `EVALUATING`. The rule fires if an execution ends after a
//! thought with `done` set, without an `evaluation_made` between them. Under version 0, whose
//! runtime did exactly that, the finding is a warning. There, a trace that stops at such a thought
//! also counts as ended. An end that contradicts an evaluation is YV211.
//!
//! ## Why it matters
//! The model doesn't decide about the end: `done` is only its suggestion. Otherwise a model that
//! was talked into giving up, or that is simply wrong, ends the execution, and the runtime never
//! checks the goal, the turns or the last failure.
//!
//! ## How to fix it
//! After a `done` thought, go to `EVALUATING` and let the runtime decide. Record its
//! `evaluation_made`, with `kind` and `reason`, before `execution_ended`. Old runtimes need the
//! same change; their existing traces keep the warning.
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
        "TERMINAL was reached straight from a thought with `done`, without an evaluation"
    };
    let mut draft = out.report(&RULE, message);
    if early {
        draft = draft.severity(Severity::Warning);
    }
    if let Some(line) = line {
        draft.at_line(line);
    }
}
