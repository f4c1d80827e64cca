//! Collects what the index knows about one execution: its observations, its skills and its graph
//! edges, each with source lines.

use super::KnowledgeError;
use super::context::{Stage, stage};
use super::graph::{Graph, Line, Statement};
use super::tables::skill;
use crate::trace::action::plain_path;
use knowledge_index::{Kind, Store, Stored};
use std::collections::BTreeSet;

/// Maximum number of observations of an execution that are read.
const OBSERVATIONS: usize = 10_000;
/// Maximum number of statements of each kind that are reported.
const TOLD: usize = 50;

/// What an execution recorded of itself.
#[derive(Debug, Default)]
pub struct Recorded {
    pub id: String,
    /// The skills that it used.
    pub skills: BTreeSet<String>,
    /// The plain paths of the items in its contexts.
    pub items: BTreeSet<String>,
    /// Its last time, in milliseconds since the Unix epoch.
    pub ended: i64,
}

/// Returns what the index knows about an execution, the skills that it used or validated, and the
/// items of its contexts.
///
/// # Errors
/// When the store can't be read.
pub fn about(
    store: &Store,
    graph: &Graph,
    execution: &Recorded,
) -> Result<Vec<Statement>, KnowledgeError> {
    let Recorded {
        id: execution,
        skills: used,
        items,
        ended,
    } = execution;
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
    out.extend(from_bank(store, items, *ended)?);
    Ok(out)
}

/// States for items of a context bank how far they are on the way to a skill, and which of them are
/// suggested as one.
fn from_bank(
    store: &Store,
    items: &BTreeSet<String>,
    now: i64,
) -> Result<Vec<Statement>, KnowledgeError> {
    let mut all = Vec::new();
    let mut suggested = Vec::new();
    for item in skill::items(store.connection())? {
        if !items.contains(&*plain_path(&item.path)) || all.len() >= TOLD {
            continue;
        }
        let decision = stage(&item, now);
        let way = match decision.stage {
            Stage::Context => "context",
            Stage::Bank => "context → bank",
            Stage::SkillCandidate => "context → bank → candidate for a skill",
            Stage::Archived => "context → archived",
        };
        let statement = |what, note: String| Statement {
            what,
            node: item.path.clone(),
            note,
            lines: vec![Line {
                file: item.file.clone(),
                line: 1,
            }],
        };
        if decision.stage == Stage::SkillCandidate {
            suggested.push(statement("suggestion", "could become a skill".to_owned()));
        }
        all.push(statement("bank", format!("{way}; {}", decision.why)));
    }
    all.append(&mut suggested);
    Ok(all)
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
