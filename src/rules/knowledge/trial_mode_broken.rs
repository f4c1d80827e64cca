//! A skill on trial did something that the mode of its trial forbids.
//!
//! ## What it does
//! The rule checks each turn that used a skill whose `meta.json` has a `trial`, or every turn with
//! `--trial`. The mode determines what is allowed:
//!
//! - `dry-run`: nothing may be executed.
//! - `read-only`: nothing may be changed, no other machine contacted, and nothing with unknown
//!   effects executed.
//! - `limited`: the turn must stay within the limits.
//! - `full`: everything else that the permissions allow.
//!
//! In every mode, the turn must stay within the limits that the trial names: `timeMs` (or
//! `timeout`), `memoryBytes` (or `maxMemory`, as recorded in `result.metadata.memoryBytes`),
//! `paths` (or `allowedPaths`), which are globs like those of YV912, and `networkAllowed`. With
//! `networkAllowed: true`, a `read-only` trial may contact other machines.
//!
//! In a dry run, an action whose result says `"simulated": true` wasn't executed, unless the record
//! shows changes.
//!
//! If the record can't prove that a limit was kept, the finding is a warning. Some formats record
//! only transitions of the state. There, a transition to `EXECUTING` or `OBSERVING` means that an
//! unknown action was executed. `knowledge skills check` runs this rule.
//!
//! ## Why it matters
//! A trial shows what a skill does before it is allowed to do it. If the mode isn't enforced, the
//! test itself does the damage that it should prevent.
//!
//! ## How to fix it
//! Run trials in an environment that enforces the mode, and record time and memory.
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
    code: Code(913),
    name: "trial-mode-broken",
    severity: Severity::Error,
    aspect: None,
    summary: "a skill on trial did what the mode of its trial forbids",
    source: include_str!("trial_mode_broken.rs"),
    examples: &[
        include_str!("trial_mode_broken/fails/yuangs-verify.toml"),
        include_str!("trial_mode_broken/fails/skills/experimental/fix-build/meta.json"),
        include_str!("trial_mode_broken/fails/trace.jsonl"),
        include_str!("trial_mode_broken/passes/yuangs-verify.toml"),
        include_str!("trial_mode_broken/passes/skills/experimental/fix-build/meta.json"),
        include_str!("trial_mode_broken/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
