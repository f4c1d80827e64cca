//! A modification changed the type, the tool or the target of a diff.
//!
//! ## What it does
//! A human may change the parameters of an action, not the kind of action. The rule compares the
//! proposal with `modifiedAction`. The `type` must stay the same. So must the tool of a
//! `tool_call`, and the set of files in the headers of a `code_diff`; a diff that names no files
//! could change any.
//!
//! Commands and parameters are compared by their effects. Another program, or a kind of effect that
//! the proposal didn't have, is more than a parameter (`npm test` becomes `curl http://x/`). Other
//! arguments of the same program are parameters, and so is a change to an action that only reads. A
//! modification that raises the risk is YV307.
//!
//! ## Why it matters
//! The agent's reasoning, the declared changes and the tokens all belong to the proposed action. A
//! "modification" that redirects the diff to another file executes something that was never
//! proposed, under the history of something else.
//!
//! ## How to fix it
//! Reject the proposal with a reason and let the agent propose the other action. If a person wants
//! to do something else, they should do it themselves, outside the agent's record.
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
    code: Code(306),
    name: "modification-beyond-parameters",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "a modification changed the type, the tool or the target of a diff",
    source: include_str!("modification_beyond_parameters.rs"),
    examples: &[
        include_str!("modification_beyond_parameters.fails.jsonl"),
        include_str!("modification_beyond_parameters.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Decision], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(what) = cx
        .step_facts
        .decided
        .as_ref()
        .and_then(|d| d.beyond_parameters)
    {
        out.report(
            &RULE,
            format!("the modification changed {what}; it may only change parameters"),
        )
        .below_if_present("/modifiedAction");
    }
}
