//! A policy approved an action as low risk, but the action changed files.
//!
//! ## What it does
//! `declaredChanges`, `observedChanges` and the `artifacts` of a result raise the risk of their
//! action: an action that changes files isn't low risk. The rule fires if a policy approved an
//! action as low risk and the action changed files. A human's approval covers the changes. An
//! action that names the file it writes has a higher risk anyway. For a failed action, only
//! observed changes count. A file that the action read isn't an artifact of it. The `artifacts` of
//! an `answer` don't count.
//!
//! ## Why it matters
//! Low-risk actions are executed without a person. A "read" that changed a file either did
//! something else than it claims, or hides a change that nobody approved.
//!
//! ## How to fix it
//! Find out what changed the files, and revert unrequested changes. Propose the change as an action
//! of its own, with a tool that writes.
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
    code: Code(323),
    name: "effect-beyond-risk",
    severity: Severity::Error,
    aspect: None,
    summary: "a low-risk action that a policy approved changed files",
    source: include_str!("effect_beyond_risk.rs"),
    examples: &[
        include_str!("effect_beyond_risk.fails.jsonl"),
        include_str!("effect_beyond_risk.passes.jsonl"),
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
        .filter(|r| !r.beyond_risk.is_empty())
    else {
        return;
    };
    let shown: Vec<String> = ran
        .beyond_risk
        .iter()
        .take(MOST)
        .map(|p| format!("`{p}`"))
        .collect();
    let more = ran.beyond_risk.len().saturating_sub(MOST);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    out.report(
        &RULE,
        format!(
            "a policy approved the action as low risk, and it changed {}{more}",
            shown.join(", ")
        ),
    )
    .below_if_present("/observedChanges")
    .subject(subject(ran.beyond_risk.iter().map(|p| &**p)))
    .below_if_present("/result/artifacts")
    .below_if_present("/artifacts")
    .related(
        cx.execution.turn().proposal.as_ref().map_or(0, |p| p.line),
        "the action was proposed here",
    )
    .related(ran.decision_line.unwrap_or_default(), "the decision");
}
