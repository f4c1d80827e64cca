//! A modified action has a higher risk than the proposed one.
//!
//! ## What it does
//! The risk of `modifiedAction` is compared with that of the proposal. Each is the higher of the
//! recorded `riskLevel` and the analyser's result (see YV310). The rule fires if the risk became
//! higher, even if a human made the change. If a risk is unknown, nothing is compared.
//!
//! ## Why it matters
//! A person is asked to approve a listing, and a deletion is executed. In a dialog with an edit
//! field, people see only the first risk. A runtime that edits commands "for the human" could raise
//! any harmless proposal to any risk.
//!
//! ## How to fix it
//! Let a modification only narrow an action: fewer paths, fewer flags, a dry run. Reject a riskier
//! action and propose it again, so that it is assessed and decided on its own.
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
    code: Code(307),
    name: "modification-raises-risk",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a modified action has a higher risk than the proposed one",
    source: include_str!("modification_raises_risk.rs"),
    examples: &[
        include_str!("modification_raises_risk.fails.jsonl"),
        include_str!("modification_raises_risk.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Decision], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some((before, after)) = cx.step_facts.decided.as_ref().and_then(|d| d.raised_risk) {
        out.report(
            &RULE,
            format!("the modified action has risk {after}, the proposed one {before}"),
        )
        .below_if_present("/modifiedAction")
        .subject(subject([before.name(), after.name()]));
    }
}
