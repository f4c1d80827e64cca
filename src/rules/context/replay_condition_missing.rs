//! The conditions of the decisions are unknown.
//!
//! ## What it does
//! Explaining a decision requires the prompt, the tools and the policy at that moment. This note is
//! given once per execution if `execution_started` has no `policy`, a thought has no
//! `contextSnapshot` (with `systemPromptVersion` and `toolSetVersion`), or a `contextDiff` has no
//! `items` next to it for comparison. It lists what is missing. Native formats have YV212 instead.
//!
//! ## Why it matters
//! A decision without its conditions can't be checked against another policy or reproduced after an
//! incident. Replacing the prompt or the policy for a day then leaves no trace.
//!
//! ## How to fix it
//! Record the digest of the policy in the start, and the snapshot with each thought: hashes and
//! versions, no contents. The versions should change whenever the prompt or the tools do.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger};

pub(super) const RULE: Rule = Rule {
    code: Code(606),
    name: "replay-condition-missing",
    severity: Severity::Note,
    aspect: None,
    summary: "the conditions of the decisions are unknown",
    source: include_str!("replay_condition_missing.rs"),
    examples: &[
        include_str!("replay_condition_missing.fails.jsonl"),
        include_str!("replay_condition_missing.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::End], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    if let Some(what) = cx.close.and_then(|c| c.conditions_missing) {
        out.report(
            &RULE,
            format!("not recorded: {what}; the conditions of the decisions can't be determined"),
        )
        .at_line(cx.execution.first_line());
    }
}
