//! The executed action differs from the approved one.
//!
//! ## What it does
//! The executed action (`action` of `execution_finished`) is compared with the approved one, or
//! with `modifiedAction` if a human changed it. Type and payload are compared in canonical form
//! (RFC 8785), so spelling and the order of members don't matter. The rule also fires if the
//! proposal was executed although it was modified. Without `action` in the result, nothing is
//! compared.
//!
//! ## Why it matters
//! Approving one action and executing another is the shortest way around a governor: a template
//! that is filled in after the approval, a race on a shared object, or a manipulated executor.
//!
//! ## How to fix it
//! Freeze the action when it is proposed, pass the frozen copy to the executor, and compare hashes
//! right before executing it. If parameters must change, let a human decide with `modified`.
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
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(305),
    name: "executed-other-than-approved",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "the executed action isn't the approved one",
    source: include_str!("executed_other_than_approved.rs"),
    examples: &[
        include_str!("executed_other_than_approved.fails.jsonl"),
        include_str!("executed_other_than_approved.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(ran) = &cx.step_facts.executed
        && ran.differs
    {
        let draft = out
            .report(&RULE, "the executed action is not the approved one")
            .below_if_present("/action")
            .below_if_present("/actionId")
            .subject(ran.id.as_deref().unwrap_or_default());
        if let Some(line) = ran.decision_line {
            draft.related(line, "the decision");
        }
    }
}
