//! Queries of the knowledge graph. Each statement names the lines that support it. Nothing is
//! changed.

use super::source_config::finding;
use super::tables::{self, EdgeRow, NodeRow};
use super::{KnowledgeError, SourceKind};
use crate::diag::{Finding, assign_fingerprints};
use crate::trace::graph_line::{bare, prefixed};
use knowledge_index::Store;
use std::collections::{BTreeMap, BTreeSet};

/// A line of a graph file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    pub file: String,
    /// The line number, from 1.
    pub line: u64,
}

/// A statement derived from edges, with its source lines. The texts may contain hostile names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The kind of statement.
    pub what: &'static str,
    /// The node that the statement is about.
    pub node: String,
    /// Details in words.
    pub note: String,
    /// The supporting lines.
    pub lines: Vec<Line>,
}

/// Counts for one context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Executions that used the context.
    pub used: u64,
    /// Those of them that validated a skill successfully.
    pub validated: u64,
    /// Skills that the context was promoted to.
    pub promoted: u64,
    /// Time of the last use, in milliseconds since the Unix epoch.
    pub last_used: Option<i64>,
    /// The supporting lines.
    pub lines: Vec<Line>,
}

/// The graph as indexed.
#[derive(Debug)]
pub struct Graph {
    edges: Vec<EdgeRow>,
    /// Ids of bank items by every name: path, alias and id.
    contexts: BTreeMap<String, String>,
    /// Nodes with a line of their own.
    described: Vec<NodeRow>,
    /// The kind of each name that its own line gives, or that sources define with a single kind.
    kinds: BTreeMap<String, String>,
}

/// A node, whatever edges call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node<'g> {
    /// The name by which it was first called.
    pub name: &'g str,
    /// `context`, `execution`, `skill` or another type that its own line gives; `None` when nothing
    /// says what it is.
    pub kind: Option<&'g str>,
    /// The lines that describe the node; empty when only edges name it.
    pub lines: Vec<Line>,
}

impl<'g> Node<'g> {
    const fn new(name: &'g str, kind: Option<&'g str>) -> Self {
        Self {
            name,
            kind,
            lines: Vec::new(),
        }
    }
}

/// An edge between two nodes of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge<'g> {
    /// Index of the node where it begins.
    pub from: usize,
    /// Index of the node where it ends.
    pub to: usize,
    /// Its type.
    pub kind: &'g str,
    /// How strong the relation is, if its writer says so.
    pub weight: Option<f64>,
    /// The line that states it.
    pub line: Line,
}

fn place(edge: &EdgeRow) -> Line {
    Line {
        file: edge.file.clone(),
        line: edge.line,
    }
}

/// Types of edges, with the kinds of the nodes that they connect.
const ENDS: [(&str, &str, &str); 3] = [
    ("used_in", "context", "execution"),
    ("validated_by", "execution", "skill"),
    ("promoted_to", "context", "skill"),
];

/// Whether a node matches a requested name, by its whole name or by the part after the prefix.
fn is(node: &str, asked: &str) -> bool {
    node == asked || bare(node) == asked
}

/// Whether a validation succeeded; `None` when it isn't recorded.
fn success(edge: &EdgeRow) -> Option<bool> {
    let meta: serde_json::Value = serde_json::from_str(edge.meta.as_deref()?).ok()?;
    meta.get("success")?.as_bool()
}

