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
//! ## How to mend it
//! Stop the loop when the evaluation says `terminate`, and cancel pending tool calls. If there was
//! more to do, the evaluation should have been `continue` or `pause`; new work after the end is a
//! new execution with an id of its own (`parent` links them).
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"It exists.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":2,"timestamp":1768800000200,"thought":{"reasoning":"The link in it is stale, though.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":2,"timestamp":1768800000210,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"It exists.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"continue","reason":"incomplete"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":2,"timestamp":1768800000200,"thought":{"reasoning":"The link in it is stale, though.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":2,"timestamp":1768800000210,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::Breach;
use governance::Event;

pub(super) const RULE: Rule = Rule {
    code: Code(204),
    name: "event-after-terminal",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an event arrives after the end",
    source: include_str!("yv204.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(moved) = &scene.judged.movement
        && moved.breach == Some(Breach::AfterTerminal)
    {
        let message = if moved.event == Event::Concluded {
            "the execution is declared over a second time".to_owned()
        } else {
            format!("{} stands after the end of its execution", moved.event)
        };
        out.report(&RULE, message).subject(moved.event.to_string());
    }
}
