//! A use of a skill, or a call of a tool, did what its declared permissions don't cover.
//!
//! ## What it does
//! Takes each turn that used a skill whose `meta.json` declares `permissions`, finds what its
//! actions did (the effects of commands, diffs and tool calls), and holds that against the rules:
//! globs of paths below the project for `file_system` (`read:` or `write:` narrows one), hosts for
//! `network`, programs for `command`. A path that is absolute is covered only by a rule that begins
//! with `/`, one that climbs out of the project or begins with `~` only by `/**`: where that is
//! isn't recorded. Programs count however they are run, by a shell or a tool call; a tool that runs
//! builds or tests by itself is a program by its name. What can't be told from the record is
//! covered only by a skill that may do everything (`**`, `*` and `*`). A skill that declares none
//! isn't judged; an empty list allows nothing. Skills that are used and have no declaration are
//! named, and then nothing is clear (exit code 3). `knowledge skills check` runs it.
//!
//! Tools in a `skill.json`, `tool.json` or `tools.json` below a folder of skills that declare
//! `permissions` are held to them at each call by their name, whichever skill is used: what the
//! name and the parameters of the call say, and what was seen to change. What only the code of the
//! tool knows is a warning.
//!
//! ## Why it matters
//! Permissions are what a reviewer agreed to. A skill that does more has changed, or never was what
//! it said.
//!
//! ## How to mend it
//! Keep the skill to what it declares, or declare more and have that reviewed.
//!
//! ## Fails
//! ```toml knowledge skills check --fail-on warning
//! [knowledge]
//! traces = ['trace.jsonl']
//! skills = ['skills']
//! ```
//! ```json skills/experimental/mend-build/meta.json
//! {"name":"mend-build","version":"1.0.0","intent":"mend a broken build","author":"ci","created_at":"2026-01-20","permissions":[{"type":"file_system","rules":["read:src/**"]},{"type":"command","rules":["cat"]}]}
//! ```
//! ```jsonl trace.jsonl
//! {"record":"turn","executionId":"e","turnId":1,"startTime":"2026-01-22T10:00:00.100Z","endTime":"2026-01-22T10:00:01.000Z","usedSkills":["mend-build"],"contextSnapshot":{"inputHash":"i","systemPromptVersion":"p","toolSetVersion":"t"},"proposedAction":{"id":"a1","type":"shell_cmd","payload":{"command":"cat /home/dev/notes.txt"},"riskLevel":"medium","reasoning":"It is red."},"executionResult":{"success":true,"output":"","durationMs":400.0,"cost":0.1}}
//! ```
//!
//! ## Passes
//! ```toml knowledge skills check --fail-on warning
//! [knowledge]
//! traces = ['trace.jsonl']
//! skills = ['skills']
//! ```
//! ```json skills/experimental/mend-build/meta.json
//! {"name":"mend-build","version":"1.0.0","intent":"mend a broken build","author":"ci","created_at":"2026-01-20","permissions":[{"type":"file_system","rules":["read:src/**"]},{"type":"command","rules":["cat"]}]}
//! ```
//! ```jsonl trace.jsonl
//! {"record":"turn","executionId":"e","turnId":1,"startTime":"2026-01-22T10:00:00.100Z","endTime":"2026-01-22T10:00:01.000Z","usedSkills":["mend-build"],"contextSnapshot":{"inputHash":"i","systemPromptVersion":"p","toolSetVersion":"t"},"proposedAction":{"id":"a1","type":"shell_cmd","payload":{"command":"cat src/main.rs"},"riskLevel":"medium","reasoning":"It is red."},"executionResult":{"success":true,"output":"","durationMs":400.0,"cost":0.1}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(912),
    name: "permission-exceeded",
    severity: Severity::Error,
    aspect: None,
    summary: "a use of a skill or a call of a tool did what its declared permissions don't cover",
    source: include_str!("yv912.rs"),
    check: Check::Policy,
};
