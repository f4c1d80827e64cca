//! Tokens are in force and none covers the executed action.
//!
//! ## What it does
//! Tokens are in force if the start contains `capabilities: "required"`, or once any token was
//! issued in the execution. Then every executed action needs a live token: the one in
//! `capabilityId`, or any that covers it. A token covers an action by its `subject` (the action's
//! id) and by its `scope`. If it has both, both must match; if it has neither, it covers nothing.
//! The rule fires if there is no such token. Revoked tokens are YV402, tokens that are too narrow
//! YV405, tokens that were not issued YV407.
//!
//! ## Why it matters
//! An approval says that an action may be executed; the token enables it. If the executor works
//! without a token, revoking one doesn't stop anything, and a stolen approval is enough.
//!
//! ## How to fix it
//! Issue a token for each approved action, with the action as `subject`, before it is executed, and
//! make the executor refuse actions without one. If this execution shouldn't use tokens, say so in
//! the start and issue none.
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
use crate::replay::TokenUse;
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(401),
    name: "no-capability",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "tokens are in force and none covers the executed action",
    source: include_str!("no_capability.rs"),
    examples: &[
        include_str!("no_capability.fails.jsonl"),
        include_str!("no_capability.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(TokenUse::None(named)) = cx.step_facts.executed.as_ref().map(|r| &r.token) {
        let message = match named {
            Some(name) => {
                format!("the action ran with token `{name}`, which isn't for this action")
            }
            None => "the action ran, but no live token covers it".to_owned(),
        };
        out.report(&RULE, message)
            .below_if_present("/capabilityId")
            .subject(named.as_deref().unwrap_or_default());
    }
}
