//! A decision names another action than the proposed one.
//!
//! ## What it does
//! `actionId` of a decision is compared with the `id` of the proposed action of the turn. If they
//! differ, the decision is about another action. A decision without `actionId` counts as one about
//! the proposal, and a modification may name the modified action. The following execution isn't
//! reported again.
//!
//! ## Why it matters
//! A stale or replayed decision approves something that the governor never saw: the approval of a
//! harmless read from two turns ago is reused for a delete.
//!
//! ## How to fix it
//! Bind each approval to the id and the payload that were shown, and discard answers for another
//! id. In a review, find out which action the governor saw, and treat the executed one as not
//! approved.
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
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(304),
    name: "decision-for-other-action",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a decision names another action than the proposed one",
    source: include_str!("decision_for_other_action.rs"),
    examples: &[
        include_str!("decision_for_other_action.fails.jsonl"),
        include_str!("decision_for_other_action.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Decision], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(decided) = &cx.step_facts.decided
        && let Some((found, proposed)) = &decided.other_action
    {
        let draft = out
            .report(
                &RULE,
                format!("the decision is about action `{found}`, but `{proposed}` was proposed"),
            )
            .below_if_present("/actionId")
            .subject(subject([&**found, &**proposed]));
        if let Some(line) = decided.proposal_line {
            draft.related(line, "the proposed action");
        }
    }
}
