//! A call was stopped and may have run in part.
//!
//! ## What it does
//! The record says that the call was interrupted while it ran. It is treated as one that may have
//! had all of its effects. A call that was stopped before it ran has the outcome `not_executed` and
//! isn't reported.
//!
//! ## Why it matters
//! Half of a migration or of a file may be there. A result that says "interrupted" tells neither
//! that nothing happened nor that everything did.
//!
//! ## How to fix it
//! Read what the call asks for and check how far it came before you go on.
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
use crate::replay::{CallAnomaly, CallAnomalyKind};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(326),
    name: "interrupted-call",
    severity: Severity::Note,
    aspect: None,
    summary: "a call was stopped and may have run in part",
    source: include_str!("interrupted_call.rs"),
    examples: &[
        include_str!("interrupted_call.fails.jsonl"),
        include_str!("interrupted_call.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(CallAnomaly {
        id,
        kind: CallAnomalyKind::Interrupted,
    }) = &cx.step_facts.anomalies().call
    {
        out.report(
            &RULE,
            format!(
                "{} was stopped, and may have run in part",
                named(id.as_deref())
            ),
        )
        .subject(id.as_deref().unwrap_or_default());
    }
}
