//! The explanation as JSON. Its schema is `explain`.

use crate::trajectory::context::References;
use crate::trajectory::graph::{Evidence, Graph};
use crate::trajectory::model::{ExecutionSet, FindingNote, Trajectory};
use crate::verify::timeline::CommandRun;
use schemars::JsonSchema;
use serde::Serialize;

/// The version of this shape. It grows by members; a change of meaning makes a new version.
const VERSION: u32 = 1;

/// What `explain --format json` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document<'b> {
    /// The version of this shape.
    pub version: u32,
    /// The executions.
    pub executions: Vec<ExecutionView<'b>>,
    /// The records of commands.
    pub commands: &'b [CommandRun],
    /// What was found in no execution.
    pub findings: &'b [FindingNote],
    /// Lines of the graph that couldn't be read.
    pub graph_lines_skipped: u64,
}

/// One execution with what follows from it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionView<'b> {
    /// What happened.
    #[serde(flatten)]
    pub trajectory: &'b Trajectory,
    /// What it referred to.
    pub references: References,
    /// What the graph says of it; `None` without a graph.
    pub evidence: Option<Evidence>,
}

impl<'b> Document<'b> {
    /// The explanation of a book.
    #[must_use]
    pub fn of(book: &'b ExecutionSet, graph: Option<&Graph>) -> Self {
        let view = |trajectory: &'b Trajectory| ExecutionView {
            trajectory,
            references: References::of(trajectory),
            evidence: graph.map(|g| Evidence::of(g, &trajectory.execution_id)),
        };
        Self {
            version: VERSION,
            executions: book.executions.iter().map(view).collect(),
            commands: &book.commands,
            findings: &book.findings,
            graph_lines_skipped: graph.map_or(0, |g| g.malformed_count),
        }
    }
}
