//! A call was interrupted and may have been executed in part.
//!
//! ## What it does
//! The rule fires if the record says that a call was interrupted during its execution. The call is
//! treated as if it may have had all of its effects. A call that was stopped before its execution
//! has the outcome `not_executed` and isn't reported.
//!
//! ## Why it matters
//! Half of a migration or of a file may exist. A result that says "interrupted" proves neither that
//! nothing happened nor that everything did.
//!
//! ## How to fix it
//! Before you continue, read what the call should do and check how far it got.
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
