//! Who refers to whom: a graph of files and definitions.
//!
//! A reference is an edge from the definition around it (or the file) to every definition that it may mean. What it means
//! isn't known, only its name: candidates in the same file come first, then those of the same family of languages. A name
//! with more than [`MAX_CANDIDATES`] candidates says nothing and makes no edge, which also bounds the size of the graph.

use super::snapshot::Snapshot;
use super::tags::Kind;
use std::collections::{BTreeMap, HashMap};

/// Definitions of one name that a reference is spread over.
const MAX_CANDIDATES: usize = 16;

/// The weight of references to a name of one or two characters: most of them mean something else.
const SHORT: f64 = 0.2;

/// The weight of references from another file to what is private there.
const PRIVATE: f64 = 0.1;

/// The part of a definition's vote that goes to the definition around it, and of a file's to what it defines.
const UPWARDS: f64 = 0.25;

/// A definition's or a file's place in the graph: files first, in the order of the snapshot, then definitions.
pub(super) type Node = u32;

/// The graph.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The file and the place in its list of each definition.
    pub(super) definitions: Vec<(u32, u32)>,
    /// The first definition's node of each file, and one more for the end.
    pub(super) first: Vec<Node>,
    /// How many files there are.
    pub(super) files: usize,
    /// From, to, weight; sorted, each pair once. The weights of what leaves a node sum up to one.
    pub(super) edges: Vec<(Node, Node, f64)>,
}

fn node(n: usize) -> Node {
    Node::try_from(n).unwrap_or(Node::MAX)
}

/// A count as a number for weights.
pub(super) fn float(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

impl Graph {
    /// Of all files of a snapshot.
    pub(super) fn new(snapshot: &Snapshot) -> Graph {
        let mut graph = Graph { files: snapshot.files.len(), ..Graph::default() };
        for (file, content) in snapshot.files.iter().enumerate() {
            graph.first.push(node(graph.files + graph.definitions.len()));
            graph.definitions.extend((0..content.tags.definitions.len()).map(|d| (node(file), node(d))));
        }
        graph.first.push(node(graph.files + graph.definitions.len()));
        graph.connect(snapshot);
        graph
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.files + self.definitions.len()
    }

    /// The node of a definition of a file.
    pub(super) fn node(&self, file: usize, definition: u32) -> Option<Node> {
        Some(self.first.get(file)? + definition)
    }

    /// The file that a node is or lies in.
    pub(super) fn file_of(&self, node: Node) -> usize {
        let at = node as usize;
        at.checked_sub(self.files).and_then(|d| self.definitions.get(d)).map_or(at, |(file, _)| *file as usize)
    }

    fn connect(&mut self, snapshot: &Snapshot) {
        let names = candidates(self, snapshot);
        let mut edges: BTreeMap<(Node, Node), f64> = BTreeMap::new();
        for (at, file) in snapshot.files.iter().enumerate() {
            let Some(language) = file.language else { continue };
            edges.clear();
            for ((within, name), count) in counts(&file.tags) {
                let Some(name) = file.tags.names.get(name as usize) else { continue };
                let Some(all) = names.get(&(language.family(), name.as_str())) else { continue };
                // Candidates stand in the order of the files.
                let (from, to) =
                    (all.partition_point(|c| (c.file as usize) < at), all.partition_point(|c| (c.file as usize) <= at));
                let local = from < to;
                let meant = if local { all.get(from..to).unwrap_or_default() } else { all.as_slice() };
                if meant.len() > MAX_CANDIDATES {
                    continue;
                }
                let from = within.and_then(|w| self.node(at, w)).unwrap_or_else(|| node(at));
                let base = float(count).sqrt() / float(meant.len()) * if name.len() < 3 { SHORT } else { 1.0 };
                for candidate in meant {
                    let private = !local && candidate.is_private;
                    if candidate.node != from {
                        *edges.entry((from, candidate.node)).or_default() += base * if private { PRIVATE } else { 1.0 };
                    }
                }
            }
            self.settle(at, &file.tags, &mut edges);
        }
        self.edges.sort_by_key(|e| (e.0, e.1));
    }

    /// Adds what leaves the nodes of one file, with the vote for what is around, and the weights of each node made one.
    fn settle(&mut self, at: usize, tags: &super::tags::Tags, edges: &mut BTreeMap<(Node, Node), f64>) {
        let mut sums: HashMap<Node, f64> = HashMap::new();
        for ((from, _), weight) in edges.iter() {
            *sums.entry(*from).or_default() += weight;
        }
        let share = |sums: &HashMap<Node, f64>, from: Node| sums.get(&from).map_or(1.0, |s| s * UPWARDS / (1.0 - UPWARDS));
        for (d, definition) in tags.definitions.iter().enumerate() {
            let (Some(from), Some(to)) = (self.node(at, node(d)), definition.within.and_then(|w| self.node(at, w))) else {
                continue;
            };
            *edges.entry((from, to)).or_default() += share(&sums, from);
        }
        let top: Vec<Node> = tags
            .definitions
            .iter()
            .enumerate()
            .filter(|(_, d)| d.within.is_none())
            .filter_map(|(d, _)| self.node(at, node(d)))
            .collect();
        let file = node(at);
        let each = share(&sums, file) / float(top.len().max(1));
        for to in top {
            *edges.entry((file, to)).or_default() += each;
        }
        sums.clear();
        for ((from, _), weight) in edges.iter() {
            *sums.entry(*from).or_default() += weight;
        }
        let divided = |((from, to), weight): (&(Node, Node), &f64)| (*from, *to, weight / sums.get(from).copied().unwrap_or(1.0));
        self.edges.extend(edges.iter().map(divided));
    }
}

/// What a name may mean.
struct Candidate {
    node: Node,
    file: u32,
    is_private: bool,
}

/// The definitions by family and name.
fn candidates<'a>(graph: &Graph, snapshot: &'a Snapshot) -> HashMap<(u8, &'a str), Vec<Candidate>> {
    let mut out: HashMap<(u8, &str), Vec<Candidate>> = HashMap::new();
    for (at, file) in snapshot.files.iter().enumerate() {
        let Some(language) = file.language else { continue };
        for (d, definition) in file.tags.definitions.iter().enumerate() {
            if definition.kind == Kind::Implementation {
                continue;
            }
            let Some(found) = graph.node(at, node(d)) else { continue };
            let candidate = Candidate { node: found, file: node(at), is_private: definition.private };
            out.entry((language.family(), definition.name.as_str())).or_default().push(candidate);
        }
    }
    out
}

/// How often each name is referred to from each definition of a file.
fn counts(tags: &super::tags::Tags) -> Vec<((Option<u32>, u32), usize)> {
    let mut pairs: Vec<(Option<u32>, u32)> = tags.references.iter().map(|r| (r.within, r.name)).collect();
    pairs.sort_unstable();
    let mut out: Vec<((Option<u32>, u32), usize)> = Vec::new();
    for pair in pairs {
        match out.last_mut() {
            Some((last, count)) if *last == pair => *count += 1,
            _ => out.push((pair, 1)),
        }
    }
    out
}
