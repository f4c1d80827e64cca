//! Personalised `PageRank` over the graph of references (Page, Brin, Motwani, Winograd 1999).
//!
//! The result is the same on every machine: the number of rounds and the order of sums are fixed,
//! and only operations that IEEE 754 defines to the last bit are used.

use super::changes::Changes;
use super::graph::{Graph, Node, float};
use super::map::Ranking;
use super::snapshot::Snapshot;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The fraction of its rank that a node passes on.
const DAMPING: f64 = 0.85;

/// Number of rounds. With the damping above, a further round changes less than 1 % of the total.
const ROUNDS: usize = 30;

/// The fraction of the initial weight that focus, query and changes get, if they are given.
const PERSONAL: f64 = 0.6;

/// The fraction of the weight of changes that those get who use what is changed.
const USERS: f64 = 0.3;

/// The factor for the initial weight of tests, and so for their votes.
const SUPPORTING_START: f64 = 0.1;

/// The most that all tests together weigh at first, as a fraction of everything else. A tree with
/// many tests would otherwise show what tests are made with before what they test.
const SUPPORTING_SHARE: f64 = 0.04;

/// The factor for the rank of tests among the entries of a map.
const SUPPORTING_RANK: f64 = 0.1;

/// What the user is interested in.
#[derive(Debug, Clone, Default)]
pub(super) struct Interest<'a> {
    /// Paths of files or directories.
    pub(super) focus: &'a [String],
    /// Search words, as text.
    pub(super) query: &'a str,
    /// A change of the tree.
    pub(super) changes: Option<&'a Changes>,
}

/// The rank of each node, with the reasons for it.
#[derive(Debug)]
pub(super) struct Ranks {
    /// Rank by node. The ranks add up to one.
    pub of: Vec<f64>,
    /// The words of the query that each file matches, by file.
    pub(super) words: BTreeMap<usize, Vec<String>>,
    /// Whether each file is in focus, by file.
    pub(super) focused: Vec<bool>,
    /// Whether each file is changed, by file.
    pub(super) changed: Vec<bool>,
    /// The factor for the rank of each node among the entries.
    factors: Vec<f64>,
}

/// The incoming votes of each node. The votes of a node are always added up in the same order, so
/// the result doesn't depend on which thread does it.
struct Votes {
    /// Index of the first vote of each node, followed by the number of votes.
    first: Vec<u32>,
    /// The voting node and the fraction of its rank.
    all: Vec<(Node, f64)>,
}

