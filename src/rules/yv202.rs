//! An execution has events before its start.
//!
//! ## What it does
//! The first event of an execution must be its start: `execution_started`, or `execution` for a
//! whole one. An event that stands before is a finding, once; then the execution is taken as
//! started. Turns and terminal recordings of the native formats keep no start and are exempt.
//!
//! ## Why it matters
//! The start says who governs, under which policy and version, how many turns are granted and
//! whether tokens are needed. Without it those checks have nothing to go by. Cutting off the head
//! of a trace is the simplest way to lose them.
//!
//! ## How to mend it
//! Write the start before anything else and flush it. If the trace was rotated or split, verify the
//! parts together as one input. If two executions got mixed, correct `executionId` in the writer.
//!
//! ## Fails
//! ```jsonl
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Nothing is left to do.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Nothing is left to do.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::Breach;

pub(super) const RULE: Rule = Rule {
    code: Code(202),
    name: "no-start",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an execution has events before its start",
    source: include_str!("yv202.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(moved) = &scene.judged.movement
        && moved.breach == Some(Breach::NoStart)
    {
        let message = match scene.step {
            Some(_) => format!("{} stands before the start of its execution", moved.event),
            None => {
                "the record can't be read, and no start of its execution precedes it".to_owned()
            }
        };
        out.report(&RULE, message).subject(moved.event.to_string());
    }
}
