//! An execution has events before its start.
//!
//! ## What it does
//! The first event of an execution must be its start: `execution_started`, or `execution` for a
//! whole one. The first event before it is a finding; from then on the execution counts as started.
//! Turns and terminal recordings in native formats record no start and are exempt.
//!
//! ## Why it matters
//! The start names the governor, the policy and the version, the allowed number of turns, and
//! whether tokens are required. Without it, these can't be checked. Cutting off the head of a trace
//! is the simplest way to avoid them.
//!
//! ## How to fix it
//! Write the start before anything else and flush it. If the trace was rotated or split, verify all
//! parts together as one input. If two executions are mixed up, fix `executionId` in the writer.
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

pub(super) const RULE: Rule = Rule {
    code: Code(202),
    name: "no-start",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an execution has events before its start",
    source: include_str!("no_start.rs"),
    examples: &[
        include_str!("no_start.fails.jsonl"),
        include_str!("no_start.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(moved) = &cx.step_facts.movement
        && moved.breach == Some(Breach::NoStart)
    {
        let message = match cx.step {
            Some(_) => format!("{} is before the start of its execution", moved.event),
            None => {
                "the record can't be read, and no start of its execution precedes it".to_owned()
            }
        };
        out.report(&RULE, message).subject(moved.event.to_string());
    }
}