impl Votes {
    /// Collects the votes of a graph, sorted by the receiving node, then by the voting one.
    fn new(graph: &Graph) -> Votes {
        let mut first = vec![0_u32; graph.len() + 1];
        for (_, to, _) in &graph.edges {
            if let Some(count) = first.get_mut(*to as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut first {
            sum += *start;
            *start = sum;
        }
        let mut next = first.clone();
        let mut all = vec![(0, 0.0); graph.edges.len()];
        for (from, to, part) in &graph.edges {
            let Some(place) = next.get_mut(*to as usize) else {
                continue;
            };
            if let Some(vote) = all.get_mut(*place as usize) {
                *vote = (*from, *part);
            }
            *place += 1;
        }
        Votes { first, all }
    }

    /// Returns the rank that a node receives, given the ranks of all nodes.
    fn sum(&self, node: usize, ranks: &[f64]) -> f64 {
        let place = |at: usize| self.first.get(at).map_or(0, |place| *place as usize);
        let votes = self
            .all
            .get(place(node)..place(node + 1))
            .unwrap_or_default();
        votes
            .iter()
            .map(|(from, part)| ranks.get(*from as usize).map_or(0.0, |rank| rank * part))
            .fold(0.0, |sum, vote| sum + vote)
    }
}

impl Ranks {
    /// Computes the ranks of all nodes.
    pub(super) fn new(
        graph: &Graph,
        snapshot: &Snapshot,
        interest: &Interest<'_>,
        ranking: Ranking,
    ) -> Ranks {
        let focused: Vec<bool> = snapshot
            .files
            .iter()
            .map(|f| is_focused(&f.path, interest.focus))
            .collect();
        let changed: Vec<bool> = snapshot
            .files
            .iter()
            .map(|f| {
                interest
                    .changes
                    .is_some_and(|c| c.files.contains_key(&f.path))
            })
            .collect();
        let mut words = BTreeMap::new();
        let start = match ranking {
            Ranking::Weighted => start(graph, snapshot, interest, &focused, &mut words),
            Ranking::Plain | Ranking::Source => whole(vec![1.0; graph.len()]).unwrap_or_default(),
        };
        let mut of = start.clone();
        let mut passed = vec![0.0; of.len()];
        for (from, _, part) in &graph.edges {
            if let Some(sum) = passed.get_mut(*from as usize) {
                *sum += part;
            }
        }
        let votes = Votes::new(graph);
        let mut next = vec![0.0; of.len()];
        for _ in 0..ROUNDS {
            // Rank that no edge passes on is distributed like the initial weight.
            let lost: f64 = of
                .iter()
                .zip(&passed)
                .map(|(rank, passed)| rank * (1.0 - passed))
                .sum();
            let of_node = |(node, (into, base)): (usize, (&mut f64, &f64))| {
                *into = DAMPING * (votes.sum(node, &of) + lost * base) + (1.0 - DAMPING) * base;
            };
            next.par_iter_mut()
                .zip(&start)
                .enumerate()
                .with_min_len(4_096)
                .for_each(of_node);
            std::mem::swap(&mut of, &mut next);
        }
        let factors = (0..graph.len()).map(|at| {
            let node = Node::try_from(at).unwrap_or(Node::MAX);
            let file = graph.file_of(node);
            let is = |list: &[bool]| list.get(file).copied().unwrap_or(false);
            // Who names a test wants to see it.
            let is_named = is(&focused) || is(&changed);
            if ranking == Ranking::Weighted && graph.is_supporting(node) && !is_named {
                SUPPORTING_RANK
            } else {
                1.0
            }
        });
        let factors = factors.collect();
        Ranks {
            of,
            words,
            focused,
            changed,
            factors,
        }
    }

    /// Returns the rank of a node among the entries of a map, where tests come last.
    pub(super) fn of_entry(&self, node: Node) -> f64 {
        self.get(node) * self.factors.get(node as usize).copied().unwrap_or(1.0)
    }

    /// Returns the rank of a node.
    pub fn get(&self, node: Node) -> f64 {
        self.of.get(node as usize).copied().unwrap_or(0.0)
    }

    /// Returns the rank of each file, including everything that it defines.
    pub(super) fn of_files(&self, graph: &Graph) -> Vec<f64> {
        Self::sums(graph, |node| self.get(node))
    }

    /// Returns the rank of each file among the files of a map, where tests come last.
    pub(super) fn of_file_entries(&self, graph: &Graph) -> Vec<f64> {
        Self::sums(graph, |node| self.of_entry(node))
    }

    fn sums(graph: &Graph, of: impl Fn(Node) -> f64) -> Vec<f64> {
        let mut out = vec![0.0; graph.files];
        for at in 0..graph.len() {
            let node = Node::try_from(at).unwrap_or(Node::MAX);
            if let Some(sum) = out.get_mut(graph.file_of(node)) {
                *sum += of(node);
            }
        }
        out
    }

    /// Returns the weight that each file gets from each other file, by voting and receiving file.
    pub(super) fn votes(&self, graph: &Graph) -> BTreeMap<(usize, usize), f64> {
        let mut out = BTreeMap::new();
        for (from, to, weight) in &graph.edges {
            let (source, target) = (graph.file_of(*from), graph.file_of(*to));
            if source != target {
                *out.entry((target, source)).or_default() += DAMPING * self.get(*from) * weight;
            }
        }
        out
    }
}

/// Returns whether a path is one of these files or lies in one of these directories.
pub(super) fn is_focused(path: &str, focus: &[String]) -> bool {
    focus.iter().any(|f| {
        let f = f.strip_prefix("./").unwrap_or(f).trim_end_matches('/');
        path.strip_prefix(f)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            || f == "."
            || f.is_empty()
    })
}

/// Returns the initial weights: a part for all nodes, the rest for focus and query.
fn start(
    graph: &Graph,
    snapshot: &Snapshot,
    interest: &Interest<'_>,
    focused: &[bool],
    words: &mut BTreeMap<usize, Vec<String>>,
) -> Vec<f64> {
    let everywhere = (0..graph.len()).map(|at| {
        match at
            .checked_sub(graph.files)
            .and_then(|d| graph.definitions.get(d))
        {
            None => 0.5,
            Some((file, d)) => {
                let definition = snapshot
                    .files
                    .get(*file as usize)
                    .and_then(|f| f.tags.definitions.get(*d as usize));
                if definition.is_some_and(|d| d.private) {
                    0.3
                } else {
                    1.0
                }
            }
        }
    });
    let mut everywhere: Vec<f64> = everywhere.collect();
    weaken_tests(graph, &mut everywhere);
    let mut parts = vec![(1.0, whole(everywhere))];
    let focus = (0..graph.len()).map(|at| {
        let file = graph.file_of(Node::try_from(at).unwrap_or(Node::MAX));
        if focused.get(file).copied().unwrap_or(false) {
            1.0
        } else {
            0.0
        }
    });
    parts.push((PERSONAL, whole(focus.collect())));
    parts.push((
        PERSONAL,
        whole(matching(graph, snapshot, interest.query, words)),
    ));
    parts.push((
        PERSONAL,
        interest
            .changes
            .and_then(|changes| whole(touched(graph, snapshot, changes))),
    ));
    let mut out = vec![0.0; graph.len()];
    // The general part gets what focus and query leave.
    let personal: Vec<(f64, Vec<f64>)> = parts
        .drain(1..)
        .filter_map(|(share, p)| Some((share, p?)))
        .collect();
    let share = if personal.is_empty() {
        0.0
    } else {
        PERSONAL / float(personal.len())
    };
    if let Some((_, Some(everywhere))) = parts.into_iter().next() {
        for (into, part) in out.iter_mut().zip(everywhere) {
            *into = part
                * if personal.is_empty() {
                    1.0
                } else {
                    1.0 - PERSONAL
                };
        }
    }
    for (_, part) in personal {
        for (into, part) in out.iter_mut().zip(part) {
            *into += share * part;
        }
    }
    out
}

/// Lowers the initial weights of tests.
fn weaken_tests(graph: &Graph, weights: &mut [f64]) {
    let (mut tests, mut rest) = (0.0, 0.0);
    for (weight, is_supporting) in weights.iter().zip(&graph.supporting) {
        if *is_supporting {
            tests += weight;
        } else {
            rest += weight;
        }
    }
    // In a tree of tests alone, their weights are all there is.
    if tests <= 0.0 || rest <= 0.0 {
        return;
    }
    let factor = SUPPORTING_START.min(SUPPORTING_SHARE * rest / tests);
    for (weight, is_supporting) in weights.iter_mut().zip(&graph.supporting) {
        if *is_supporting {
            *weight *= factor;
        }
    }
}

/// Weighs what a change touches: the changed definitions, changed files without any, and those who
/// use a changed or a removed definition.
fn touched(graph: &Graph, snapshot: &Snapshot, changes: &Changes) -> Vec<f64> {
    let mut own = vec![0.0; graph.len()];
    let mut users = vec![0.0; graph.len()];
    for (at, file) in snapshot.files.iter().enumerate() {
        if let Some(changed) = changes.files.get(&file.path) {
            let nodes = changed.iter().filter_map(|d| graph.node(at, *d));
            for node in nodes.chain(
                changed
                    .is_empty()
                    .then(|| Node::try_from(at).unwrap_or(Node::MAX)),
            ) {
                if let Some(into) = own.get_mut(node as usize) {
                    *into = 1.0;
                }
            }
        }
        let Some(family) = file.language.map(super::Language::family) else {
            continue;
        };
        if changes.removed.is_empty() {
            continue;
        }
        let is_removed: Vec<bool> = file
            .tags
            .names
            .iter()
            .map(|name| changes.removed.contains(&(family, name.clone())))
            .collect();
        for reference in &file.tags.references {
            if is_removed
                .get(reference.name as usize)
                .copied()
                .unwrap_or(false)
            {
                let node = reference.within.and_then(|w| graph.node(at, w));
                if let Some(into) = users.get_mut(node.map_or(at, |n| n as usize)) {
                    *into = 1.0;
                }
            }
        }
    }
    for (from, to, weight) in &graph.edges {
        let is_changed = |node: Node| own.get(node as usize).is_some_and(|w| *w > 0.0);
        if is_changed(*to)
            && !is_changed(*from)
            && let Some(into) = users.get_mut(*from as usize)
        {
            *into += weight;
        }
    }
    match (whole(own), whole(users)) {
        (Some(own), Some(users)) => own
            .into_iter()
            .zip(users)
            .map(|(own, user)| own * (1.0 - USERS) + user * USERS)
            .collect(),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => Vec::new(),
    }
}

/// Scales weights so that they add up to one; `None` if all are zero.
fn whole(weights: Vec<f64>) -> Option<Vec<f64>> {
    let sum: f64 = weights.iter().sum();
    (sum > 0.0).then(|| weights.into_iter().map(|w| w / sum).collect())
}

/// Splits a name or a path into words in lower case: `readHTTPBody` gives `read`, `http`, `body`.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after_lower = before.is_some_and(|b| !b.is_uppercase());
        let starts =
            c.is_uppercase() && (after_lower || rest.peek().is_some_and(|n| n.is_lowercase()));
        if !c.is_alphanumeric() || starts {
            out.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    out.extend((!word.is_empty()).then_some(word));
    out
}

/// Scores how well each node matches the query. A word in a name scores 4, in a path 2, in the
/// documentation 1.
fn matching(
    graph: &Graph,
    snapshot: &Snapshot,
    query: &str,
    words: &mut BTreeMap<usize, Vec<String>>,
) -> Vec<f64> {
    let mut wanted = words_of(query);
    wanted.sort();
    wanted.dedup();
    let mut out = vec![0.0; graph.len()];
    if wanted.is_empty() {
        return out;
    }
    let mut note = |file: usize, found: &[&String]| {
        let known: &mut Vec<String> = words.entry(file).or_default();
        known.extend(found.iter().map(|w| (*w).clone()));
        known.sort();
        known.dedup();
    };
    let hits = |text: &str| -> Vec<&String> {
        let words = words_of(text);
        wanted
            .iter()
            .filter(|w| words.iter().any(|x| x == *w))
            .collect()
    };
    for (at, file) in snapshot.files.iter().enumerate() {
        let found = hits(&file.path);
        if !found.is_empty() {
            note(at, &found);
        }
        if let Some(into) = out.get_mut(at) {
            *into = 2.0 * float(found.len());
        }
        for (d, definition) in file.tags.definitions.iter().enumerate() {
            let in_name = hits(&definition.name);
            let in_doc = definition.doc.as_deref().map(hits).unwrap_or_default();
            if in_name.is_empty() && in_doc.is_empty() {
                continue;
            }
            note(at, &in_name);
            note(at, &in_doc);
            let into = graph
                .node(at, u32::try_from(d).unwrap_or(u32::MAX))
                .and_then(|n| out.get_mut(n as usize));
            if let Some(into) = into {
                *into = 4.0 * float(in_name.len()) + float(in_doc.len());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{File, Language, extract};

    fn snapshot(files: &[(&str, &str)]) -> Snapshot {
        let file = |(path, text): &(&str, &str)| File {
            path: (*path).to_owned(),
            language: Some(Language::Python),
            tags: extract(Language::Python, text).unwrap(),
        };
        Snapshot {
            files: files.iter().map(file).collect(),
            ..Snapshot::default()
        }
    }

    fn ranked(snapshot: &Snapshot, interest: &Interest<'_>) -> Vec<(String, f64)> {
        let graph = Graph::new(snapshot, Ranking::Weighted);
        let ranks = Ranks::new(&graph, snapshot, interest, Ranking::Weighted);
        assert!((ranks.of.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let mut out: Vec<(String, f64)> = graph
            .definitions
            .iter()
            .enumerate()
            .map(|(at, (f, d))| {
                let name = snapshot.files[*f as usize].tags.definitions[*d as usize]
                    .name
                    .clone();
                (name, ranks.of[graph.files + at])
            })
            .collect();
        out.sort_by(|a, b| b.1.total_cmp(&a.1));
        out
    }

    #[test]
    fn what_is_referred_to_counts_more() {
        let tree = snapshot(&[
            ("a.py", "def used(): pass\ndef unused(): pass\n"),
            (
                "b.py",
                "def one(): used()\ndef two(): used()\ndef three(): one()\n",
            ),
        ]);
        let names: Vec<String> = ranked(&tree, &Interest::default())
            .into_iter()
            .map(|r| r.0)
            .collect();
        assert_eq!(names[..2], ["used", "one"]);
        let focus = ["b.py".to_owned()];
        let with_query = ranked(
            &tree,
            &Interest {
                query: "unused thing",
                ..Interest::default()
            },
        );
        assert_eq!(with_query[0].0, "unused");
        let with_focus = ranked(
            &tree,
            &Interest {
                focus: &focus,
                ..Interest::default()
            },
        );
        let rank =
            |list: &[(String, f64)], name: &str| list.iter().find(|r| r.0 == name).unwrap().1;
        assert!(rank(&with_focus, "three") > rank(&with_focus, "unused"));
    }

    #[test]
    fn tests_vote_and_rank_behind() {
        let tree = snapshot(&[
            ("a.py", "def tested(): pass\ndef alone(): pass\n"),
            (
                "tests/test_a.py",
                "def helper(): pass\ndef test_x():\n    helper()\n    tested()\ndef test_y(): helper()\n",
            ),
        ]);
        let graph = Graph::new(&tree, Ranking::Weighted);
        let ranks = Ranks::new(&graph, &tree, &Interest::default(), Ranking::Weighted);
        let of = |file: usize, d: u32| ranks.of_entry(graph.node(file, d).unwrap());
        assert!(of(0, 0) > of(0, 1), "a test votes");
        assert!(of(0, 1) > of(1, 0), "a helper of tests ranks behind");
        let focus = ["tests".to_owned()];
        let interest = Interest {
            focus: &focus,
            ..Interest::default()
        };
        let ranks = Ranks::new(&graph, &tree, &interest, Ranking::Weighted);
        let of = |file: usize, d: u32| ranks.of_entry(graph.node(file, d).unwrap());
        assert!(of(1, 0) > of(0, 1), "but not in focus");
    }

    #[test]
    fn a_change_weighs_what_it_touches_and_who_uses_that() {
        let tree = snapshot(&[
            ("a.py", "def changed(): used()\ndef other(): pass\n"),
            ("b.py", "def used(): pass\ndef unused(): pass\n"),
            ("c.py", "def user(): changed()\ndef idle(): pass\n"),
            ("d.py", "def broken(): gone()\n"),
        ]);
        let mut changes = Changes::default();
        changes.files.insert("a.py".into(), vec![0]);
        changes
            .removed
            .insert((Language::Python.family(), "gone".into()));
        let interest = Interest {
            changes: Some(&changes),
            ..Interest::default()
        };
        let mut names: Vec<String> = ranked(&tree, &interest)
            .into_iter()
            .map(|r| r.0)
            .take(4)
            .collect();
        assert_eq!(names[0], "changed");
        names.sort();
        assert_eq!(names, ["broken", "changed", "used", "user"]);
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(
            words_of("readHTTPBody_of2/x-y"),
            ["read", "http", "body", "of2", "x", "y"]
        );
        assert_eq!(words_of(""), Vec::<String>::new());
    }

    #[test]
    fn a_folder_in_focus_is_no_prefix() {
        let focus = ["src/a".to_owned(), "./b/".to_owned()];
        for (path, expected) in [
            ("src/a/x.rs", true),
            ("src/ab.rs", false),
            ("b/x", true),
            ("src/a", true),
        ] {
            assert_eq!(is_focused(path, &focus), expected, "{path}");
        }
    }
}
