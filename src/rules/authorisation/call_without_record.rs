//! A result, or markup of a call, has no call on record.
//!
//! ## What it does
//! A session holds a result of a call that isn't on record. The executed action isn't known, so
//! whether it was authorised isn't either. The same is reported of a call that appears as markup in
//! a text of the agent (such as `<tool_call>{"name": …}`), in a format that keeps calls as
//! structures. Markup in a fenced block or between backticks explains, and is ignored; a message is
//! reported once.
//!
//! ## Why it matters
//! Something ran, and the record doesn't show what. A cut transcript begins like that, and so does
//! one from which a call was taken out. With markup nothing may have run at all: the agent goes on
//! as if it had called the tool.
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
use crate::replay::{CallAnomaly, CallAnomalyKind};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(327),
    name: "call-without-record",
    severity: Severity::Warning,
    aspect: None,
    summary: "a result, or markup of a call, has no call on record",
    source: include_str!("call_without_record.rs"),
    examples: &[
        include_str!("call_without_record.fails.jsonl"),
        include_str!("call_without_record.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(CallAnomaly { id, kind }) = &cx.step_facts.anomalies().call else {
        return;
    };
    let named = id.as_deref().filter(|id| !id.is_empty());
    let (message, member) = match (kind, named) {
        (CallAnomalyKind::ResultWithoutCall, Some(id)) => (
            format!("the call `{id}` has a result, and no call is on record"),
            "/callId",
        ),
        (CallAnomalyKind::ResultWithoutCall, None) => {
            ("a result has no call on record".to_owned(), "/callId")
        }
        (CallAnomalyKind::Claimed, Some(tool)) => (
            format!("the agent's text holds a call of `{tool}` as markup, and none is on record"),
            "/tool",
        ),
        (CallAnomalyKind::Claimed, None) => (
            "the agent's text holds a call as markup, and none is on record".to_owned(),
            "/tool",
        ),
        _ => return,
    };
    out.report(&RULE, message)
        .below_if_there(member)
        .subject(named.unwrap_or_default());
}
