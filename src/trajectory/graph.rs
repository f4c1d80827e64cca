//! Reads the knowledge graph from its append-only file, in which each line is an edge or a node.
//! The file is never repaired.

use crate::trace::graph_line::{GraphLine, bare, prefixed};
use crate::trace::scalar::Timestamp;
use content_scan::mask::Mask;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use strict_json::Raw;

/// Maximum number of unreadable lines to list; the rest is counted.
const LISTED: usize = 20;
/// Maximum number of edges of one kind shown for an execution.
pub const TOLD: usize = 50;

/// An edge of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Line of the edge in the file.
    pub line: u64,
    /// Id of the source node.
    pub from: String,
    /// Id of the target node.
    pub to: String,
    /// Type of the edge, in lower case.
    pub kind: String,
    /// Recorded time, in milliseconds since the epoch.
    pub time: Option<i64>,
    /// Whether the skill that the edge is about succeeded; `None` when not recorded.
    pub success: Option<bool>,
}

/// A knowledge graph.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// The edges, in the order of the lines.
    pub edges: Vec<Edge>,
    /// Number of lines that list a node.
    pub nodes: u64,
    /// The first lines that are neither an edge nor a node.
    pub malformed: Vec<u64>,
    /// Number of lines that are neither.
    pub malformed_count: u64,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(default)]
    success: Option<bool>,
}

impl Graph {
    /// Parses a graph. Adds every secret that it contains to `secrets`, and masks it in the graph.
    #[must_use]
    pub fn parse(text: &str, secrets: &mut Mask) -> Self {
        let mut graph = Self::default();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            if line.trim().is_empty() {
                continue;
            }
            for place in content_scan::secrets(line, true).places {
                secrets.add(line.get(place).unwrap_or_default());
            }
            match read_line(number, line) {
                Read::Edge(edge) => graph.edges.push(edge),
                Read::Node => graph.nodes += 1,
                Read::Malformed => {
                    graph.malformed_count += 1;
                    graph
                        .malformed
                        .extend((graph.malformed.len() < LISTED).then_some(number));
                }
            }
        }
        for edge in &mut graph.edges {
            for text in [&mut edge.from, &mut edge.to, &mut edge.kind] {
                secrets.clean(text);
            }
        }
        graph
    }
}

/// The meaning of a line.
enum Read {
    Edge(Edge),
    Node,
    Malformed,
}

fn read_line(number: u64, line: &str) -> Read {
    let Some(read) = GraphLine::parse(line) else {
        return Read::Malformed;
    };
    let time = read.timestamp.map(Raw::read::<Timestamp>);
    if matches!(time, Some(None)) {
        return Read::Malformed;
    }
    match read.ends() {
        Some(ends) => Read::Edge(Edge {
            line: number,
            from: ends.from.into_owned(),
            to: ends.to.into_owned(),
            kind: ends.kind.to_lowercase(),
            time: time.flatten().map(Timestamp::millis),
            success: read
                .meta()
                .and_then(Raw::read::<Meta>)
                .and_then(|meta| meta.success),
        }),
        None if read.kind().is_some() && read.id().is_some() => Read::Node,
        None => Read::Malformed,
    }
}

/// A statement of the graph, with the line that makes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Said {
    /// Line of the statement in the graph.
    pub line: u64,
    /// The node that the statement is about.
    pub node: String,
    /// The other node, if the statement has one.
    pub with: Option<String>,
    /// Whether it succeeded; null when not recorded.
    pub success: Option<bool>,
}

/// The statements of a graph about one execution.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Contexts that the execution used.
    pub contexts_used: Vec<Said>,
    /// Skills that the execution validated.
    pub skills_validated: Vec<Said>,
    /// Contexts that the execution used, with the skills that they were promoted to.
    pub promoted: Vec<Said>,
    /// The sources of the validated skills.
    pub provenance: Vec<Said>,
    /// Skills that were derived from the used contexts and not validated by this execution. They
    /// are suggestions only.
    pub suggested: Vec<Said>,
    /// Number of statements that are omitted.
    pub left_out: u64,
}

