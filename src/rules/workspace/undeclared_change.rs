//! Observed changes differ from declared ones.
//!
//! ## What it does
//! `declaredChanges` of the proposal is compared with `observedChanges` of the result, as sets of
//! paths; a leading `./` and doubled slashes are ignored. A path that was changed but not declared
//! is a finding. So is one that was declared but not changed, unless the action failed. If changes
//! were observed and none were declared, all of them are undeclared. Without `observedChanges`,
//! nothing is compared.
//!
//! With `--repo`, the changes of the executed diffs are compared with the same lists. With
//! `--head`, they are also compared with that commit. A file that only one of them changes, or
//! whose content differs, is a finding. Content recorded by a tool call counts like a diff; the
//! name of a file alone doesn't account for it. A commit that can't have been created as recorded,
//! because a diff doesn't apply, is a finding too, even if YV702 is only a warning.
//!
//! ## Why it matters
//! The approval was given for the declared files. An additional change, here to the build pipeline,
//! is one that a reviewer of the diff would never see: a hook, a workflow, a lock file that adds
//! foreign code.
//!
//! ## How to fix it
//! Declare all paths that an action will change, including generated ones. In a review, read the
//! extra files first. Revert unrequested changes, and propose them as an action of their own.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity, subject};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(704),
    name: "undeclared-change",
    severity: Severity::Error,
    aspect: None,
    summary: "observed changes differ from declared ones",
    source: include_str!("undeclared_change.rs"),
    examples: &[
        include_str!("undeclared_change.fails.jsonl"),
        include_str!("undeclared_change.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some((extra, absent)) = cx
        .step_facts
        .executed
        .as_ref()
        .and_then(|r| r.undeclared.as_ref())
    else {
        return;
    };
    let mut parts = Vec::new();
    if !extra.is_empty() {
        parts.push(format!("changed without being declared: {}", list(extra)));
    }
    if !absent.is_empty() {
        parts.push(format!("declared but not changed: {}", list(absent)));
    }
    let about = [
        subject(extra.iter().map(String::as_str)),
        subject(absent.iter().map(String::as_str)),
    ];
    out.report(&RULE, parts.join("; "))
        .below_if_present("/observedChanges")
        .subject(subject(about.iter().map(|paths| &**paths)));
}

/// Formats the first few paths, in backticks.
fn list(paths: &[String]) -> String {
    const MOST: usize = 5;
    let mut shown: Vec<String> = paths.iter().take(MOST).map(|p| format!("`{p}`")).collect();
    if paths.len() > MOST {
        shown.push(format!("{} more", paths.len() - MOST));
    }
    shown.join(", ")
}
