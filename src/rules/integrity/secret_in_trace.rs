//! A record contains a credential.
//!
//! ## What it does
//! The rule searches every string of a record for these credentials:
//!
//! - private keys and JSON web tokens
//! - tokens of cloud, forge, registry and chat services
//! - passwords in URLs
//! - random-looking values assigned to a name such as `DB_PASSWORD` or `apiKey`
//!
//! Checksums of tokens are verified. Example values from vendors' documentation, placeholders and
//! references to variables aren't findings.
//!
//! The finding contains the rule, the first characters, the length and the beginning of a hash. The
//! secret itself never appears: not in the excerpt, and not in another finding that would quote it.
//! A secret in several records of an execution is one finding. `yuangs-verify secrets list` prints
//! the rules.
//!
//! ## Why it matters
//! Traces are made to be read: they are attached to a pull request, kept as an artifact, sent to a
//! model. Any reader can use the credential, even after the line has been deleted.
//!
//! ## How to fix it
//! Revoke the credential first. Then find out how it came into the context (a file that was read,
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
