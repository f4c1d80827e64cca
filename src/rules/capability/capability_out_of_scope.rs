//! The token doesn't cover the action.
//!
//! ## What it does
//! The rule fires if a live token exists but doesn't cover the action.
//!
//! `scope` is a list of globs. All paths of the action must match one, whatever its parameters are
//! called and however a diff names its files. So must the files that it declares, that were
//! observed to change, or that its result or observation names as artifacts; the grants must cover
//! writing them. A call without paths is compared by its tool. A scope of commands or tools alone
//! doesn't cover files. A command is compared by its line. A line with more than one plain command
//! (`;`, `|`, `>`, `$(…)`) is covered only by an entry that equals it. A path with `..` isn't
//! covered, nor is an invalid diff. A scope with an invalid glob covers nothing.
//!
//! An entry of `grants` is a type of action, a tool (a name or a glob), or a category: `read`,
//! `write`, `execute`, `network`, `git`, `admin`. One entry must grant the action; with categories,
//! they must include everything that the action does. With an empty list, a token covers only its
//! `subject`. An unknown entry grants nothing. It is a warning, unless the execution proposes a
//! tool with that name.
//!
//! For one execution, at most two million comparisons of globs with paths are made; what would need
//! more isn't covered.
//!
//! ## Why it matters
//! The scope limits an approval that covers more than one action. If it isn't enforced, permission
//! to work in the sources is permission to read the deployment's settings.
//!
//! ## How to fix it
//! Propose an action inside the scope, or ask for a token that covers it, with its own decision.
//! Don't widen `scope` to `**`; list what the task needs.
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
    code: Code(405),
    name: "capability-out-of-scope",
    severity: Severity::Error,
    aspect: Some(Aspect::Authorised),
    summary: "the token doesn't cover the action",
    source: include_str!("capability_out_of_scope.rs"),
    examples: &[
        include_str!("capability_out_of_scope.fails.jsonl"),
        include_str!("capability_out_of_scope.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution, Trigger::End], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    for (line, word) in cx.close.map_or(&[][..], |close| &close.unknown_grants) {
        let message = format!(
            "`{word}` isn't a type of action, a category or a tool that is called here: it grants nothing"
        );
        out.report(&RULE, message)
            .severity(Severity::Warning)
            .at_line(*line)
            .subject(&**word);
    }
    if let Some(TokenUse::OutOfScope(name)) = cx.step_facts.executed.as_ref().map(|r| &r.token) {
        out.report(
            &RULE,
            format!("the grants of token `{name}` don't cover the action"),
        )
        .below_if_present("/capabilityId")
        .subject(name.as_str());
    }
}
