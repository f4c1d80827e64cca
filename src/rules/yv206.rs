//! Turn numbers don't grow by one, or turns interleave.
//!
//! ## What it does
//! `turnId` begins at 1, grows by one with each turn, and stays the same for all events of a turn.
//! The rule fires for a turn with another number than the one that is due, and for an event of one
//! turn inside another. Numbers go on over a pause and its resumption. An event that is illegal
//! anyway has its own finding, and formats without turn numbers aren't checked.
//!
//! ## Why it matters
//! A gap is a turn that was taken out of the record, with its action and its decision. Events that
//! interleave let a decision made in one turn cover an action of another.
//!
//! ## How to mend it
//! Number the turns in one place and write them in order, from one writer for each execution. If a
//! number is missing, look for the lost records before you trust the rest; don't renumber the
//! trace.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check the README","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Is it there?","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"continue","reason":"incomplete"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":3,"timestamp":1768800000200,"thought":{"reasoning":"It is.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":3,"timestamp":1768800000210,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check the README","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"Is it there?","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"continue","reason":"incomplete"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":2,"timestamp":1768800000200,"thought":{"reasoning":"It is.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":2,"timestamp":1768800000210,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule, RuleContext, Sink, Trigger};
use crate::diag::{Code, Severity};
use crate::replay::Aspect;
use crate::replay::{Movement, TurnBreak};

pub(super) const RULE: Rule = Rule {
    code: Code(206),
    name: "turn-out-of-order",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "turn numbers don't grow by one, or turns interleave",
    source: include_str!("yv206.rs"),
    check: Check::RuleContext(&[Trigger::Anomaly], check),
};

fn check(scene: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    // An event that the path can't explain has its finding; its number is part of that.
    let explained = scene.execution.is_broken()
        || scene
            .judged
            .movement
            .is_some_and(|m| m.movement != Movement::Legal);
    if explained && !scene.judged.anomalies().turns_lost {
        return;
    }
    let message = match scene.judged.anomalies().order {
        Some(TurnBreak::Jump { expected, found }) => {
            format!("turn {expected} is due, and turn {found} begins")
        }
        Some(TurnBreak::Interleaved { current, found }) => {
            format!("an event of turn {found} stands inside turn {current}")
        }
        None => return,
    };
    let of = if matches!(scene.judged.anomalies().order, Some(TurnBreak::Jump { .. })) {
        "jump"
    } else {
        "interleaved"
    };
    out.report(&RULE, message)
        .whole_record("/turnId")
        .subject(of);
}
