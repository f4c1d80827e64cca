//! A rejected action was executed.
//!
//! ## What it does
//! After a decision with `status` `rejected`, the action must not be executed in that turn. The
//! rule fires for `execution_finished` of a rejected action, and for a native log that goes from
//! `GOVERNING` to `EXECUTING` on a rejection. A rejection after an approval applies as long as the
//! action hasn't been executed. A rejected action may be proposed again, and executed if it is then
//! approved. Notices of the early runtimes that nothing was executed aren't executions. In a
//! session, the rule also fires for a call with a rejection and a successful result, in any order.
//!
//! ## Why it matters
//! Somebody read the proposal and refused it, but it was executed anyway. Either decisions don't
//! reach the executor, so that no rejection was ever effective, or something circumvents it on
//! purpose.
//!
//! ## How to fix it
//! Treat it as an incident: find out what the action changed and undo it. Then make the executor
//! require an approval, instead of checking for a rejection, so that a lost or late answer means
//! no.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use super::named;
use crate::diag::{Code, Severity};
use crate::replay::{Approval, Aspect, CallAnomaly, CallAnomalyKind};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(309),
    name: "executed-after-rejection",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a rejected action ran",
    source: include_str!("executed_after_rejection.rs"),
    examples: &[
        include_str!("executed_after_rejection.fails.jsonl"),
        include_str!("executed_after_rejection.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution, Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(CallAnomaly {
        id,
        kind: CallAnomalyKind::RejectedAndRan,
    }) = &cx.step_facts.anomalies().call
    {
        let message = format!("{} was rejected, and it ran", named(id.as_deref()));
        out.report(&RULE, message)
            .below_if_present("/callId")
            .subject(id.as_deref().unwrap_or_default());
    }
    if let Some(ran) = &cx.step_facts.executed
        && ran.approval == Approval::Rejected
        && ran.repeat.is_none()
    {
        let message = match &ran.id {
            Some(id) => format!("action `{id}` was rejected, and it ran"),
            None => "the action was rejected, and it ran".to_owned(),
        };
        let draft = out
            .report(&RULE, message)
            .below_if_present("/actionId")
            .subject(ran.id.as_deref().unwrap_or_default());
        if let Some(line) = ran.decision_line {
            draft.related(line, "the decision");
        }
    }
}
