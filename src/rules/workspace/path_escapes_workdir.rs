//! An executed action changes something outside the work tree.
//!
//! ## What it does
//! The rule checks paths in the headers of diffs, in the parameters of tools, in the effects of
//! commands, and in `observedChanges`. It reports:
//!
//! - `..` that leaves the work tree
//! - system directories, and settings in a home directory, also by `~`, `$HOME` or `%USERPROFILE%`
//! - network shares
//! - disguises of git's own directory (`.GIT`, `.git `, `git~1`, characters that a file system
//!   ignores)
//! - every name in a diff that `git apply` would refuse, including device names and streams of
//!   Windows
//!
//! Of commands, only writes and removals count; `cwd` is where a command starts. A record seldom
//! contains the path of its work tree, so an absolute path that may be inside it isn't reported. If
//! a human approved the action, only disguised paths are reported.
//!
//! ## Why it matters
//! A review covers the work tree, and changes in it can be undone. A write to a shell's settings,
//! to `~/.ssh` or to a git hook remains after the execution and runs with the rights of the next
//! user.
//!
//! ## How to fix it
//! Write inside the work tree, by relative paths. Anything else should be an action that a human
//! approves. Run agents where nothing else is writable.
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
