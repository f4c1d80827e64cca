//! Who refers to whom: a graph of files and definitions.
//!
//! A reference is an edge from the definition around it (or the file) to every definition that it
//! may mean. What it means isn't known, only its name: candidates in the same file come first, then
//! those of the same family of languages. A name with more than [`MAX_CANDIDATES`] candidates says
//! nothing and makes no edge, which also bounds the size of the graph. A name that many files use
//! says less of each: it weighs the less, by the root of their number.

use super::common;
use super::language::Language;
use super::snapshot::{File, Snapshot};
use super::tags::{Definition, Kind, Tags, Use};
use rayon::prelude::*;
use std::collections::HashMap;

/// Definitions of one name that a reference is spread over.
const MAX_CANDIDATES: usize = 16;

/// The weight of references from another file to what is private there.
const PRIVATE: f64 = 0.1;

/// The part of a definition's vote that goes to the definition around it, and of a file's to what
/// it defines.
const UPWARDS: f64 = 0.25;

/// A definition's or a file's place in the graph: files first, in the order of the snapshot, then
/// definitions.
pub(super) type Node = u32;

/// From, to, weight.
pub(super) type Edge = (Node, Node, f64);

/// The graph.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The file and the place in its list of each definition.
    pub(super) definitions: Vec<(u32, u32)>,
    /// The first definition's node of each file, and one more for the end.
    pub(super) first: Vec<Node>,
    /// How many files there are.
    pub(super) files: usize,
    /// From, to, part of the vote; sorted, each pair once. What leaves a node sums up to one at
    /// most.
    pub(super) edges: Vec<Edge>,
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
        let mut graph = Graph {
            files: snapshot.files.len(),
            ..Graph::default()
        };
        for (file, content) in snapshot.files.iter().enumerate() {
            graph
                .first
                .push(node(graph.files + graph.definitions.len()));
            graph
                .definitions
                .extend((0..content.tags.definitions.len()).map(|d| (node(file), node(d))));
        }
        graph
            .first
            .push(node(graph.files + graph.definitions.len()));
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
        at.checked_sub(self.files)
            .and_then(|d| self.definitions.get(d))
            .map_or(at, |(file, _)| *file as usize)
    }

    fn connect(&mut self, snapshot: &Snapshot) {
        let names = Names::new(self, snapshot);
        let files = snapshot.files.par_iter().enumerate();
        let one = |votes: &mut Votes, (at, file): (usize, &File)| match file.language {
            None => Vec::new(),
            Some(_) => self.of_file(at, &file.tags, &names, votes),
        };
        let parts: Vec<Vec<Edge>> = files.map_init(Votes::default, one).collect();
        // Each part is sorted, what leaves the file before what leaves its definitions, as nodes
        // are.
        let parted = parts
            .iter()
            .map(|part| part.split_at(part.partition_point(|e| (e.0 as usize) < self.files)));
        let (of_files, of_definitions): (Vec<_>, Vec<_>) = parted.unzip();
        self.edges = [of_files, of_definitions].concat().concat();
    }

    /// What leaves the nodes of one file, sorted.
    fn of_file(&self, at: usize, tags: &Tags, names: &Names, votes: &mut Votes) -> Vec<Edge> {
        votes.clear(tags.definitions.len());
        // References come sorted by name: what a name means in a file is looked up once.
        let mut asked: Option<((u32, bool), Meaning<'_>)> = None;
        for ((name, is_type, within), count) in counts(tags) {
            let meaning = match &asked {
                Some((last, meaning)) if *last == (name, is_type) => meaning,
                _ => {
                    &asked
                        .insert(((name, is_type), names.meant(at, name, is_type)))
                        .1
                }
            };
            if meaning.candidates.is_empty() {
                continue;
            }
            let from = within
                .and_then(|w| self.node(at, w))
                .unwrap_or_else(|| node(at));
            let weight = float(count).sqrt() * meaning.rare;
            let known = weight * meaning.said / float(meaning.candidates.len());
            votes.spend(within, weight);
            for candidate in meaning.candidates.iter().filter(|c| c.node != from) {
                let private = !meaning.is_local && candidate.is_private;
                votes.edges.push((
                    from,
                    candidate.node,
                    known * if private { PRIVATE } else { 1.0 },
                ));
            }
        }
        self.settle(at, tags, votes)
    }

    /// What leaves the nodes of one file, with the votes for what is around, in parts of the whole
    /// vote of each node.
    fn settle(&self, at: usize, tags: &Tags, votes: &mut Votes) -> Vec<Edge> {
        let share = |sum: f64| {
            if sum > 0.0 {
                sum * UPWARDS / (1.0 - UPWARDS)
            } else {
                1.0
            }
        };
        let mut upwards: Vec<(Option<u32>, Node, Node, f64)> = Vec::new();
        let mut top = Vec::new();
        for (d, definition) in (0..).zip(&tags.definitions) {
            let Some(here) = self.node(at, d) else {
                continue;
            };
            match definition.within.and_then(|w| self.node(at, w)) {
                Some(outer) => upwards.push((Some(d), here, outer, share(votes.sum(Some(d))))),
                None => top.push(here),
            }
        }
        let each = share(votes.sum(None)) / float(top.len().max(1));
        upwards.extend(top.into_iter().map(|to| (None, node(at), to, each)));
        for (within, from, to, weight) in upwards {
            votes.spend(within, weight);
            votes.edges.push((from, to, weight));
        }
        // What one node votes for is added up in the order in which it was found.
        votes.edges.sort_by_key(|e| (e.0, e.1));
        let first = self.first.get(at).copied().unwrap_or(Node::MAX);
        let pairs = votes.edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
        let sums = pairs.filter_map(|pair| {
            let (from, to, _) = *pair.first()?;
            let weight: f64 = pair.iter().fold(0.0, |sum, e| sum + e.2);
            Some((from, to, weight / votes.sum(from.checked_sub(first))))
        });
        sums.collect()
    }
}

