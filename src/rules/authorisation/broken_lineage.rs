//! The ids of a modification don't fit.
//!
//! ## What it does
//! A modification must fit into the history: `originalActionId` is the id of the action that the
//! turn proposed, and the `id` of `modifiedAction` is a new one in this execution. The rule fires
//! when either is not so, and when an approval or a rejection holds a `modifiedAction`. A lineage
//! that is missing altogether is YV303.
//!
//! ## Why it matters
//! The chain from thought to proposal to modified action shows who wanted what. If it points
//! elsewhere, a human's edit can be passed off as the agent's idea, or the other way round; a
//! reused id makes the old and the new action one and the same.
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
    summary: "the ids of a modification don't fit",
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
                    "the original action is said to be `{found}`, and `{proposed}` was proposed"
                ),
            )
            .below_if_there("/originalActionId")
            .subject(subject(["original", &**found]));
        }
        Some(Lineage::IdTaken(id)) => {
            out.report(
                &RULE,
                format!(
                    "the modified action has the id `{id}`, which is taken; it needs a new one"
                ),
            )
            .below_if_there("/modifiedAction/id")
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
            .below_if_there("/modifiedAction")
            .subject(subject(["ruling", ruling.name()]));
        }
        None => {}
    }
}
