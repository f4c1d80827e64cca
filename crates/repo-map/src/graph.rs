//! The graph of references between files and definitions.
//!
//! A reference makes an edge from its enclosing definition (or file) to every definition that it
//! may mean. Only its name is known: candidates in the same file take precedence over those in
//! other files of the same family of languages. A name with more than [`MAX_CANDIDATES`] candidates
//! carries no information. It makes no edge, which also bounds the size of the graph. What tests
//! define is only a candidate if nothing else is.

use super::common;
use super::language::Language;
use super::map::Ranking;
use super::roles;
use super::snapshot::{File, Snapshot};
use super::tags::{Definition, Kind, Tags, Use};
use rayon::prelude::*;
use std::collections::HashMap;

/// Maximum number of definitions among which a reference is divided.
const MAX_CANDIDATES: usize = 16;

/// The weight of a reference from another file to a private definition.
const PRIVATE: f64 = 0.1;

/// The weight of a reference from a product to a test.
const TO_TEST: f64 = 0.1;

/// The fraction of a definition's vote for its enclosing definition, and of a file's vote for its
/// top-level definitions.
const UPWARDS: f64 = 0.25;

/// The index of a file or definition in the graph. Files come first, in the order of the snapshot.
pub(super) type Node = u32;

/// Source, target and weight of an edge.
pub(super) type Edge = (Node, Node, f64);

/// The graph of references.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The index of the file of each definition, and its index within the file.
    pub(super) definitions: Vec<(u32, u32)>,
    /// The node of the first definition of each file, followed by the number of nodes.
    pub(super) first: Vec<Node>,
    pub(super) files: usize,
    /// Whether each node is a part of a test, an example or a benchmark.
    pub(super) supporting: Vec<bool>,
    /// Edges with the fraction of the source's vote, sorted; each pair occurs once. The fractions
    /// of a node add up to at most one.
    pub(super) edges: Vec<Edge>,
}

fn node(n: usize) -> Node {
    Node::try_from(n).unwrap_or(Node::MAX)
}