/// What the nodes of one file vote for.
#[derive(Default)]
struct Votes {
    edges: Vec<Edge>,
    /// The whole vote of each definition, with what goes nowhere.
    sums: Vec<f64>,
    /// That of the file itself.
    of_file: f64,
}

impl Votes {
    fn clear(&mut self, definitions: usize) {
        self.edges.clear();
        self.sums.clear();
        self.sums.resize(definitions, 0.0);
        self.of_file = 0.0;
    }

    /// Adds to the whole vote of a definition, or of the file.
    fn spend(&mut self, from: Option<u32>, weight: f64) {
        match from {
            None => self.of_file += weight,
            Some(at) => {
                if let Some(sum) = self.sums.get_mut(at as usize) {
                    *sum += weight;
                }
            }
        }
    }

    fn sum(&self, from: Option<u32>) -> f64 {
        from.map_or(self.of_file, |at| {
            self.sums.get(at as usize).copied().unwrap_or(0.0)
        })
    }
}

/// What a name may mean.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    node: Node,
    file: u32,
    is_private: bool,
}

/// What a name means in a file.
struct Meaning<'a> {
    /// None when it may mean nothing, or anything.
    candidates: &'a [Candidate],
    /// Whether they are in the same file.
    is_local: bool,
    /// The part of a reference that counts, for how many files use the name.
    rare: f64,
    /// The part of that which counts, for what the name itself says.
    said: f64,
}

/// A name that is referred to somewhere, in one family of languages.
#[derive(Debug, Default)]
struct Known {
    /// Its definitions, in the order of the files.
    meant: Vec<Candidate>,
    /// Those that can be meant where a type is named.
    types: Vec<Candidate>,
    /// How many files refer to it.
    users: usize,
    said: f64,
}

