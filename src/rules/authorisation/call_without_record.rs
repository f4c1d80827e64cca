//! A result has no call on record.
//!
//! ## What it does
//! A session holds a result of a call that isn't on record. The executed action isn't known, so
//! whether it was authorised isn't either.
//!
//! ## Why it matters
//! Something ran, and the record doesn't show what. A cut transcript begins like that, and so does
//! one from which a call was taken out.
//!
//! ## How to fix it
//! Get the earlier part of the transcript, or the part that was compacted away, and verify the
//! whole session.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::replay::{CallMark, CallMarkKind};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(327),
    name: "call-without-record",
    severity: Severity::Warning,
    aspect: None,
    summary: "a result has no call on record",
    source: include_str!("call_without_record.rs"),
    examples: &[
        include_str!("call_without_record.fails.jsonl"),
        include_str!("call_without_record.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(CallMark {
        id,
        kind: CallMarkKind::ResultWithoutCall,
    }) = &cx.step_facts.anomalies().call
    {
        let message = match id {
            Some(id) => format!("the call `{id}` has a result, and no call is on record"),
            None => "a result has no call on record".to_owned(),
        };
        out.report(&RULE, message)
            .below_if_there("/callId")
            .subject(id.as_deref().unwrap_or_default());
    }
}
