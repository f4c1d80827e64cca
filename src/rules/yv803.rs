//! A credential stands in a record.
//!
//! ## What it does
//! Looks in every string of a record for private keys, tokens of clouds, forges, registries and
//! chats, JSON web tokens, passwords in URLs, and random-looking values that are given to a name
//! such as `DB_PASSWORD` or `apiKey`. Where a token carries a checksum it is computed; values that
//! vendors print in their documentation, placeholders and references to variables are no findings.
//! The finding names the rule, the first characters, the length and the beginning of a hash. The
//! secret itself is shown nowhere: not in the excerpt, not by any other finding that would quote
//! it. A secret that stands in several records of an execution is one finding.
//! `yuangs-verify secrets list` prints the rules.
//!
//! ## Why it matters
//! A trace is made to be read: it is attached to a pull request, kept as an artifact, sent to a
//! model. Whoever reads it can use what stands in it, and goes on being able to after the line has
//! been deleted.
//!
//! ## How to mend it
//! Revoke the credential first; then find out how it came into the context (a file that was read,
//! an environment that was printed) and keep it out there. Deleting it from the trace alone mends
//! nothing.
//!
//! ## Fails
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"It says DB_PASSWORD=q7Zk2vX9pLm4Ws8T, and is there.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```
//!
//! ## Passes
//! ```jsonl
//! {"record":"execution_started","executionId":"exec_1","timestamp":1768800000000,"schemaVersion":"1.0","rootIntent":"Check that README.md exists","fsmVersion":"1","policy":{"digest":"sha256:7d1a"}}
//! {"record":"thought_generated","executionId":"exec_1","turnId":1,"timestamp":1768800000100,"thought":{"reasoning":"It says DB_PASSWORD=${VAULT_DB_PASSWORD_2}, and is there.","done":true},"contextSnapshot":{"inputHash":"5f2a","systemPromptVersion":"p3","toolSetVersion":"t7"}}
//! {"record":"evaluation_made","executionId":"exec_1","turnId":1,"timestamp":1768800000110,"evaluation":{"kind":"terminate","reason":"goal_satisfied"}}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(803),
    name: "secret-in-trace",
    severity: Severity::Error,
    aspect: None,
    summary: "a credential stands in a record",
    source: include_str!("yv803.rs"),
    check: Check::Reader,
};
