//! The token doesn't cover the action.
//!
//! ## What it does
//! A live token is there, but doesn't reach the action. `scope` is a list of globs: all paths that
//! the action touches must match one, whatever its parameters are called and however a diff names
//! its files; so must the files that it declares, that were seen to change, or that its result or
//! its observation names as artifacts, and what is granted must cover writing them. A call without
//! paths is compared by its tool. A scope of commands or tools alone says nothing of files. A
//! command is compared by its line, and a line that is more than one plain command (`;`, `|`, `>`,
//! `$(…)`) only by a glob that spells it out. A word of `grants` is a type of action, a category
//! (`read`, `write`, `execute`, `network`, `git`, `admin`: everything that the action does must be
//! in those that are granted) or a tool, by name or by a glob; one of them must grant the action.
//! With an empty list a token covers its `subject` alone. A word that is none of them grants
//! nothing, and is a warning where the execution doesn't propose a tool of that name. A path that
//! climbs with `..` isn't covered, nor is a diff that can't be read, and a scope with a glob that
//! can't be read covers nothing. One execution gets two million comparisons of globs with paths;
//! what comes behind that isn't covered.
//!
//! ## Why it matters
//! The scope is the fence around an approval that covers more than one action. If it isn't kept,
//! the right to work in the sources is the right to read the deployment's settings.
//!
//! ## How to fix it
//! Propose an action inside the scope, or ask for a token that covers it, with a decision of its
//! own. Don't widen `scope` to `**`; list what the task needs.
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
            "`{word}` is no type of action, no category and no tool that is called here: it grants nothing"
        );
        out.report(&RULE, message)
            .severity(Severity::Warning)
            .at_line(*line)
            .subject(&**word);
    }
    if let Some(TokenUse::OutOfScope(name)) = cx.step_facts.executed.as_ref().map(|r| &r.token) {
        out.report(
            &RULE,
            format!("what token `{name}` grants doesn't cover the action"),
        )
        .below_if_there("/capabilityId")
        .subject(name.as_str());
    }
}
