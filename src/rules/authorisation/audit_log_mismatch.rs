//! A permission audit log and the calls of the sessions contradict each other.
//!
//! ## What it does
//! `replay --audit-log FILE` reads a log with one line for each permission check: `toolName`,
//! `args`, `allowed` and, if the tool was executed, `result`. The log has neither sessions nor ids,
//! so calls are recognised by tool and arguments; each line answers for one call. The rule fires
//! for
//!
//! - a call that was executed although the log denies it,
//! - an executed call that the log doesn't contain,
//! - a line that allowed a call which no session contains.
//!
//! ## Why it matters
//! The log shows what the permission check answered, and the session what the agent did. If they
//! differ, a call went around the check, the runtime ignored the answer, or one of the two files
//! was changed.
//!
//! ## How to fix it
//! Check that every tool is called through the permission check, and that a denial ends the call.
//! Give `replay` all sessions that the log covers.
//!
//! ## Fails
//! ```jsonl replay --audit-log audit.jsonl
//! ```
//! ```jsonl
//! ```
//!
//! ## Passes
//! ```jsonl replay --audit-log audit.jsonl
//! ```
//! ```jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(332),
    name: "audit-log-mismatch",
    severity: Severity::Error,
    aspect: None,
    summary: "a permission audit log contradicts the calls of the sessions",
    source: include_str!("audit_log_mismatch.rs"),
    examples: &[
        include_str!("audit_log_mismatch/fails/audit.jsonl"),
        include_str!("audit_log_mismatch/fails/session.jsonl"),
        include_str!("audit_log_mismatch/passes/audit.jsonl"),
        include_str!("audit_log_mismatch/passes/session.jsonl"),
    ],
    check: Check::Policy,
};
