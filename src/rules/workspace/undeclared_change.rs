//! Observed changes differ from declared ones.
//!
//! ## What it does
//! `declaredChanges` of the proposal is compared with `observedChanges` of the result, as sets of
//! paths; a leading `./` and doubled slashes don't count. Changed without being declared is a
//! finding; declared and not changed is one too, unless the action failed. If changes were observed
//! and none were declared, all of them are undeclared. Without `observedChanges` nothing is
//! compared.
//!
//! With `--repo`, what the executed diffs change is compared with the same lists, and with `--head`
//! against that commit: a file that only one of both changes, or that they leave with different
//! content, is a finding. Content that a tool call records counts as a diff does; naming a file
//! accounts for none. So is a commit that can't have come about as recorded because a diff doesn't
//! apply, also where YV702 is but a warning.
//!
//! ## Why it matters
//! The approval was given for the declared files. A change besides, here to the build pipeline, is
//! what a reviewer of the diff would never see: a hook, a workflow, a lock file that brings its own
//! code along.
//!
//! ## How to fix it
//! Declare all paths that an action is to change, generated ones too. In a review read the extra
//! files first; revert what nobody asked for, and propose it as an action of its own.
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
        parts.push(format!("declared and not changed: {}", list(absent)));
    }
    let about = [
        subject(extra.iter().map(String::as_str)),
        subject(absent.iter().map(String::as_str)),
    ];
    out.report(&RULE, parts.join("; "))
        .below_if_there("/observedChanges")
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
