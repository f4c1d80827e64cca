//! An action was executed without an approving decision.
//!
//! ## What it does
//! For each executed action, a decision of the same turn must have approved it or its modified
//! form, by id if ids are recorded. The rule fires if there is none, or if the turn's decision is
//! about another action.
//!
//! - An approval before the proposal counts only if it names no other action, and a human gave it
//!   or the risk isn't high.
//! - A decision that violates its schema makes the answer *not recorded*. One on an unreadable line
//!   doesn't count as a decision.
//! - In a terminal recording, a line typed while an elevation waits for its password counts as
//!   executed without a decision. The first line after `sensitive_prompt_displayed` is that
//!   password, unless the recording shows it printed.
//!
//! Related rules: a rejected action that was executed is YV309, a second execution YV313 or YV404,
//! a decision about another action YV304, a decision dated after the execution YV317.
//!
//! ## Why it matters
//! This is the central promise of the state machine: no decision, no execution. An agent that can
//! act without asking has no governor, whatever else the trace records.
//!
//! ## How to fix it
//! Call the executor from one place only, and pass it the decision as an argument. If the decision
//! was made and its record lost, fix the writer. In a review, find out what the action changed, and
//! undo it or approve it afterwards in the open.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::replay::Approval;
use crate::replay::Aspect;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};
use crate::trace::formats::Coverage;

pub(super) const RULE: Rule = Rule {
    code: Code(301),
    name: "unauthorised-execution",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "an action ran without an approving decision",
    source: include_str!("unauthorised_execution.rs"),
    examples: &[
        include_str!("unauthorised_execution.fails.jsonl"),
        include_str!("unauthorised_execution.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(ran) = &cx.step_facts.executed else {
        return;
    };
    let lost = ran.decision_lost && ran.approval == Approval::Unknown;
    let unproposed = ran.unproposed && ran.approval == Approval::Given;
    if !(ran.approval == Approval::Missing || lost || unproposed) || ran.repeat.is_some() {
        return;
    }
    let message = match &ran.id {
        Some(id) if unproposed => format!("action `{id}` ran, but was never proposed"),
        None if unproposed => "an action ran, but was never proposed".to_owned(),
        _ if cx.execution.format().coverage() == Coverage::Terminal => {
            "a line was typed while an elevation waited for its password, and wasn't checked"
                .to_owned()
        }
        Some(id) => format!("action `{id}` ran, and no decision approves it"),
        None => "an action ran, and no decision approves it".to_owned(),
    };
    let draft = out
        .report(&RULE, message)
        .below_if_present("/actionId")
        .subject(ran.id.as_deref().unwrap_or_default());
    if let Some(line) = ran.decision_line.filter(|_| !unproposed) {
        let typed = cx.execution.format().coverage() == Coverage::Terminal;
        draft.related(
            line,
            if typed {
                "it was typed here"
            } else {
                "the decision of this turn is about another action"
            },
        );
    }
}
