//! A human approved an action after the request had expired.
//!
//! ## What it does
//! The time of a human's approval is compared with that of the proposal. The rule fires if more
//! than 5 minutes (300,000 ms) lie between them. A rejection may come at any time. Nothing is said
//! if one of the two times isn't recorded.
//!
//! `replay --approval-timeout MS`, or `approval-timeout-ms` under `[traces]` in
//! `yuangs-verify.toml`, sets another limit; 0 means none.
//!
//! ## Why it matters
//! A runtime that waits for an answer gives up at some time and treats the request as refused. An
//! approval after that time wasn't obeyed, or the runtime waits longer than it says. Also, what the
//! human saw may no longer be what the action does.
//!
//! ## How to fix it
//! Let the runtime record the expiry as a rejection, and propose the action again. If your runtime
//! waits longer on purpose, configure its limit.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(331),
    name: "approval-expired",
    severity: Severity::Warning,
    aspect: None,
    summary: "a human approved an action after the request had expired",
    source: include_str!("approval_expired.rs"),
    examples: &[
        include_str!("approval_expired.fails.jsonl"),
        include_str!("approval_expired.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Decision], check),
};

/// Maximum time in milliseconds between a request and its approval, unless configured.
const TIMEOUT: u64 = 300_000;

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let limit = cx.settings.approval_timeout.unwrap_or(TIMEOUT);
    let Some(decided) = cx.step_facts.decided.as_ref().filter(|_| limit > 0) else {
        return;
    };
    let millis = decided
        .approval_millis
        .and_then(|ms| u64::try_from(ms).ok());
    if let Some(millis) = millis.filter(|ms| *ms > limit) {
        let message = format!(
            "a human approved the action after {millis} ms; a request expires after {limit} ms"
        );
        let draft = out.report(&RULE, message).below_if_present("/timestamp");
        if let Some(line) = decided.proposal_line {
            draft.related(line, "the proposed action");
        }
    }
}
