//! Queries an index about executions, for `explain`.

use crate::cli::output::Failure;
use crate::knowledge::about::{Recorded, about};
use crate::knowledge::graph::{Graph, Statement};
use crate::knowledge::{KnowledgeError, SCHEMA};
use crate::trace::action::plain_path;
use crate::trajectory::{ExecutionSet, Known};
use content_scan::mask::Mask;
use knowledge_index::{IndexError, Store};
use std::path::Path;

/// Adds what an index knows to each execution.
pub(in crate::cli) fn ask(
    path: &Path,
    book: &mut ExecutionSet,
    secrets: &Mask,
) -> Result<(), Failure> {
    let remedy = |e: &KnowledgeError| match e {
        KnowledgeError::Index(IndexError::Foreign { .. }) => {
            "name the file that `knowledge reindex` has written"
        }
        other => other.remedy(),
    };
    let failure = |e: KnowledgeError| Failure::unable(e.to_string(), remedy(&e));
    let store = Store::open(path, &SCHEMA).map_err(|e| failure(e.into()))?;
    let graph = Graph::of(&store).map_err(failure)?;
    let clean = |mut text: String| {
        secrets.clean(&mut text);
        text
    };
    for execution in &mut book.executions {
        let turns = &execution.turns;
        let skills = turns.iter().filter_map(|t| t.used_skills.as_ref());
        let contexts = turns.iter().filter_map(|t| t.context.as_ref());
        let items = contexts.filter_map(|c| c.items.as_ref()).flatten();
        let recorded = Recorded {
            id: execution.execution_id.clone(),
            skills: skills.flatten().cloned().collect(),
            items: items
                .map(|item| plain_path(&item.path).into_owned())
                .collect(),
            ended: turns.iter().filter_map(|t| t.end).max().unwrap_or(0),
        };
        let statements = about(&store, &graph, &recorded).map_err(failure)?;
        let known = |s: Statement| Known {
            what: s.what.to_owned(),
            node: clean(s.node),
            note: clean(s.note),
            lines: s
                .lines
                .iter()
                .map(|l| format!("{}:{}", l.file, l.line))
                .collect(),
        };
        execution.known = Some(statements.into_iter().map(known).collect());
    }
    Ok(())
}
