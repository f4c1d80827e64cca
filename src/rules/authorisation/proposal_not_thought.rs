//! The proposed action is no agent's thought of that turn.
//!
//! ## What it does
//! The proposed action must be the action of a thought of the same turn; where `agentId` is
//! recorded, of that agent's thought. Where several thought, the proposal has to name the one. Type
//! and payload are compared in canonical form. The rule is silent when a thought can't be read,
//! when no thought of the turn wants anything (then the path is illegal, YV201), and where the
//! format keeps no thoughts.
//!
//! ## Why it matters
//! An action that nobody thought of comes from elsewhere: injected between model and governor, left
//! over from another turn, or rewritten by a plug-in. The reasoning that the reviewer reads then
//! belongs to something else.
//!
//! ## How to fix it
//! Let the runtime copy the action from the selected thought, unchanged, and name the agent. If a
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
use crate::replay::Movement;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(314),
    name: "proposal-not-thought",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "the proposed action is no agent's thought of that turn",
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
            .is_none_or(|m| m.movement == Movement::Legal)
    {
        let mut draft = out.report(&RULE, "the proposed action is no thought of this turn");
        for thought in &cx.execution.turn().thoughts {
            draft = draft.related(thought.line, "a thought of this turn");
        }
    }
}
