//! An event is illegal in the state that the record has led to.
//!
//! ## What it does
//! Each event is applied to the state machine of the trace's version, in the state that the record
//! has led to. A pair that the table doesn't have is illegal: it is a finding, and the state stays.
//! Later events that only follow from it are listed with it. Also reported here: a second thought
//! of one agent in one turn, a native log that claims a movement no event makes, and a terminal
//! recording with a root shell that nobody allowed. Results outside their state are YV311,
//! events before the start YV202, events after the end YV204.
//!
//! ## Why it matters
//! The order of states is what governance rests on. A runtime that skips a step, here the
//! observation, decides how to go on without having seen what its action did; one that goes
//! from a proposal straight to a result has no governor at all.
//!
//! ## How to fix it
//! Let the runtime move only through the reducer and record each event before acting on it. If the
//! event did happen and only its record was lost, fix the writer (await its flush), and treat the
//! execution as unproven.
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
use crate::replay::Breach;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};
use crate::trace::formats::Coverage;

pub(super) const RULE: Rule = Rule {
    code: Code(201),
    name: "illegal-transition",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an event is illegal in the state that the record has led to",
    source: include_str!("illegal_transition.rs"),
    examples: &[
        include_str!("illegal_transition.fails.jsonl"),
        include_str!("illegal_transition.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(moved) = &cx.step_facts.movement else {
        return;
    };
    let message = match (moved.breach, moved.claimed) {
        (Some(Breach::Other), Some((from, to))) if from == moved.before => {
            format!("the log moves from {from} to {to}, and no event leads there")
        }
        (Some(Breach::Other), Some((from, to))) => {
            format!(
                "the log moves from {from} to {to}, and no event leads there: the record has led to {}",
                moved.before
            )
        }
        (Some(Breach::Other), None) if cx.execution.format().coverage() == Coverage::Terminal => {
            "a root shell is reported, and no elevation was allowed before it".to_owned()
        }
        (Some(Breach::Other), None) => format!("{} is illegal in {}", moved.event, moved.before),
        (Some(Breach::SecondThought), _) => "an agent has thought twice in one turn".to_owned(),
        _ => return,
    };
    let claimed = moved
        .claimed
        .map(|(from, to)| format!("{from}>{to}"))
        .unwrap_or_default();
    out.report(&RULE, message).path(cx).subject(subject([
        &*moved.event.to_string(),
        moved.before.name(),
        &claimed,
    ]));
}
