//! The proposed action doesn't come from a thought of its turn.
//!
//! ## What it does
//! The proposed action must be the action of a thought in the same turn, and of that agent's
//! thought if `agentId` is recorded. If several agents thought, the proposal has to name one. Type
//! and payload are compared in canonical form. The rule doesn't fire if a thought is unreadable, if
//! no thought of the turn has an action (then the path is illegal, YV201), or if the format doesn't
//! record thoughts.
//!
//! ## Why it matters
//! An action without a thought comes from elsewhere: it was injected between model and governor, is
//! left over from another turn, or was rewritten by a plug-in. The reasoning that the reviewer
//! reads then belongs to another action.
//!
//! ## How to fix it
//! Make the runtime copy the action from the selected thought, unchanged, and name the agent. If a
//! step in between must change it, let the agent think again, or let a human modify the proposal.
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
use crate::replay::Legality;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(314),
    name: "proposal-not-thought",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "the proposed action doesn't come from a thought of its turn",
    source: include_str!("proposal_not_thought.rs"),
    examples: &[
        include_str!("proposal_not_thought.fails.jsonl"),
        include_str!("proposal_not_thought.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    // An illegal proposal has its own finding.
    if cx.step_facts.anomalies().not_thought
        && cx
            .step_facts
            .movement
            .is_none_or(|m| m.movement == Legality::Legal)
    {
        let mut draft = out.report(
            &RULE,
            "the proposed action isn't that of a thought of this turn",
        );
        for thought in &cx.execution.turn().thoughts {
            draft = draft.related(thought.line, "a thought of this turn");
        }
    }
}