impl Graph {
    /// Reads the graph from the store.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn of(store: &Store) -> Result<Self, KnowledgeError> {
        let mut contexts = BTreeMap::new();
        for (id, json) in tables::documents(store.connection(), SourceKind::Bank)? {
            let item: serde_json::Value = serde_json::from_str(&json).unwrap_or_default();
            let names = ["path", "alias"]
                .iter()
                .filter_map(|member| item.get(member)?.as_str());
            for name in names.chain([id.as_str()]) {
                // Two items may have the same path. Which one is meant is unknown then, and the
                // first is used.
                contexts
                    .entry(name.to_owned())
                    .or_insert_with(|| id.clone());
            }
        }
        let mut kinds: BTreeMap<String, Option<String>> = BTreeMap::new();
        for (name, kind) in tables::names(store.connection())? {
            let known = kinds.entry(name).or_insert_with(|| Some(kind.clone()));
            // A name with two kinds says nothing.
            if known.as_ref() != Some(&kind) {
                *known = None;
            }
        }
        let described = tables::nodes(store.connection())?;
        for node in &described {
            kinds.insert(node.id.clone(), Some(node.kind.clone()));
        }
        let single = |(name, kind): (String, Option<String>)| Some((name, kind?));
        Ok(Self {
            edges: tables::edges(store.connection())?,
            described,
            contexts,
            kinds: kinds.into_iter().filter_map(single).collect(),
        })
    }

    /// Returns the canonical id of a context, which may be named by id, path or alias, with or
    /// without prefix.
    fn context<'g>(&'g self, name: &'g str) -> &'g str {
        let known = |name: &str| self.contexts.get(name).map(String::as_str);
        known(name)
            .or_else(|| known(bare(name)))
            .unwrap_or_else(|| bare(name))
    }

    /// Returns the edges that begin at a context, with the name of the context as it was first
    /// written.
    fn of_contexts(&self) -> impl Iterator<Item = (&EdgeRow, &str)> {
        let mut shown: BTreeMap<&str, &str> = BTreeMap::new();
        self.edges
            .iter()
            .filter(|e| matches!(e.kind.as_str(), "used_in" | "promoted_to"))
            .map(move |edge| {
                (
                    edge,
                    *shown.entry(self.context(&edge.from)).or_insert(&edge.from),
                )
            })
    }

    /// Returns the number of edges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether the graph has neither edges nor described nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.described.is_empty()
    }

    /// Returns what a name says about its kind, or what is known about it. `role` is the kind that
    /// an edge expects there.
    fn kind<'g>(&'g self, name: &'g str, role: Option<&'static str>) -> Option<&'g str> {
        if let Some((kind, _)) = prefixed(name) {
            return Some(kind);
        }
        let known = self.kinds.get(name).map(String::as_str);
        let context = || self.contexts.contains_key(name).then_some("context");
        known.or_else(context).or(role)
    }

    /// Returns what identifies a node: its kind and its own name.
    fn key<'g>(&'g self, name: &'g str, role: Option<&'static str>) -> (Option<&'g str>, &'g str) {
        let kind = self.kind(name, role);
        match kind {
            Some("context") => (kind, self.context(name)),
            _ => (kind, bare(name)),
        }
    }

    /// Returns the nodes and the edges between them. A node is one whatever edges call it: by id,
    /// path or alias, with or without prefix. The nodes are sorted by kind and name, and the edges
    /// are in file order.
    #[must_use]
    pub fn parts(&self) -> (Vec<Node<'_>>, Vec<Edge<'_>>) {
        let mut nodes = BTreeMap::new();
        let mut keyed = Vec::with_capacity(self.edges.len());
        for edge in &self.edges {
            let ends = ENDS.iter().find(|(kind, ..)| *kind == edge.kind);
            let from = self.key(&edge.from, ends.map(|ends| ends.1));
            let to = self.key(&edge.to, ends.map(|ends| ends.2));
            for (key, name) in [(from, &edge.from), (to, &edge.to)] {
                nodes.entry(key).or_insert_with(|| Node::new(name, key.0));
            }
            keyed.push((edge, from, to));
        }
        for described in &self.described {
            let key = self.key(&described.id, None);
            let node = nodes.entry(key);
            let node = node.or_insert_with(|| Node::new(&described.id, key.0));
            node.lines.push(Line {
                file: described.file.clone(),
                line: described.line,
            });
        }
        let order: BTreeMap<_, usize> = nodes.keys().copied().zip(0..).collect();
        let index = |key| order.get(&key).copied().unwrap_or_default();
        let edges = keyed.into_iter().map(|(edge, from, to)| Edge {
            from: index(from),
            to: index(to),
            kind: &edge.kind,
            weight: edge.weight,
            line: place(edge),
        });
        let edges = edges.collect();
        (nodes.into_values().collect(), edges)
    }

    /// Returns what the graph knows about an execution: the contexts it used, the skills it
    /// validated, and promotions of those contexts.
    #[must_use]
    pub fn trace(&self, execution: &str) -> Vec<Statement> {
        let mut used: BTreeMap<&str, Vec<Line>> = BTreeMap::new();
        let mut out = Vec::new();
        for (edge, context) in self
            .of_contexts()
            .filter(|(e, _)| e.kind == "used_in" && is(&e.to, execution))
        {
            used.entry(context).or_default().push(place(edge));
        }
        for (context, lines) in &used {
            out.push(Statement {
                what: "used",
                node: (*context).to_owned(),
                note: String::new(),
                lines: lines.clone(),
            });
        }
        for edge in self
            .edges
            .iter()
            .filter(|e| e.kind == "validated_by" && is(&e.from, execution))
        {
            let note = said(success(edge)).to_owned();
            out.push(Statement {
                what: "validated",
                node: edge.to.clone(),
                note,
                lines: vec![place(edge)],
            });
        }
        for (edge, context) in self.of_contexts().filter(|(e, _)| e.kind == "promoted_to") {
            if let Some(uses) = used.get(context) {
                let lines = std::iter::once(place(edge))
                    .chain(uses.iter().cloned())
                    .collect();
                let note = format!("to {}", edge.to);
                out.push(Statement {
                    what: "promoted",
                    node: context.to_owned(),
                    note,
                    lines,
                });
            }
        }
        out
    }

    /// Returns the metrics of each context.
    #[must_use]
    pub fn stats(&self) -> BTreeMap<&str, Metrics> {
        let succeeded: BTreeMap<&str, Line> = self
            .edges
            .iter()
            .filter(|e| e.kind == "validated_by" && success(e) == Some(true))
            .map(|e| (bare(&e.from), place(e)))
            .collect();
        let mut seen = BTreeSet::new();
        let mut all: BTreeMap<&str, Metrics> = BTreeMap::new();
        for (edge, context) in self.of_contexts() {
            match edge.kind.as_str() {
                "used_in" => {
                    let figures = all.entry(context).or_default();
                    figures.last_used = figures.last_used.max(edge.time);
                    figures.lines.push(place(edge));
                    // An execution counts once, even if several edges name it.
                    if seen.insert((context, bare(&edge.to))) {
                        figures.used += 1;
                        if let Some(line) = succeeded.get(bare(&edge.to)) {
                            figures.validated += 1;
                            figures.lines.push(line.clone());
                        }
                    }
                }
                "promoted_to" => {
                    let figures = all.entry(context).or_default();
                    figures.promoted += 1;
                    figures.lines.push(place(edge));
                }
                _ => {}
            }
        }
        all
    }

    /// Returns the origins of a skill: contexts, promotions and validations.
    #[must_use]
    pub fn provenance(&self, skill: &str) -> Vec<Statement> {
        let mut out = Vec::new();
        for edge in &self.edges {
            let (what, other, note) = match edge.kind.as_str() {
                "derived_from" if is(&edge.from, skill) => {
                    ("derived from", &edge.to, String::new())
                }
                // Some writers draw it the other way round.
                "derived_from" if is(&edge.to, skill) => {
                    ("derived from", &edge.from, String::new())
                }
                "promoted_to" if is(&edge.to, skill) => (
                    "promoted from",
                    &edge.from,
                    edge.meta.clone().unwrap_or_default(),
                ),
                "validated_by" if is(&edge.to, skill) => {
                    ("validated in", &edge.from, said(success(edge)).to_owned())
                }
                _ => continue,
            };
            out.push(Statement {
                what,
                node: other.clone(),
                note,
                lines: vec![place(edge)],
            });
        }
        out.sort_by(|a, b| (a.what, &a.node, &a.lines).cmp(&(b.what, &b.node, &b.lines)));
        out
    }
}

