//! A protected path was written without a human's approval.
//!
//! ## What it does
//! The rule compares the paths that an executed action wrote or removed with the list
//! `policies/protected.yaml`. Paths come from its diff, its parameters, its command and
//! `observedChanges`, or from `declaredChanges` if nothing was observed. The list contains
//! dependency manifests and lock files, `.env` and similar files, keys, `.git/`, `.ssh/`,
//! `node_modules/`, the gate's configuration, pipelines, hooks, settings of agents, editors and
//! tools, and start-up files.
//!
//! The rule fires unless a human approved the action, or the format doesn't record who did. Failed
//! tool calls and diffs have written nothing.
//!
//! ## Why it matters
//! These files determine what else is executed: one line in a manifest adds foreign code, one in
//! `.git/config` runs it at the next command. A policy that allows edits was hardly meant for them.
//!
//! ## How to fix it
//! Make the policy ask a human for protected paths (`path: { protected: true }`, effect
//! `require_approval`), and propose such a change as an action of its own.
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
    code: Code(705),
    name: "protected-path",
    severity: Severity::Error,
    aspect: None,
    summary: "a protected path was written without a human's approval",
    source: include_str!("protected_path.rs"),
    examples: &[
        include_str!("protected_path.fails.jsonl"),
        include_str!("protected_path.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution], check),
};

/// Maximum number of paths to name; the rest is counted.
const MOST: usize = 5;

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(ran) = cx
        .step_facts
        .executed
        .as_ref()
        .filter(|r| !r.protected.is_empty())
    else {
        return;
    };
    let shown: Vec<String> = ran
        .protected
        .iter()
        .take(MOST)
        .map(|p| format!("`{p}`"))
        .collect();
    let more = ran.protected.len().saturating_sub(MOST);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let verb = if ran.protected.len() == 1 {
        "is"
    } else {
        "are"
    };
    out.report(
        &RULE,
        format!(
            "{}{more} {verb} protected, and no human approved the action",
            shown.join(", ")
        ),
    )
    .below_if_present("/observedChanges")
    .subject(subject(ran.protected.iter().map(|p| &**p)))
    .related(ran.decision_line.unwrap_or_default(), "the decision");
}
