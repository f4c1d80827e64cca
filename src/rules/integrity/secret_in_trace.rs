//! A record contains a credential.
//!
//! ## What it does
//! Looks in every string of a record for private keys, tokens of clouds, forges, registries and
//! chats, JSON web tokens, passwords in URLs, and random-looking values that are given to a name
//! such as `DB_PASSWORD` or `apiKey`. Where a token carries a checksum it is computed; values that
//! vendors print in their documentation, placeholders and references to variables are no findings.
//! The finding names the rule, the first characters, the length and the beginning of a hash. The
//! secret itself is shown nowhere: not in the excerpt, not by any other finding that would quote
//! it. A secret in several records of an execution is one finding.
//! `yuangs-verify secrets list` prints the rules.
//!
//! ## Why it matters
//! A trace is made to be read: it is attached to a pull request, kept as an artifact, sent to a
//! model. Whoever reads it can use what it contains, and goes on being able to after the line has
//! been deleted.
//!
//! ## How to fix it
//! Revoke the credential first; then find out how it came into the context (a file that was read,
//! an environment that was printed) and keep it out there. Deleting it from the trace alone fixes
//! nothing.
//!
//! ## Fails
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(803),
    name: "secret-in-trace",
    severity: Severity::Error,
    aspect: None,
    summary: "a record contains a credential",
    source: include_str!("secret_in_trace.rs"),
    examples: &[
        include_str!("secret_in_trace.fails.jsonl"),
        include_str!("secret_in_trace.passes.jsonl"),
    ],
    check: Check::Reader,
};
