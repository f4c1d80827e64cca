//! An action ran without an approving decision.
//!
//! ## What it does
//! When an action runs, a decision of the same turn must have approved it (or its modified form),
//! by id where ids are recorded. The rule fires when there is none, or when the decision of the
//! turn is about another action. A rejected action that ran is YV309, a second run YV313 or YV404,
//! a misdirected decision YV304. A decision that breaks its schema makes the answer *not recorded*;
//! one on an unreadable line is none. A decision that is dated after what it allows is YV317. An
//! approval before the proposal counts only where it can be about it: it names no other
//! action, and a human gave it or the risk isn't high. In a terminal recording, a line that is
//! typed while an elevation waits for its password counts as run without a decision. The first line
//! behind `sensitive_prompt_displayed` is that password, unless the recording shows it printed.
//!
//! ## Why it matters
//! This is the one promise of the whole machine: no decision, no execution. An agent that can act
//! without being asked has no governor, whatever else the trace records.
//!
//! ## How to fix it
//! Call the executor from one place only, and let it take the decision as an argument. If the
//! decision was made and its record lost, fix the writer. In a review, find out what the action
//! changed, and undo it or approve it afterwards in the open.
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
        Some(id) if unproposed => format!("action `{id}` ran, and it was never proposed"),
        None if unproposed => "an action ran, and it was never proposed".to_owned(),
        _ if cx.execution.format().coverage() == Coverage::Terminal => {
            "a line was typed while the governor waited for an elevation: nobody checked it"
                .to_owned()
        }
        Some(id) => format!("action `{id}` ran, and no decision approves it"),
        None => "an action ran, and no decision approves it".to_owned(),
    };
    let draft = out
        .report(&RULE, message)
        .below_if_there("/actionId")
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
