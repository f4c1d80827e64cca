//! Tokens are in force and none covers the executed action.
//!
//! ## What it does
//! Tokens are in force when the start says `capabilities: "required"`, or once any token was issued
//! in the execution. Then whatever runs needs a live one: that in `capabilityId`, or any that
//! covers it. A token covers an action by its `subject` (the action's id) and by its `scope`; where
//! it states both, both must hold; one that states neither covers nothing. The rule fires when
//! there is none. Revoked ones are YV402, too narrow ones YV405, ones that nobody issued YV407.
//!
//! ## Why it matters
//! An approval says that an action may run; the token is what lets it. If the executor runs without
//! one, taking the token away doesn't stop anything, and a stolen approval is enough.
//!
//! ## How to fix it
//! Issue a token for each approved action, with the action as `subject`, before it runs, and let
//! the executor refuse without it. If this execution should not use tokens, say so in the start and
//! issue none.
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
            Some(name) => format!("the action ran on token `{name}`, which isn't one for it"),
            None => "the action ran, and no live token covers it".to_owned(),
        };
        out.report(&RULE, message)
            .below_if_there("/capabilityId")
            .subject(named.as_deref().unwrap_or_default());
    }
}
