//! A call has two different results.
//!
//! ## What it does
//! The rule fires if a session contains a second result of a call that differs from the first. A
//! repeated equal result isn't reported.
//!
//! ## Why it matters
//! A call has one result. If there are two, one of them was added, or two calls share one id. Then
//! it is unclear which of them a decision was about.
//!
//! ## How to fix it
//! Find out which result the runtime wrote. Give each call its own id, also when it is repeated.
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
use crate::replay::Aspect;
use crate::replay::{CallAnomaly, CallAnomalyKind};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(329),
    name: "ambiguous-result",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a call has two different results",
    source: include_str!("ambiguous_result.rs"),
    examples: &[
        include_str!("ambiguous_result.fails.jsonl"),
        include_str!("ambiguous_result.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(CallAnomaly {
        id,
        kind: CallAnomalyKind::AmbiguousResult,
    }) = &cx.step_facts.anomalies().call
    {
        out.report(
            &RULE,
            format!("{} has two different results", named(id.as_deref())),
        )
        .below_if_present("/callId")
        .subject(id.as_deref().unwrap_or_default());
    }
}
