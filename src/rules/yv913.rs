//! A skill on trial did what the mode of its trial forbids.
//!
//! ## What it does
//! Takes each turn that used a skill whose `meta.json` has a `trial`, or every turn with `--trial`,
//! and holds what was recorded against the mode: in a `dry-run` nothing ran; `read-only` changed
//! nothing, contacted nobody and ran nothing whose doings can't be told; `limited` stayed within
//! `timeMs`, `memoryBytes` (as `result.metadata.memoryBytes` records it) and `paths`, which are
//! globs as those of YV912. A limit that the record can't prove is a warning. Where a format
//! records movements of the state alone, a movement into `EXECUTING` or `OBSERVING` says that
//! something ran, and nobody knows what. `knowledge skills check` runs it.
//!
//! ## Why it matters
//! A trial shows what a skill does before it may do it. If the mode isn't kept, the damage that it
//! was to prevent is done by the test.
//!
//! ## How to mend it
//! Run trials where the mode is enforced and not only asked for, and record time and memory.
//!
//! ## Fails
//! ```toml knowledge skills check --fail-on warning
//! [knowledge]
//! traces = ['trace.jsonl']
//! skills = ['skills']
//! ```
//! ```json skills/experimental/mend-build/meta.json
//! {"name":"mend-build","version":"1.0.0","intent":"mend a broken build","author":"ci","created_at":"2026-01-20","trial":{"mode":"read-only"}}
//! ```
//! ```jsonl trace.jsonl
//! {"record":"turn","executionId":"e","turnId":1,"startTime":"2026-01-22T10:00:00.100Z","endTime":"2026-01-22T10:00:01.000Z","usedSkills":["mend-build"],"contextSnapshot":{"inputHash":"i","systemPromptVersion":"p","toolSetVersion":"t"},"proposedAction":{"id":"a1","type":"shell_cmd","payload":{"command":"rm src/old.rs"},"riskLevel":"medium","reasoning":"It is red."},"executionResult":{"success":true,"output":"","durationMs":400.0,"cost":0.1}}
//! ```
//!
//! ## Passes
//! ```toml knowledge skills check --fail-on warning
//! [knowledge]
//! traces = ['trace.jsonl']
//! skills = ['skills']
//! ```
//! ```json skills/experimental/mend-build/meta.json
//! {"name":"mend-build","version":"1.0.0","intent":"mend a broken build","author":"ci","created_at":"2026-01-20","trial":{"mode":"read-only"}}
//! ```
//! ```jsonl trace.jsonl
//! {"record":"turn","executionId":"e","turnId":1,"startTime":"2026-01-22T10:00:00.100Z","endTime":"2026-01-22T10:00:01.000Z","usedSkills":["mend-build"],"contextSnapshot":{"inputHash":"i","systemPromptVersion":"p","toolSetVersion":"t"},"proposedAction":{"id":"a1","type":"shell_cmd","payload":{"command":"cat src/main.rs"},"riskLevel":"medium","reasoning":"It is red."},"executionResult":{"success":true,"output":"","durationMs":400.0,"cost":0.1}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(913),
    name: "trial-mode-broken",
    severity: Severity::Error,
    aspect: None,
    summary: "a skill on trial did what the mode of its trial forbids",
    source: include_str!("yv913.rs"),
    check: Check::Policy,
};
