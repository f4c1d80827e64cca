//! Turn numbers don't increase by one, or turns interleave.
//!
//! ## What it does
//! `turnId` begins at 1, increases by one with each turn, and is the same for all events of a turn.
//! The rule fires for a turn with an unexpected number, and for an event of one turn inside
//! another. Numbering continues after a pause. An event that is illegal anyway has its own finding.
//! Formats without turn numbers aren't checked.
//!
//! ## Why it matters
//! A gap means that a turn was removed from the record, with its action and its decision. If events
//! of turns interleave, a decision made in one turn may cover an action of another.
//!
//! ## How to fix it
//! Number the turns in one place and write them in order, from one writer per execution. If a
//! number is missing, find the lost records before you trust the rest; don't renumber the trace.
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
use crate::replay::{Legality, TurnBreak};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(206),
    name: "turn-out-of-order",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "turn numbers don't increase by one, or turns interleave",
    source: include_str!("turn_out_of_order.rs"),
    examples: &[
        include_str!("turn_out_of_order.fails.jsonl"),
        include_str!("turn_out_of_order.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    // An event that is illegal on this path has its own finding, which covers its turn number.
    let explained = cx.execution.is_broken()
        || cx
            .step_facts
            .movement
            .is_some_and(|m| m.movement != Legality::Legal);
    if explained && !cx.step_facts.anomalies().turns_lost {
        return;
    }
    let message = match cx.step_facts.anomalies().order {
        Some(TurnBreak::Jump { expected, found }) => {
            format!("turn {expected} was expected, but turn {found} begins")
        }
        Some(TurnBreak::Interleaved { current, found }) => {
            format!("an event of turn {found} is inside turn {current}")
        }
        None => return,
    };
    let of = if matches!(
        cx.step_facts.anomalies().order,
        Some(TurnBreak::Jump { .. })
    ) {
        "jump"
    } else {
        "interleaved"
    };
    out.report(&RULE, message).in_record("/turnId").subject(of);
}
