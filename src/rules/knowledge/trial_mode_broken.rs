//! A skill on trial did what the mode of its trial forbids.
//!
//! ## What it does
//! Takes each turn that used a skill whose `meta.json` has a `trial`, or every turn with `--trial`,
//! and holds what was recorded against the mode: in a `dry-run` nothing ran; `read-only` changed
//! nothing, contacted nobody and ran nothing whose effects are unknown; `limited` stayed within
//! `timeMs`, `memoryBytes` (as `result.metadata.memoryBytes` records it) and `paths`, which are
//! globs as those of YV912. A limit that the record can't prove is a warning. Where a format
//! records movements of the state alone, a movement into `EXECUTING` or `OBSERVING` says that
//! something ran, and nobody knows what. `knowledge skills check` runs it.
//!
//! ## Why it matters
//! A trial shows what a skill does before it may do it. If the mode isn't kept, the damage that it
//! was to prevent is done by the test.
//!
//! ## How to fix it
//! Run trials where the mode is enforced and not only asked for, and record time and memory.
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
    code: Code(913),
    name: "trial-mode-broken",
    severity: Severity::Error,
    aspect: None,
    summary: "a skill on trial did what the mode of its trial forbids",
    source: include_str!("trial_mode_broken.rs"),
    examples: &[
        include_str!("trial_mode_broken/fails/yuangs-verify.toml"),
        include_str!("trial_mode_broken/fails/skills/experimental/mend-build/meta.json"),
        include_str!("trial_mode_broken/fails/trace.jsonl"),
        include_str!("trial_mode_broken/passes/yuangs-verify.toml"),
        include_str!("trial_mode_broken/passes/skills/experimental/mend-build/meta.json"),
        include_str!("trial_mode_broken/passes/trace.jsonl"),
    ],
    check: Check::Policy,
};
