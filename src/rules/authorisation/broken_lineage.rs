//! The ids of a modification are inconsistent.
//!
//! ## What it does
//! `originalActionId` of a modification must be the id of the proposed action of the turn, and the
//! `id` of `modifiedAction` must be new in this execution. The rule fires if either isn't so, and
//! if an approval or a rejection contains a `modifiedAction`. A missing lineage is YV303.
//!
//! ## Why it matters
//! The chain from thought to proposal to modified action shows who wanted what. If it is wrong, a
//! human's edit can be presented as the agent's idea, or the other way round. A reused id makes the
//! old and the new action the same.
//!
//! ## How to fix it
//! Let the runtime fill in both ids from the open proposal; no dialog should ask for them. In a
//! review, compare the two payloads, and treat a modification of an unknown original as an action
//! that was never proposed.
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
use crate::replay::Lineage;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(308),
    name: "broken-lineage",
    severity: Severity::Error,
    aspect: Some(Aspect::GovernanceComplete),
    summary: "the ids of a modification are inconsistent",
    source: include_str!("broken_lineage.rs"),
    examples: &[
        include_str!("broken_lineage.fails.jsonl"),
        include_str!("broken_lineage.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Decision], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    match cx
        .step_facts
        .decided
        .as_ref()
        .and_then(|d| d.lineage.as_ref())
    {
        Some(Lineage::OtherOriginal { found, proposed }) => {
            out.report(
                &RULE,
                format!(
                    "the original action is recorded as `{found}`, but `{proposed}` was proposed"
                ),
            )
            .below_if_present("/originalActionId")
            .subject(subject(["original", &**found]));
        }
        Some(Lineage::IdTaken(id)) => {
            out.report(
                &RULE,
                format!(
                    "the modified action has the id `{id}`, which is used already; it needs a new one"
                ),
            )
            .below_if_present("/modifiedAction/id")
            .subject(subject(["id", &**id]));
        }
        Some(Lineage::Unmodified(ruling)) => {
            out.report(
                &RULE,
                format!(
                    "a modified action is in a decision that is `{}`",
                    ruling.name()
                ),
            )
            .below_if_present("/modifiedAction")
            .subject(subject(["ruling", ruling.name()]));
        }
        None => {}
    }
}
