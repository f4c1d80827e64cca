//! An action that ran reaches out of the work tree.
//!
//! ## What it does
//! Paths in the headers of diffs, in the parameters of tools, among the effects of commands and in
//! `observedChanges` are followed: `..` that climbs out, system directories, settings of a home
//! directory, whatever `~`, `$HOME`, `%USERPROFILE%` and their kin name, network shares, and
//! disguises of git's own directory (`.GIT`, `.git `, `git~1`, characters that a file system
//! ignores). Of a diff every name counts that `git apply` would refuse, names of devices and
//! streams of Windows included. Of commands only writes and removals count; `cwd` says where a
//! command starts. A record seldom says where its work tree is, so an absolute path that may be
//! inside it is left alone; and where a human has approved the action, only what is disguised
//! counts.
//!
//! ## Why it matters
//! The work tree is what a review covers and what can be undone. A write to a shell's settings, to
//! `~/.ssh` or through a hook of git outlives the execution and runs with the rights of whoever
//! works there next.
//!
//! ## How to fix it
//! Write below the work tree, by relative paths. What has to go elsewhere is an action for a human
//! to approve; run agents where nothing else can be written.
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
    code: Code(703),
    name: "path-escapes-workdir",
    severity: Severity::Error,
    aspect: None,
    summary: "a path leaves the work tree (.., absolute, symlink, case or Unicode tricks)",
    source: include_str!("path_escapes_workdir.rs"),
    examples: &[
        include_str!("path_escapes_workdir.fails.jsonl"),
        include_str!("path_escapes_workdir.passes.jsonl"),
    ],
    check: Check::Step(&[Trigger::Execution], check),
};

/// Maximum number of paths to report; the rest is counted.
const MOST: usize = 5;

fn check(cx: &RuleContext<'_, '_, '_>, out: &mut Sink) {
    let Some(ran) = &cx.step_facts.executed else {
        return;
    };
    for leaving in ran.leaves.iter().take(MOST) {
        out.report(
            &RULE,
            format!("`{}` leaves the work tree: {}", leaving.path, leaving.why),
        )
        .subject(leaving.path.as_str())
        .related(
            cx.execution.turn().proposal.as_ref().map_or(0, |p| p.line),
            "the action was proposed here",
        );
    }
    if ran.leaves.len() > MOST {
        out.report(
            &RULE,
            format!("{} more paths leave the work tree", ran.leaves.len() - MOST),
        )
        .subject(subject(
            ran.leaves.iter().skip(MOST).map(|l| l.path.as_str()),
        ));
    }
}
