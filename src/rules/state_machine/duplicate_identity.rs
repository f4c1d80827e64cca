//! An id is used twice.
//!
//! ## What it does
//! In an execution, the `id` of an action may be proposed once, and an `executionId` may be started
//! once. There are two exceptions: a rejected action may be proposed again unchanged, and an
//! execution may start again after a `pause` (under version 0, after its end). A repeated turn is
//! YV206, a token issued again is YV403, and a modified action with an id in use is YV308.
//!
//! ## Why it matters
//! Decisions, results and tokens refer to actions by id. If two actions share an id, an approval of
//! the harmless first one also approves the second, and the record can't show which one was
//! executed.
//!
//! ## How to fix it
//! Take ids from a counter or a random generator for each proposal, and never reuse one after a
//! retry: a changed action is a new action. Start a new execution with a new id, and name the old
//! one in `parent`.
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
use crate::replay::Legality;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(209),
    name: "duplicate-identity",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an id is used twice",
    source: include_str!("duplicate_identity.rs"),
    examples: &[
        include_str!("duplicate_identity.fails.jsonl"),
        include_str!("duplicate_identity.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(reuse) = &cx.step_facts.anomalies().reuse {
        // A repeated turn repeats its ids, and is reported as a turn (YV206).
        let out_of_place = cx
            .step_facts
            .movement
            .is_some_and(|m| m.movement != Legality::Legal);
        if reuse.of == "action" && (cx.execution.turn().repeated || out_of_place) {
            return;
        }
        let draft = out
            .report(
                &RULE,
                format!("the {} id `{}` is used a second time", reuse.of, reuse.id),
            )
            .subject(subject([reuse.of, &reuse.id]));
        let draft = if reuse.of == "action" {
            draft.below_if_present("/id")
        } else {
            draft.in_record("/executionId")
        };
        draft.related(reuse.line, "first used here");
    }
}