const fn said(success: Option<bool>) -> &'static str {
    match success {
        Some(true) => "succeeded",
        Some(false) => "failed",
        None => "outcome not recorded",
    }
}

/// Returns the faults in the graph files: malformed lines and edges with unknown ends.
///
/// # Errors
/// When the store can't be read.
pub fn check(store: &Store) -> Result<Vec<Finding>, KnowledgeError> {
    let mut statement = store
        .connection()
        .prepare("SELECT path, code, line, message FROM finding JOIN source ON source.id = finding.source WHERE kind = ?1")?;
    let rows = statement.query_map([SourceKind::Graph.name()], |row| {
        let (path, code): (String, u16) = (row.get(0)?, row.get(1)?);
        Ok(finding(
            code,
            &path,
            row.get::<_, i64>(2)?.cast_unsigned(),
            row.get(3)?,
        ))
    })?;
    let mut findings = rows.collect::<Result<Vec<_>, _>>()?;
    findings.extend(tables::dangling(store.connection())?);
    findings.extend(tables::misdirected(store.connection())?);
    findings.sort_by_cached_key(Finding::order);
    assign_fingerprints(&mut findings);
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(line: u64, from: &str, kind: &str, to: &str, meta: Option<&str>) -> EdgeRow {
        EdgeRow {
            file: "g".into(),
            line,
            from: from.into(),
            to: to.into(),
            kind: kind.into(),
            time: Some(i64::try_from(line).unwrap()),
            weight: None,
            meta: meta.map(str::to_owned),
        }
    }

    fn graph() -> Graph {
        Graph {
            contexts: BTreeMap::new(),
            kinds: BTreeMap::new(),
            edges: vec![
                edge(1, "ctx:a", "used_in", "exec:1", None),
                edge(2, "ctx:b", "used_in", "exec:1", None),
                edge(
                    3,
                    "exec:1",
                    "validated_by",
                    "skill:s",
                    Some(r#"{"success":true}"#),
                ),
                edge(
                    4,
                    "ctx:a",
                    "promoted_to",
                    "skill:s",
                    Some(r#"{"confidence":0.9}"#),
                ),
                edge(5, "ctx:a", "used_in", "1", None),
                edge(6, "skill:s", "derived_from", "ctx:a", None),
                edge(
                    7,
                    "exec:2",
                    "validated_by",
                    "skill:s",
                    Some(r#"{"success":false}"#),
                ),
            ],
            described: vec![NodeRow {
                file: "n".into(),
                line: 9,
                id: "ctx:a".into(),
                kind: "context".into(),
            }],
        }
    }

    #[test]
    fn nodes_are_those_of_edges_and_those_with_lines_of_their_own() {
        let mut graph = graph();
        graph.described.push(NodeRow {
            file: "n".into(),
            line: 10,
            id: "ctx:alone".into(),
            kind: "context".into(),
        });
        let (nodes, edges) = graph.parts();
        // `exec:1` and `1` are one execution, by the end of the edge at which it stands.
        let told: Vec<_> = nodes.iter().map(|n| (n.kind, n.name)).collect();
        let expected = [
            (Some("context"), "ctx:a"),
            (Some("context"), "ctx:alone"),
            (Some("context"), "ctx:b"),
            (Some("execution"), "exec:1"),
            (Some("execution"), "exec:2"),
            (Some("skill"), "skill:s"),
        ];
        assert_eq!(told, expected);
        assert_eq!(nodes[0].lines[0].line, 9);
        let ends: Vec<_> = edges.iter().map(|e| (e.from, e.to)).collect();
        assert_eq!(
            ends,
            [(0, 3), (2, 3), (3, 5), (0, 5), (0, 3), (5, 0), (4, 5)]
        );
    }

    #[test]
    fn one_name_of_two_kinds_is_two_nodes() {
        let mut graph = graph();
        graph.edges = vec![
            edge(1, "same", "used_in", "same", None),
            edge(2, "same", "supports", "skill:same", None),
        ];
        graph.described.clear();
        let (nodes, edges) = graph.parts();
        let kinds: Vec<_> = nodes.iter().map(|n| n.kind).collect();
        // Nothing says what the `same` is that supports a skill.
        assert_eq!(
            kinds,
            [None, Some("context"), Some("execution"), Some("skill")]
        );
        assert_eq!((edges[0].from, edges[0].to), (1, 2));
        graph.kinds.insert("same".into(), "context".into());
        assert_eq!(graph.parts().0.len(), 2);
    }

    #[test]
    fn statements_name_their_lines() {
        let graph = graph();
        let lines = |s: &Statement| s.lines.iter().map(|l| l.line).collect::<Vec<_>>();
        let told: Vec<_> = graph
            .trace("1")
            .iter()
            .map(|s| (s.what, s.node.clone(), lines(s)))
            .collect();
        assert_eq!(
            told,
            [
                ("used", "ctx:a".to_owned(), vec![1, 5]),
                ("used", "ctx:b".to_owned(), vec![2]),
                ("validated", "skill:s".to_owned(), vec![3]),
                ("promoted", "ctx:a".to_owned(), vec![4, 1, 5]),
            ]
        );
        assert!(graph.trace("nobody").is_empty());
        let provenance: Vec<_> = graph
            .provenance("skill:s")
            .iter()
            .map(|s| (s.what, s.note.clone(), lines(s)))
            .collect();
        assert_eq!(
            provenance,
            [
                ("derived from", String::new(), vec![6]),
                ("promoted from", r#"{"confidence":0.9}"#.to_owned(), vec![4]),
                ("validated in", "succeeded".to_owned(), vec![3]),
                ("validated in", "failed".to_owned(), vec![7]),
            ]
        );
    }

    #[test]
    fn a_context_is_one_whatever_it_is_called() {
        let mut graph = graph();
        let names = [("a", "a"), ("docs/a.md", "a"), ("the a", "a")];
        graph.contexts = names
            .map(|(name, id)| (name.to_owned(), id.to_owned()))
            .into();
        graph.edges = [
            (1, "context:a", "exec:1"),
            (2, "a", "exec:2"),
            (3, "docs/a.md", "2"),
            (4, "file:the a", "exec:3"),
        ]
        .map(|(line, from, to)| edge(line, from, "used_in", to, None))
        .into();
        let stats = graph.stats();
        assert_eq!(stats.keys().copied().collect::<Vec<_>>(), ["context:a"]);
        assert_eq!(
            (stats["context:a"].used, stats["context:a"].lines.len()),
            (3, 4)
        );
        assert_eq!(
            graph
                .trace("2")
                .iter()
                .map(|s| s.lines.len())
                .collect::<Vec<_>>(),
            [2]
        );
    }

    #[test]
    fn a_colon_in_a_name_parts_nothing_else() {
        let names = [
            "src/a.ts:10-30",
            "src/b.ts:10-30",
            "http://x/y",
            "https://x/y",
            "x/y",
        ];
        let edges = names
            .iter()
            .map(|from| edge(1, from, "used_in", "exec:1", None))
            .collect();
        let graph = Graph {
            contexts: BTreeMap::new(),
            kinds: BTreeMap::new(),
            edges,
            described: Vec::new(),
        };
        assert_eq!(graph.stats().len(), names.len());
        assert_eq!(
            ["ctx:src/a.ts:10-30", "File:a", "a", "c:/a"].map(bare),
            ["src/a.ts:10-30", "a", "a", "c:/a"]
        );
    }

    #[test]
    fn an_execution_counts_once() {
        let graph = graph();
        let stats = graph.stats();
        let a = &stats["ctx:a"];
        assert_eq!(
            (a.used, a.validated, a.promoted, a.last_used),
            (1, 1, 1, Some(5))
        );
        assert_eq!(stats["ctx:b"].used, 1);
    }
}
