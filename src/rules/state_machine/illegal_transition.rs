//! An event is illegal in the current state.
//!
//! ## What it does
//! The events of the record are applied to the state machine of the trace's version. An event
//! without a transition from the current state is illegal: it is a finding, and the state doesn't
//! change. Later events that are only a consequence are listed with it. The rule also reports:
//!
//! - a second thought of one agent in one turn
//! - a native log with a transition that no event causes
//! - a root shell in a terminal recording that wasn't allowed
//!
//! Results outside their state are YV311, events before the start YV202, events after the end
//! YV204.
//!
//! ## Why it matters
//! Governance depends on the order of states. A runtime that skips a step, here the observation,
//! continues without knowing what its action did. One that goes from a proposal straight to a
//! result has no governor at all.
//!
//! ## How to fix it
//! Make the runtime change states only through the reducer, and record each event before acting on
//! it. If the event happened and only its record was lost, fix the writer (await its flush), and
//! treat the execution as unproven.
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
    summary: "an event is illegal in the current state",
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
            format!("the log moves from {from} to {to}, but no event leads there")
        }
        (Some(Breach::Other), Some((from, to))) => {
            format!(
                "the log moves from {from} to {to}, but no event leads there, and the current state is {}",
                moved.before
            )
        }
        (Some(Breach::Other), None) if cx.execution.format().coverage() == Coverage::Terminal => {
            "a root shell is reported, but no elevation was allowed before".to_owned()
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
