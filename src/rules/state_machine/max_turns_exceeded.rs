//! An execution took more turns than allowed.
//!
//! ## What it does
//! The number of turns that began is compared with `maxTurns` of the start. The rule fires if there
//! are more, unless the last evaluation is `terminate` with the reason `max_turns_exceeded`. It
//! points to the first excess turn. Without `maxTurns`, nothing is compared.
//!
//! ## Why it matters
//! The limit stops an agent that runs in circles: each turn costs money and is another chance to do
//! harm. A runtime that doesn't enforce this limit probably doesn't enforce others either.
//!
//! ## How to fix it
//! Check the limit in `EVALUATING`, before requesting the next thought, and end with
//! `max_turns_exceeded`. If the task needs more turns, allow them in `execution_started`, where a
//! reviewer sees it.
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
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(207),
    name: "max-turns-exceeded",
    severity: Severity::Error,
    aspect: Some(Aspect::LegalPath),
    summary: "an execution took more turns than allowed",
    source: include_str!("max_turns_exceeded.rs"),
    examples: &[
        include_str!("max_turns_exceeded.fails.jsonl"),
        include_str!("max_turns_exceeded.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::End], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some((line, max)) = cx.close.and_then(|c| c.max_turns) {
        out.report(
            &RULE,
            format!(
                "more than {max} turns began, and no evaluation ended the execution because of it"
            ),
        )
        .at_line(line);
    }
}
