//! An edge of the knowledge graph names a node that nobody knows.
//!
//! ## What it does
//! Takes both ends of each edge and looks for them among the executions of the traces, the items of
//! the context bank, the skills, and the nodes of the graph's own files. The part before the first
//! `:` (`exec:`, `ctx:`, `skill:`) may be missing on either side.
//!
//! ## Why it matters
//! An edge is evidence: this context was used in that execution, which validated that skill. If the
//! execution isn't there, nobody can look at what is claimed.
//!
//! ## How to mend it
//! Keep the traces that the graph rests on, or name them among the sources. Edges to what was
//! deleted on purpose can be archived with it.
//!
//! ## Fails
//! ```toml knowledge reindex --fail-on warning
//! [knowledge]
//! graph = ['graph.jsonl']
//! ```
//! ```jsonl graph.jsonl
//! {"id":"ctx:readme","type":"context","timestamp":1769040000000}
//! {"from":"ctx:readme","to":"exec:react-fix","type":"used_in","timestamp":1769040000000}
//! ```
//!
//! ## Passes
//! ```toml knowledge reindex --fail-on warning
//! [knowledge]
//! graph = ['graph.jsonl']
//! ```
//! ```jsonl graph.jsonl
//! {"id":"ctx:readme","type":"context","timestamp":1769040000000}
//! {"id":"exec:react-fix","type":"execution","timestamp":1769040000000}
//! {"from":"ctx:readme","to":"exec:react-fix","type":"used_in","timestamp":1769040000000}
//! ```

use super::{Check, Rule};
use crate::diag::{Code, Severity};

pub(super) const RULE: Rule = Rule {
    code: Code(902),
    name: "dangling-edge",
    severity: Severity::Warning,
    aspect: None,
    summary: "a graph edge names a node nobody knows",
    source: include_str!("yv902.rs"),
    check: Check::Policy,
};
