//! A modified action has a higher risk than the proposed one.
//!
//! ## What it does
//! The risk of `modifiedAction` is compared with that of the proposal; for each it is the worse of
//! the recorded `riskLevel` and what the analyser finds (see YV310). Higher than before is a
//! finding, also when a human made the change. If neither is known, nothing is compared.
//!
//! ## Why it matters
//! The consent was asked for a listing, and a deletion runs. Whoever clicks through a dialog with
//! an edit field sees the first risk only; a runtime that edits commands "for the human" could
//! raise any harmless proposal to any level.
//!
//! ## How to fix it
//! Let a modification only narrow an action: fewer paths, fewer flags, a dry run. What is riskier
//! must be rejected and proposed again, so that it is assessed and decided as what it is.
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
        .below_if_there("/modifiedAction")
        .subject(subject([before.name(), after.name()]));
    }
}
