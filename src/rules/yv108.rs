//! The format of an input can't be told.
//!
//! ## What it does
//! The format of an input is told by the members of its records, never by the name of the file. The
//! rule fires when records come before the first one that is shaped like a record of a known
//! format, or when there is none. They are refused, and only searched for secrets (YV803) and
//! hidden text (YV804). The finding says how many they are, and what they look like where that is
//! known: a session of Claude Code, an OpenTelemetry export. A run whose only inputs are of unknown
//! formats ends with 3. `--format-in` names the format by hand; then broken records are found as
//! such (YV103). Several programs write records with `type`, `data` and `timestamp`: only an
//! `executionId` or a type of the event log decides that it is one.
//!
//! ## Why it matters
//! A trace that nobody can read must not count as a trace without findings. Otherwise a renamed
//! member or a new runtime version would turn the gate off, and nobody would notice.
//!
//! ## How to mend it
//! Write version 1 records, with `record` and `executionId` in each line, or convert the log to it.
//! If the file is no trace, take it out of the folder that is verified.
//!
//! ## Fails
//! ```jsonl
//! {"event":"start","run":"exec_1","goal":"Check that README.md exists"}
//! {"event":"thought","run":"exec_1","step":1,"text":"It exists.","done":true}
//! {"event":"verdict","run":"exec_1","step":1,"result":"goal_satisfied"}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"It exists.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(108),
    name: "unknown-format",
    severity: Severity::Error,
    aspect: None,
    summary: "the format of an input can't be told",
    source: include_str!("yv108.rs"),
    check: Check::Reader,
};
