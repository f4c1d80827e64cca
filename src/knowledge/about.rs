//! Collects what the index knows about one execution: its observations, its skills and its graph
//! edges, each with source lines.

use super::graph::{Graph, Line, Statement};
use super::store::{Store, Stored};
use super::{Kind, KnowledgeError};
use std::collections::BTreeSet;

/// Maximum number of observations of an execution that are read.
const OBSERVATIONS: usize = 10_000;
/// Maximum number of statements of each kind that are reported.
const TOLD: usize = 50;

/// Returns what the index knows about an execution and the skills that it used or validated.
///
/// # Errors
/// When the store can't be read.
pub fn about(
    store: &Store,
    graph: &Graph,
    execution: &str,
    used: &BTreeSet<String>,
) -> Result<Vec<Statement>, KnowledgeError> {
    let observations = store.of_task(execution, OBSERVATIONS)?;
    let mut out: Vec<Statement> = indexed(&observations).into_iter().collect();
    let from_graph = graph.trace(execution);
    let mut skills: BTreeSet<&str> = used.iter().map(String::as_str).collect();
    skills.extend(
        from_graph
            .iter()
            .filter(|s| s.what == "validated")
            .map(|s| s.node.as_str()),
    );
    let mut provenance = Vec::new();
    for skill in &skills {
        provenance.extend(graph.provenance(skill).into_iter().map(|s| {
            Statement {
                what: "provenance",
                note: [s.what, &s.node, &s.note]
                    .into_iter()
                    .filter(|w| !w.is_empty())
                    .collect::<Vec<_>>()
                    .join(" "),
                node: (*skill).to_owned(),
                lines: s.lines,
            }
        }));
    }
    out.extend(from_graph.into_iter().take(TOLD));
    out.extend(provenance.into_iter().take(TOLD));
    Ok(out)
}

/// States that an execution is in the index, and with how many observations.
fn indexed(observations: &[Stored]) -> Option<Statement> {
    let whole = observations
        .iter()
        .find(|o| o.kind == Kind::Execution)
        .or_else(|| observations.first())?;
    let turns = observations.iter().filter(|o| o.kind == Kind::Turn).count();
    Some(Statement {
        what: "indexed",
        node: whole.summary.clone(),
        note: format!("observation {}, {} turns", whole.id, turns),
        lines: vec![Line {
            file: whole.file.clone(),
            line: whole.lines.0,
        }],
    })
}
