//! A use of a skill, or a call of a tool, did what its declared permissions don't cover.
//!
//! ## What it does
//! Takes each turn that used a skill whose `meta.json` declares `permissions`, finds what its
//! actions did (the effects of commands, diffs and tool calls), and holds that against the rules:
//! globs of paths below the project for `file_system` (`read:` or `write:` narrows one), hosts for
//! `network`, programs for `command`. A path that is absolute is covered only by a rule that begins
//! with `/`, one that climbs out of the project or begins with `~` only by `/**`: where that is
//! isn't recorded. Programs count however they are run, by a shell or a tool call; a tool that runs
//! builds or tests by itself is a program by its name. What the record doesn't show is
//! covered only by a skill that may do everything (`**`, `*` and `*`). A skill that declares none
//! isn't checked; an empty list allows nothing. Skills that are used and have no declaration are
//! named, and then nothing is clear (exit code 3). `knowledge skills check` runs it.
//!
//! Tools in a `skill.json`, `tool.json` or `tools.json` below a directory of skills that declare
//! `permissions` are held to them at each call by their name, whichever skill is used: what the
//! name and the parameters of the call say, and what was seen to change. What only the code of the
//! tool knows is a warning.
//!
//! ## Why it matters
//! Permissions are what a reviewer agreed to. A skill that does more has changed, or never was what
//! it said.
//!
//! ## How to fix it
//! Keep the skill to what it declares, or declare more and have that reviewed.
//!
//! ## Fails
//! ```toml knowledge skills check --fail-on warning
//! ```
//! ```json skills/experimental/mend-build/meta.json
//! ```
//! ```jsonl trace.jsonl
//! ```
//!
//! ## Passes
//! ```toml knowledge skills check --fail-on warning
//! ```
//! ```json skills/experimental/mend-build/meta.json
//! ```
//! ```jsonl trace.jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(912),
    name: "permission-exceeded",
    severity: Severity::Error,
    aspect: None,
    summary: "a use of a skill or a call of a tool did what its declared permissions don't cover",
    source: include_str!("permission_exceeded.rs"),
    examples: &[
        include_str!("permission_exceeded/fails/yuangs-verify.toml"),
        include_str!("permission_exceeded/fails/skills/experimental/mend-build/meta.json"),
        include_str!("permission_exceeded/fails/trace.jsonl"),
        include_str!("permission_exceeded/passes/yuangs-verify.toml"),
        include_str!("permission_exceeded/passes/skills/experimental/mend-build/meta.json"),
        include_str!("permission_exceeded/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