impl Evidence {
    /// Collects the statements about an execution. Names of nodes may have a
    /// prefix: `execution:id`, `exec:id`.
    #[must_use]
    pub fn of(graph: &Graph, id: &str) -> Self {
        let mut found = Self::default();
        let is_it = |node: &str| node == id || prefixed(node) == Some(("execution", id));
        let mut contexts = BTreeSet::new();
        let mut skills = BTreeSet::new();
        let mut left_out = 0;
        let mut say = |list: &mut Vec<Said>, said: Said| {
            if list.len() < TOLD {
                list.push(said);
            } else {
                left_out += 1;
            }
        };
        for edge in &graph.edges {
            let said = |node: &str| Said {
                line: edge.line,
                node: node.to_owned(),
                with: None,
                success: edge.success,
            };
            if edge.kind == "used_in" && is_it(&edge.to) {
                contexts.insert(bare(&edge.from));
                say(&mut found.contexts_used, said(&edge.from));
            } else if edge.kind == "validated_by" && is_it(&edge.from) {
                skills.insert(bare(&edge.to));
                say(&mut found.skills_validated, said(&edge.to));
            } else if edge.kind == "validated_by" && is_it(&edge.to) {
                // One writer reverses the direction of this edge.
                skills.insert(bare(&edge.from));
                say(&mut found.skills_validated, said(&edge.from));
            }
        }
        for edge in &graph.edges {
            let said = |node: &str, with: &str| Said {
                line: edge.line,
                node: node.to_owned(),
                with: Some(with.to_owned()),
                success: edge.success,
            };
            match edge.kind.as_str() {
                "promoted_to" if contexts.contains(bare(&edge.from)) => {
                    say(&mut found.promoted, said(&edge.from, &edge.to));
                }
                "derived_from" if skills.contains(bare(&edge.from)) => {
                    say(&mut found.provenance, said(&edge.from, &edge.to));
                }
                "derived_from" if contexts.contains(bare(&edge.to)) => {
                    say(&mut found.suggested, said(&edge.from, &edge.to));
                }
                _ => {}
            }
        }
        found.left_out = left_out;
        found
    }

    /// Returns true if the graph has no statement about the execution.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contexts_used.is_empty() && self.skills_validated.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("graph.test.jsonl");

    #[test]
    fn both_forms_are_read_and_every_statement_has_its_line() {
        let graph = Graph::parse(TEXT, &mut Mask::default());
        assert_eq!(
            (graph.edges.len(), graph.nodes, graph.malformed.clone()),
            (6, 1, vec![2, 9])
        );
        let found = Evidence::of(&graph, "exec_1");
        let lines = |list: &[Said]| list.iter().map(|s| s.line).collect::<Vec<_>>();
        assert_eq!(lines(&found.contexts_used), [1]);
        assert_eq!(lines(&found.skills_validated), [4]);
        assert_eq!(found.skills_validated[0].success, Some(true));
        assert_eq!(
            (
                lines(&found.provenance),
                lines(&found.suggested),
                lines(&found.promoted)
            ),
            (vec![5], vec![6], vec![7])
        );
        assert!(Evidence::of(&graph, "exec_3").is_empty());
    }

    #[test]
    fn names_are_the_same_with_any_prefix() {
        let text = concat!(
            r#"{"from":"ctx:src/a.ts","to":"exec:e1","type":"used_in","timestamp":1}"#,
            "\n",
            r#"{"from":"src/a.ts","to":"skill:fix","type":"promoted_to","timestamp":2}"#,
            "\n",
            r#"{"from":"src/a.ts","to":"skill:e1","type":"used_in","timestamp":3}"#,
        );
        let found = Evidence::of(&Graph::parse(text, &mut Mask::default()), "e1");
        let lines = |list: &[Said]| list.iter().map(|s| s.line).collect::<Vec<_>>();
        assert_eq!(
            (lines(&found.contexts_used), lines(&found.promoted)),
            (vec![1], vec![2])
        );
    }

    proptest! {
        #[test]
        fn every_line_is_an_edge_a_node_or_malformed(text in "(\\{|\\}|\"from\":\"a\"|\"to\":\"b\"|\"type\":\"USED_IN\"|\"id\":\"x\"|,|\n| ){0,40}") {
            let graph = Graph::parse(&text, &mut Mask::default());
            let lines = text.lines().filter(|l| !l.trim().is_empty()).count() as u64;
            prop_assert_eq!(graph.edges.len() as u64 + graph.nodes + graph.malformed_count, lines);
        }
    }
}
