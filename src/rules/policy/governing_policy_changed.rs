//! An execution changed the policy that governed it.
//!
//! ## What it does
//! The rule compares the paths that an executed action wrote, removed or moved with the files of
//! the policies that govern the execution: `policy.path` of its start, the `[policy] file` of the
//! gate's configuration, and the file that `policy replay`, `replay --mode re-evaluate` or `audit`
//! gets with `--policy`. A policy that `policy replay` finds by its digest (`--policy-path`,
//! `--policy-repo`) governs the executions that record this digest.
//!
//! Paths come from the action's diff, parameters and command, and from `observedChanges` and
//! artifacts. Removing or moving a directory affects every file in it.
//!
//! The rule fires whatever approved the action, a human included. Failed tool calls and diffs have
//! written nothing. If the work tree isn't recorded, an absolute path that ends with the relative
//! path of the policy counts as that file.
//!
//! ## Why it matters
//! An agent that can edit its policy isn't governed by it: the next decision follows the rules that
//! the agent wrote. An approval of such a change within the execution rests on the policy that it
//! replaces.
//!
//! ## How to fix it
//! Deny changes of policies to agents (`path: { glob: 'policies/**', access: [write, delete] }`).
//! Change a policy between executions, in a change of its own that `policy compare` checks.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Severity, subject};
use crate::rules::{Check, Rule, RuleContext, Sink, Trigger, codes};

pub(super) const RULE: Rule = Rule {
    code: codes::GOVERNING_POLICY_CHANGED,
    name: "governing-policy-changed",
    severity: Severity::Error,
    aspect: None,
    summary: "an execution changed the policy that governed it",
    source: include_str!("governing_policy_changed.rs"),
    examples: &[
        include_str!("governing_policy_changed.fails.jsonl"),
        include_str!("governing_policy_changed.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution], check),
};

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let executed = cx.step_facts.executed.as_ref();
    let Some(executed) = executed.filter(|executed| !executed.policies.is_empty()) else {
        return;
    };
    for path in &executed.policies {
        out.report(
            &RULE,
            format!("the action changed `{path}`, the policy that governs the execution"),
        )
        .below_if_present("/observedChanges")
        .subject(subject([&**path]))
        .related(executed.decision_line.unwrap_or_default(), "the decision");
    }
}
