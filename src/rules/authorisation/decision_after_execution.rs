//! A decision is dated after the execution of the action that it allows.
//!
//! ## What it does
//! The decision's own `timestamp` is compared with the time at which its action was executed: that
//! of `execution_finished`, the `endTime` of a turn, the line of a result in an event log, or the
//! transition out of `EXECUTING` in a list of transitions. If an execution has no time, the next
//! time that is recorded counts.
//!
//! A decision without a `timestamp` has the time of its record, except in logs, which don't write
//! their lines at once. Equal times are legal. Two times are compared at the lower of their
//! precisions: a time in whole seconds is any time within that second. Only times of one execution
//! are compared.
//!
//! ## Why it matters
//! An approval written after the action isn't an approval: nobody could have refused. This is how
//! missing decisions are added afterwards. The order of records is easier to forge than the clocks
//! of all writers.
//!
//! ## How to fix it
//! Take the decision's time when it is made, and make the executor wait for it. If the clocks of
//! two machines differ, synchronise them. Check an action that was decided afterwards like one that
//! nobody approved.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity, subject};
use crate::replay::{Approval, Aspect};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(317),
    name: "decision-after-execution",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a decision is dated after the execution of the action that it allows",
    source: include_str!("decision_after_execution.rs"),
    examples: &[
        include_str!("decision_after_execution.fails.jsonl"),
        include_str!("decision_after_execution.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution, Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let message = |id: Option<&str>| {
        let action = id.map_or_else(|| "an action".to_owned(), |id| format!("action `{id}`"));
        format!("the decision that allows {action} is dated after it ran")
    };
    if let Some(late) = &cx.step_facts.anomalies().late_decision {
        out.report(&RULE, message(late.id.as_deref()))
            .at_line(late.ran)
            .subject(subject(["late", late.id.as_deref().unwrap_or_default()]));
    }
    let Some(ran) = cx
        .step_facts
        .executed
        .as_ref()
        .filter(|ran| ran.repeat.is_none())
    else {
        return;
    };
    let Approval::Late(line) = ran.approval else {
        return;
    };
    let draft = out
        .report(&RULE, message(ran.id.as_deref()))
        .below_if_present("/actionId")
        .subject(subject(["ran", ran.id.as_deref().unwrap_or_default()]));
    match ran.decision_line {
        Some(decided) if cx.entry.is_some_and(|e| e.line == line) => {
            draft.related(decided, "the decision")
        }
        _ => draft.related(line, "it ran here"),
    };
}
