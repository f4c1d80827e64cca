//! Two sources of a decision contradict each other.
//!
//! ## What it does
//! A runtime may record a decision in more than one place, for example in the transcript and in a
//! separate log of permissions. The rule fires for a call whose decision is marked `contradicted`:
//! one source says that it was allowed, another one that it was rejected.
//!
//! ## Why it matters
//! One of the two was changed, or the runtime doesn't do what its dialog says. Neither source can
//! then prove that the call was authorised.
//!
//! ## How to fix it
//! Find out which source was written when the decision was made, and who can write to the other
//! one. Until then, treat the call as unauthorised.
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
    code: Code(328),
    name: "sidecar-contradiction",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "two sources of a decision contradict each other",
    source: include_str!("sidecar_contradiction.rs"),
    examples: &[
        include_str!("sidecar_contradiction.fails.jsonl"),
        include_str!("sidecar_contradiction.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Anomaly], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(CallAnomaly {
        id,
        kind: CallAnomalyKind::Contradicted,
    }) = &cx.step_facts.anomalies().call
    {
        out.report(
            &RULE,
            format!(
                "another source contradicts the decision about {}",
                named(id.as_deref())
            ),
        )
        .subject(id.as_deref().unwrap_or_default());
    }
}