/// All names that are referred to.
struct Names {
    known: Vec<Known>,
    /// The place in that list of each name of each file. Names are hashed only to fill it.
    of_files: Vec<Vec<u32>>,
}

impl Names {
    fn new(graph: &Graph, snapshot: &Snapshot) -> Names {
        let mut out = Names {
            known: Vec::new(),
            of_files: Vec::with_capacity(snapshot.files.len()),
        };
        let mut places: HashMap<(u8, &str), u32> = HashMap::new();
        for file in &snapshot.files {
            let family = file.language.map(Language::family);
            let names = family.into_iter().flat_map(|family| {
                file.tags
                    .names
                    .iter()
                    .map(move |name| (family, name.as_str()))
            });
            let of_file = names.map(|key| {
                let place = *places.entry(key).or_insert_with(|| {
                    out.known.push(Known {
                        said: common::weight(key.1),
                        ..Known::default()
                    });
                    node(out.known.len() - 1)
                });
                if let Some(known) = out.known.get_mut(place as usize) {
                    known.users += 1;
                }
                place
            });
            out.of_files.push(of_file.collect());
        }
        for (at, file) in snapshot.files.iter().enumerate() {
            let Some(family) = file.language.map(Language::family) else {
                continue;
            };
            for (d, definition) in (0..).zip(&file.tags.definitions) {
                let Some(found) = graph
                    .node(at, d)
                    .filter(|_| is_referred_to(&file.tags, definition))
                else {
                    continue;
                };
                let place = places.get(&(family, definition.name.as_str()));
                let Some(known) = place.and_then(|p| out.known.get_mut(*p as usize)) else {
                    continue;
                };
                let candidate = Candidate {
                    node: found,
                    file: node(at),
                    is_private: definition.private,
                };
                known.meant.push(candidate);
                if definition.kind.is_type() {
                    known.types.push(candidate);
                }
            }
        }
        out
    }

    /// What a name of a file, given by its place in the file's list, means there.
    fn meant(&self, file: usize, name: u32, as_type: bool) -> Meaning<'_> {
        let place = self
            .of_files
            .get(file)
            .and_then(|names| names.get(name as usize));
        let Some(known) = place.and_then(|p| self.known.get(*p as usize)) else {
            return Meaning {
                candidates: &[],
                is_local: false,
                rare: 0.0,
                said: 0.0,
            };
        };
        let all = if as_type { &known.types } else { &known.meant };
        let (from, to) = (
            all.partition_point(|c| (c.file as usize) < file),
            all.partition_point(|c| (c.file as usize) <= file),
        );
        let is_local = from < to;
        let meant = if is_local {
            all.get(from..to).unwrap_or_default()
        } else {
            all.as_slice()
        };
        let candidates = if meant.len() <= MAX_CANDIDATES {
            meant
        } else {
            &[]
        };
        Meaning {
            candidates,
            is_local,
            rare: 1.0 / float(known.users.max(1)).sqrt(),
            said: known.said,
        }
    }
}

/// Whether a name alone can mean a definition: blocks name what is defined elsewhere, and types of
/// a trait are the trait's.
fn is_referred_to(tags: &Tags, definition: &Definition) -> bool {
    let around = definition
        .within
        .and_then(|w| tags.definitions.get(w as usize));
    let is_associated = definition.kind == Kind::Type
        && around.is_some_and(|d| matches!(d.kind, Kind::Implementation | Kind::Interface));
    definition.kind != Kind::Implementation && !is_associated
}

/// A name, whether it is used as a type, and the definition around the reference.
type Used = (u32, bool, Option<u32>);

/// How often each name is referred to from each definition of a file, as a type or otherwise;
/// sorted.
fn counts(tags: &Tags) -> Vec<(Used, usize)> {
    let mut all: Vec<Used> = tags
        .references
        .iter()
        .map(|r| (r.name, r.kind == Use::Type, r.within))
        .collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b)
        .filter_map(|same| Some((*same.first()?, same.len())))
        .collect()
}
