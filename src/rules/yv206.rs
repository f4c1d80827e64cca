//! Turn numbers don't grow by one, or turns interleave.

use super::{Check, Out, Rule, Scene};
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
    check: Check::Scene(check),
};

fn check(scene: &Scene<'_, '_, '_>, out: &mut Out) {
    // An event that the path can't explain has its finding; its number is part of that.
    if scene.judged.movement.is_some_and(|m| m.movement != Movement::Legal) {
        return;
    }
    let message = match scene.judged.order {
        Some(TurnBreak::Jump { expected, found }) => format!("turn {expected} is due, and turn {found} begins"),
        Some(TurnBreak::Interleaved { current, found }) => format!("an event of turn {found} stands inside turn {current}"),
        None => return,
    };
    out.report(&RULE, message).whole_record("/turnId");
}
