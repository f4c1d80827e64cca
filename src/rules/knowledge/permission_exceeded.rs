//! A use of a skill, or a call of a tool, did something that its declared permissions don't cover.
//!
//! ## What it does
//! The rule checks each turn that used a skill whose `meta.json` declares `permissions`. It
//! determines the effects of the turn's commands, diffs and tool calls, and compares them with the
//! permissions:
//!
//! - `file_system`: globs of paths in the project; the prefix `read:` or `write:` limits a glob to
//!   one kind of access.
//! - `network`: globs of hosts, or requests as `METHOD:SCHEME://HOST:PORT/PATH`. `*` means any
//!   method, scheme or port, and any text in host and path. A request whose method or path isn't
//!   known is covered only where a rule leaves it open.
//! - `command`: programs, whether a shell or a tool call runs them. A tool that itself runs builds
//!   or tests counts as a program with the tool's name. A rule of several words, as `git diff`,
//!   matches commands that begin with them.
//!
//! The rules are a list, or an object with `allow` and `deny`. An effect that a rule of `deny` may
//! be about isn't covered. `permissions` may also be the name of a template in the policy that
//! `[knowledge] permissions` names.
//!
//! An absolute path is covered only by a glob that begins with `/`. A path that leaves the project
//! or begins with `~` is covered only by `/**`, because its location isn't recorded. Effects that
//! the record doesn't show are covered only if the skill may do everything (`**`, `*` and `*`).
//!
//! A skill without `permissions` isn't checked; an empty list allows nothing. Used skills that have
//! no declaration are listed, and the check ends with exit code 3. `knowledge skills check` runs
//! this rule.
//!
//! Tools may declare `permissions` as well, in a `skill.json`, `tool.json` or `tools.json` in a
//! directory of skills. Each call of such a tool is checked by its name, whichever skill is used:
//! the name and parameters of the call, and the observed changes. Effects that depend on the tool's
//! code are a warning.
//!
//! ## Why it matters
//! A reviewer approved the declared permissions. A skill that does more has changed since, or never
//! was what it claimed to be.
//!
//! ## How to fix it
//! Limit the skill to what it declares, or declare more and have the change reviewed.
//!
//! ## Fails
//! ```toml knowledge skills check --fail-on warning
//! ```
//! ```json skills/experimental/fix-build/meta.json
//! ```
//! ```jsonl trace.jsonl
//! ```
//!
//! ## Passes
//! ```toml knowledge skills check --fail-on warning
//! ```
//! ```json skills/experimental/fix-build/meta.json
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
        include_str!("permission_exceeded/fails/skills/experimental/fix-build/meta.json"),
        include_str!("permission_exceeded/fails/trace.jsonl"),
        include_str!("permission_exceeded/passes/yuangs-verify.toml"),
        include_str!("permission_exceeded/passes/skills/experimental/fix-build/meta.json"),
        include_str!("permission_exceeded/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
