//! Who refers to whom: a graph of files and definitions.
//!
//! A reference is an edge from the definition around it (or the file) to every definition that it may mean. What it means
//! isn't known, only its name: candidates in the same file come first, then those of the same family of languages. A name
//! with more than [`MAX_CANDIDATES`] candidates says nothing and makes no edge, which also bounds the size of the graph.
//! A name that many files use says less of each: it weighs the less, by the root of their number.

use super::common;
use super::language::Language;
use super::snapshot::Snapshot;
use super::tags::{Definition, Kind, Tags, Use};
use std::collections::{BTreeMap, HashMap};

/// Definitions of one name that a reference is spread over.
const MAX_CANDIDATES: usize = 16;

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
    /// From, to, part of the vote; sorted, each pair once. What leaves a node sums up to one at most.
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
        let names = Names::new(self, snapshot);
        for (at, file) in snapshot.files.iter().enumerate() {
            let Some(language) = file.language else { continue };
            let mut votes = Votes::default();
            for ((within, name, is_type), count) in counts(&file.tags) {
                let Some(name) = file.tags.names.get(name as usize) else { continue };
                let Some((meant, local)) = names.meant(language, name, is_type, at) else { continue };
                let from = within.and_then(|w| self.node(at, w)).unwrap_or_else(|| node(at));
                let rare = 1.0 / float(names.files_that_use(language, name)).sqrt();
                let weight = float(count).sqrt() * rare;
                let known = weight * common::weight(name) / float(meant.len());
                *votes.sums.entry(from).or_default() += weight;
                for candidate in meant.iter().filter(|c| c.node != from) {
                    let private = !local && candidate.is_private;
                    *votes.edges.entry((from, candidate.node)).or_default() += known * if private { PRIVATE } else { 1.0 };
                }
            }
            self.settle(at, &file.tags, votes);
        }
        self.edges.sort_by_key(|e| (e.0, e.1));
    }

    /// Adds what leaves the nodes of one file, with the votes for what is around, in parts of the whole vote of each node.
    fn settle(&mut self, at: usize, tags: &Tags, mut votes: Votes) {
        let share = |sums: &HashMap<Node, f64>, from: Node| sums.get(&from).map_or(1.0, |s| s * UPWARDS / (1.0 - UPWARDS));
        let mut upwards: Vec<(Node, Node, f64)> = Vec::new();
        let mut top = Vec::new();
        for (d, definition) in tags.definitions.iter().enumerate() {
            let Some(here) = self.node(at, node(d)) else { continue };
            match definition.within.and_then(|w| self.node(at, w)) {
                Some(outer) => upwards.push((here, outer, share(&votes.sums, here))),
                None => top.push(here),
            }
        }
        let each = share(&votes.sums, node(at)) / float(top.len().max(1));
        upwards.extend(top.into_iter().map(|to| (node(at), to, each)));
        for (from, to, weight) in upwards {
            *votes.sums.entry(from).or_default() += weight;
            *votes.edges.entry((from, to)).or_default() += weight;
        }
        let part = |((from, to), weight): ((Node, Node), f64)| (from, to, weight / votes.sums.get(&from).copied().unwrap_or(1.0));
        self.edges.extend(votes.edges.into_iter().map(part));
    }
}

/// What the nodes of one file vote for.
#[derive(Default)]
struct Votes {
    /// From, to, weight.
    edges: BTreeMap<(Node, Node), f64>,
    /// The whole vote of each node, with what goes nowhere.
    sums: HashMap<Node, f64>,
}

/// What a name may mean.
struct Candidate {
    node: Node,
    file: u32,
    is_private: bool,
}

/// All names that are defined, by family of languages.
struct Names<'a> {
    /// The definitions of a name, and of a name as a type, in the order of the files.
    meant: HashMap<(u8, bool, &'a str), Vec<Candidate>>,
    /// How many files refer to it.
    used: HashMap<(u8, &'a str), usize>,
}

impl<'a> Names<'a> {
    fn new(graph: &Graph, snapshot: &'a Snapshot) -> Names<'a> {
        let mut out = Names { meant: HashMap::new(), used: HashMap::new() };
        for (at, file) in snapshot.files.iter().enumerate() {
            let Some(family) = file.language.map(Language::family) else { continue };
            for (d, definition) in file.tags.definitions.iter().enumerate() {
                let Some(found) = graph.node(at, node(d)).filter(|_| is_referred_to(&file.tags, definition)) else { continue };
                for as_type in [false, true].into_iter().filter(|as_type| !as_type || definition.kind.is_type()) {
                    let candidate = Candidate { node: found, file: node(at), is_private: definition.private };
                    out.meant.entry((family, as_type, definition.name.as_str())).or_default().push(candidate);
                }
            }
            for name in &file.tags.names {
                *out.used.entry((family, name)).or_default() += 1;
            }
        }
        out
    }

    fn files_that_use(&self, language: Language, name: &str) -> usize {
        self.used.get(&(language.family(), name)).copied().unwrap_or(1)
    }

    /// What a name of a file may mean, and whether that stands in the same file; `None` when it may mean nothing, or anything.
    fn meant<'n>(&'n self, language: Language, name: &'n str, as_type: bool, file: usize) -> Option<(&'n [Candidate], bool)> {
        let all = self.meant.get(&(language.family(), as_type, name))?;
        let (from, to) = (all.partition_point(|c| (c.file as usize) < file), all.partition_point(|c| (c.file as usize) <= file));
        let local = from < to;
        let meant = if local { all.get(from..to)? } else { all.as_slice() };
        (meant.len() <= MAX_CANDIDATES).then_some((meant, local))
    }
}

/// Whether a name alone can mean a definition: blocks name what is defined elsewhere, and types of a trait are the trait's.
fn is_referred_to(tags: &Tags, definition: &Definition) -> bool {
    let around = definition.within.and_then(|w| tags.definitions.get(w as usize));
    let is_associated =
        definition.kind == Kind::Type && around.is_some_and(|d| matches!(d.kind, Kind::Implementation | Kind::Interface));
    definition.kind != Kind::Implementation && !is_associated
}

/// The definition around a reference, the name, and whether it is used as a type.
type Used = (Option<u32>, u32, bool);

/// How often each name is referred to from each definition of a file, as a type or otherwise.
fn counts(tags: &Tags) -> Vec<(Used, usize)> {
    let mut all: Vec<Used> = tags.references.iter().map(|r| (r.within, r.name, r.kind == Use::Type)).collect();
    all.sort_unstable();
    let mut out: Vec<(Used, usize)> = Vec::new();
    for one in all {
        match out.last_mut() {
            Some((last, count)) if *last == one => *count += 1,
            _ => out.push((one, 1)),
        }
    }
    out
}