/// Converts a count to a float for weights.
pub(super) fn float(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

impl Graph {
    /// Builds the graph of a snapshot.
    pub(super) fn new(snapshot: &Snapshot, ranking: Ranking) -> Graph {
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
        graph.find_supporting(snapshot);
        graph.connect(snapshot, ranking);
        graph
    }

    /// Determines which nodes are parts of tests.
    fn find_supporting(&mut self, snapshot: &Snapshot) {
        let files = snapshot
            .files
            .iter()
            .map(|f| roles::is_supporting_file(&f.path, f.language));
        self.supporting = files.collect();
        for file in &snapshot.files {
            self.supporting.extend(file.supporting());
        }
    }

    /// Returns whether a node is a part of a test, an example or a benchmark.
    pub(super) fn is_supporting(&self, node: Node) -> bool {
        self.supporting.get(node as usize).copied().unwrap_or(false)
    }

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.files + self.definitions.len()
    }

    /// Returns the node of a definition of a file.
    pub(super) fn node(&self, file: usize, definition: u32) -> Option<Node> {
        Some(self.first.get(file)? + definition)
    }

    /// Returns the file that a node is, or that contains it.
    pub(super) fn file_of(&self, node: Node) -> usize {
        let at = node as usize;
        at.checked_sub(self.files)
            .and_then(|d| self.definitions.get(d))
            .map_or(at, |(file, _)| *file as usize)
    }

    fn connect(&mut self, snapshot: &Snapshot, ranking: Ranking) {
        let names = Names::new(self, snapshot, ranking);
        let files = snapshot.files.par_iter().enumerate();
        let one = |votes: &mut Votes, (at, file): (usize, &File)| match file.language {
            None => Vec::new(),
            Some(_) => self.of_file(at, &file.tags, &names, votes),
        };
        let parts: Vec<Vec<Edge>> = files.map_init(Votes::default, one).collect();
        // Each part is sorted: edges of the file come before those of its definitions. Nodes have
        // the same order.
        let parted = parts
            .iter()
            .map(|part| part.split_at(part.partition_point(|e| (e.0 as usize) < self.files)));
        let (of_files, of_definitions): (Vec<_>, Vec<_>) = parted.unzip();
        self.edges = [of_files, of_definitions].concat().concat();
    }

    /// Returns the edges from one file and its definitions, sorted.
    fn of_file(&self, at: usize, tags: &Tags, names: &Names, votes: &mut Votes) -> Vec<Edge> {
        votes.clear(tags.definitions.len());
        // References are sorted by name, so each name is resolved once per file.
        let mut resolved: Option<((u32, bool), Meaning<'_>)> = None;
        for ((name, is_type, within), count) in counts(tags) {
            let meaning = match &resolved {
                Some((last, meaning)) if *last == (name, is_type) => meaning,
                _ => {
                    &resolved
                        .insert(((name, is_type), names.resolve(at, name, is_type)))
                        .1
                }
            };
            if meaning.candidates.is_empty() {
                continue;
            }
            let from = within
                .and_then(|w| self.node(at, w))
                .unwrap_or_else(|| node(at));
            let weight = match names.ranking {
                Ranking::Weighted => float(count).sqrt(),
                Ranking::Plain | Ranking::Source => float(count),
            };
            let known = weight * meaning.specificity / float(meaning.candidates.len());
            votes.add(within, weight);
            for candidate in meaning.candidates.iter().filter(|c| c.node != from) {
                let mut part = known;
                if !meaning.is_local && candidate.is_private {
                    part *= PRIVATE;
                }
                let is_weighted = names.ranking == Ranking::Weighted;
                if is_weighted && self.is_supporting(candidate.node) && !self.is_supporting(from) {
                    part *= TO_TEST;
                }
                votes.edges.push((from, candidate.node, part));
            }
        }
        self.normalise(at, tags, names.ranking, votes)
    }

    /// Adds the votes for enclosing definitions, and scales the edges to fractions of each node's
    /// vote.
    fn normalise(&self, at: usize, tags: &Tags, ranking: Ranking, votes: &mut Votes) -> Vec<Edge> {
        let share = |sum: f64| {
            if sum > 0.0 {
                sum * UPWARDS / (1.0 - UPWARDS)
            } else {
                1.0
            }
        };
        let mut upwards: Vec<(Option<u32>, Node, Node, f64)> = Vec::new();
        let mut top = Vec::new();
        let all: &[Definition] = match ranking {
            Ranking::Weighted => &tags.definitions,
            Ranking::Plain | Ranking::Source => &[],
        };
        for (d, definition) in (0..).zip(all) {
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
            votes.add(within, weight);
            votes.edges.push((from, to, weight));
        }
        // The sort is stable, so the votes of a pair are added up in the order in which they were
        // found.
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

/// The votes of one file and its definitions.
#[derive(Default)]
struct Votes {
    edges: Vec<Edge>,
    /// The sum of each definition's votes, including those that make no edge.
    sums: Vec<f64>,
    /// The sum of the file's own votes.
    of_file: f64,
}

impl Votes {
    fn clear(&mut self, definitions: usize) {
        self.edges.clear();
        self.sums.clear();
        self.sums.resize(definitions, 0.0);
        self.of_file = 0.0;
    }

    /// Adds to the sum of a definition's votes, or of the file's.
    fn add(&mut self, from: Option<u32>, weight: f64) {
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

/// A definition that a name may mean.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    node: Node,
    file: u32,
    is_private: bool,
}

/// The candidates for a name in a file.
struct Meaning<'a> {
    /// Empty if there are none or too many.
    candidates: &'a [Candidate],
    /// Whether the candidates are in the same file.
    is_local: bool,
    /// Factor for how specific the name is.
    specificity: f64,
}

/// The definitions of a name: first those of the product, then those of tests, both in the order of
/// the files.
#[derive(Debug, Default)]
struct Candidates {
    all: Vec<Candidate>,
    /// Number of definitions that aren't in tests.
    product: usize,
}

impl Candidates {
    /// Adds a definition. Those of tests have to come last.
    fn push(&mut self, candidate: Candidate, is_supporting: bool) {
        self.all.push(candidate);
        if !is_supporting {
            self.product = self.all.len();
        }
    }

    /// Returns the definitions in a file, and whether there are any; else those of the product;
    /// else those of tests.
    fn resolve(&self, file: usize) -> (&[Candidate], bool) {
        let (product, tests) = self.all.split_at_checked(self.product).unwrap_or_default();
        for part in [product, tests] {
            let from = part.partition_point(|c| (c.file as usize) < file);
            let to = part.partition_point(|c| (c.file as usize) <= file);
            if from < to {
                return (part.get(from..to).unwrap_or_default(), true);
            }
        }
        (if product.is_empty() { tests } else { product }, false)
    }
}

/// A name that is referred to, in one family of languages.
#[derive(Debug, Default)]
struct NameEntry {
    /// Its definitions.
    definitions: Candidates,
    /// The definitions that a reference to a type can mean.
    types: Candidates,
    specificity: f64,
}

/// All names that are referred to.
struct Names {
    entries: Vec<NameEntry>,
    /// The index in `entries` of each name of each file. Only building this table hashes names.
    of_files: Vec<Vec<u32>>,
    ranking: Ranking,
}

impl Names {
    fn new(graph: &Graph, snapshot: &Snapshot, ranking: Ranking) -> Names {
        let mut out = Names {
            ranking,
            entries: Vec::new(),
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
                *places.entry(key).or_insert_with(|| {
                    out.entries.push(NameEntry {
                        specificity: common::weight(key.1),
                        ..NameEntry::default()
                    });
                    node(out.entries.len() - 1)
                })
            });
            out.of_files.push(of_file.collect());
        }
        for is_supporting in [false, true] {
            for (at, file) in snapshot.files.iter().enumerate() {
                out.add_definitions(graph, (at, file), is_supporting, &places);
            }
        }
        out
    }

    /// Adds the definitions of a file that are, or aren't, parts of tests.
    fn add_definitions(
        &mut self,
        graph: &Graph,
        (at, file): (usize, &File),
        is_supporting: bool,
        places: &HashMap<(u8, &str), u32>,
    ) {
        let Some(family) = file.language.map(Language::family) else {
            return;
        };
        for (d, definition) in (0..).zip(&file.tags.definitions) {
            let found = graph.node(at, d).filter(|n| {
                graph.is_supporting(*n) == is_supporting && is_referred_to(&file.tags, definition)
            });
            let Some(found) = found else {
                continue;
            };
            let place = places.get(&(family, definition.name.as_str()));
            let Some(known) = place.and_then(|p| self.entries.get_mut(*p as usize)) else {
                continue;
            };
            let candidate = Candidate {
                node: found,
                file: node(at),
                is_private: definition.private,
            };
            known.definitions.push(candidate, is_supporting);
            if definition.kind.is_type() {
                known.types.push(candidate, is_supporting);
            }
        }
    }

    /// Returns the candidates for a name in a file. `name` is its index in the file's list of
    /// names.
    fn resolve(&self, file: usize, name: u32, as_type: bool) -> Meaning<'_> {
        let place = self
            .of_files
            .get(file)
            .and_then(|names| names.get(name as usize));
        let Some(known) = place.and_then(|p| self.entries.get(*p as usize)) else {
            return Meaning {
                candidates: &[],
                is_local: false,
                specificity: 0.0,
            };
        };
        let all = if as_type {
            &known.types
        } else {
            &known.definitions
        };
        let (meant, is_local) = match self.ranking {
            Ranking::Weighted => all.resolve(file),
            // Treated as local, so that nothing is weighted.
            Ranking::Plain | Ranking::Source => (all.all.as_slice(), true),
        };
        let candidates = if meant.len() <= MAX_CANDIDATES {
            meant
        } else {
            &[]
        };
        Meaning {
            candidates,
            is_local,
            specificity: match self.ranking {
                Ranking::Weighted => known.specificity,
                Ranking::Plain | Ranking::Source => 1.0,
            },
        }
    }
}

/// Returns whether a reference by name alone can mean a definition. An implementation block only
/// repeats a name, and associated types are referred to through their trait.
fn is_referred_to(tags: &Tags, definition: &Definition) -> bool {
    let around = definition
        .within
        .and_then(|w| tags.definitions.get(w as usize));
    let is_associated = definition.kind == Kind::Type
        && around.is_some_and(|d| matches!(d.kind, Kind::Implementation | Kind::Interface));
    definition.kind != Kind::Implementation && !is_associated
}

/// A name, whether it is used as a type, and the enclosing definition.
type ReferenceKey = (u32, bool, Option<u32>);

/// Counts the references to each name, by enclosing definition and by use as a type. The result is
/// sorted.
fn counts(tags: &Tags) -> Vec<(ReferenceKey, usize)> {
    let mut all: Vec<ReferenceKey> = tags
        .references
        .iter()
        .map(|r| (r.name, r.kind == Use::Type, r.within))
        .collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b)
        .filter_map(|same| Some((*same.first()?, same.len())))
        .collect()
}
