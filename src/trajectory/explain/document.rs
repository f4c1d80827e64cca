//! The explanation as JSON. Its schema is `explain`.

use crate::trajectory::context::References;
use crate::trajectory::graph::{Evidence, Graph};
use crate::trajectory::model::{ExecutionSet, FindingNote, Trajectory};
use crate::verify::timeline::CommandRun;
use schemars::JsonSchema;
use serde::Serialize;

/// Version of this shape. New members don't change it; a change of meaning does.
const VERSION: u32 = 1;

/// The output of `explain --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document<'b> {
    /// Version of this shape.
    pub version: u32,
    /// The executions.
    pub executions: Vec<ExecutionView<'b>>,
    /// Records of single commands, which have no turns.
    pub commands: &'b [CommandRun],
    /// Findings that belong to no execution.
    pub findings: &'b [FindingNote],
    /// Number of lines of the graph that couldn't be read.
    pub graph_lines_skipped: u64,
}

/// One execution, with its references and the evidence about it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionView<'b> {
    /// The trajectory of the execution.
    #[serde(flatten)]
    pub trajectory: &'b Trajectory,
    /// The references to items of the context.
    pub references: References,
    /// The statements of the graph about the execution; null without a graph.
    pub evidence: Option<Evidence>,
}

impl<'b> Document<'b> {
    /// Creates the explanation of a set of executions.
    #[must_use]
    pub fn of(set: &'b ExecutionSet, graph: Option<&Graph>) -> Self {
        let view = |trajectory: &'b Trajectory| ExecutionView {
            trajectory,
            references: References::of(trajectory),
            evidence: graph.map(|g| Evidence::of(g, &trajectory.execution_id)),
        };
        Self {
            version: VERSION,
            executions: set.executions.iter().map(view).collect(),
            commands: &set.commands,
            findings: &set.findings,
            graph_lines_skipped: graph.map_or(0, |g| g.malformed_count),
        }
    }
}
