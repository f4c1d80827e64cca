//! An edge of the knowledge graph names a node that doesn't exist.
//!
//! ## What it does
//! The rule searches for both ends of each edge among the executions of the traces, the items of
//! the context bank, the skills, and the nodes in the graph's own files. The prefix of an id
//! (`exec:`, `ctx:`, `skill:`) may be missing on either side.
//!
//! ## Why it matters
//! An edge is evidence: this context was used in that execution, which validated that skill. If the
//! execution is missing, nobody can check the claim.
//!
//! ## How to fix it
//! Keep the traces to which the graph refers, or add them to the sources. If something was deleted
//! on purpose, archive its edges with it.
//!
//! ## Fails
//! ```toml knowledge reindex --fail-on warning
//! ```
//! ```jsonl graph.jsonl
//! ```
//!
//! ## Passes
//! ```toml knowledge reindex --fail-on warning
//! ```
//! ```jsonl graph.jsonl
//! ```

use crate::diag::{Code, Severity};
use crate::rules::{Check, Rule};

pub(super) const RULE: Rule = Rule {
    code: Code(902),
    name: "dangling-edge",
    severity: Severity::Warning,
    aspect: None,
    summary: "a graph edge names a node that doesn't exist",
    source: include_str!("dangling_edge.rs"),
    examples: &[
        include_str!("dangling_edge/fails/yuangs-verify.toml"),
        include_str!("dangling_edge/fails/graph.jsonl"),
        include_str!("dangling_edge/passes/yuangs-verify.toml"),
        include_str!("dangling_edge/passes/graph.jsonl"),
    ],
    check: Check::Policy,
};
