//! What a commit needs of its parent, and how much of it a map of the parent shows.

use repo_map::{
    Inputs, Kind, Ranking, Settings, Snapshot, Source, build_with, changed_definitions,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A commit: the trees before and after it, with the texts of the files that differ.
pub struct Commit<'a> {
    pub subject: &'a str,
    pub before: &'a Snapshot,
    pub after: &'a Snapshot,
    pub old_texts: &'a BTreeMap<String, String>,
    pub new_texts: &'a BTreeMap<String, String>,
}

/// What a commit changes or uses in the tree before it.
#[derive(Debug, Default)]
pub struct Needs {
    pub files: BTreeSet<String>,
    /// Paths and indices of definitions.
    pub definitions: BTreeSet<(String, u32)>,
}

/// Ways to choose what a map shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `repomap build`.
    Map,
    /// `repomap build --query SUBJECT`.
    Query,
    /// A `PageRank` without weights.
    Plain,
    /// The order of a `tags` file.
    Tags,
}

impl Method {
    pub const ALL: [Method; 4] = [Method::Map, Method::Query, Method::Plain, Method::Tags];

    /// Returns the name used in the table.
    pub fn name(self) -> &'static str {
        match self {
            Method::Map => "the map",
            Method::Query => "the map with `--query` and the subject of the commit",
            Method::Plain => "plain PageRank",
            Method::Tags => "order of ctags",
        }
    }
}

/// Hits of one method: the sums over commits of the part that is shown of what each needs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Score {
    pub commits: usize,
    pub files: f64,
    pub definitions: f64,
}

impl Score {
    /// Returns the mean parts of files and definitions in per cent.
    pub fn rates(&self) -> (f64, f64) {
        let of =
            |sum: f64| 100.0 * sum / f64::from(u32::try_from(self.commits.max(1)).unwrap_or(1));
        (of(self.files), of(self.definitions))
    }
}

/// Determines what a commit changes, and what the changed definitions refer to. A name counts if
/// exactly one definition of the tree has it. Tests, examples and benchmarks don't count: a map
/// shows them last on purpose.
pub fn needs(commit: &Commit<'_>) -> Needs {
    let mut out = Needs::default();
    let mut known: HashMap<&str, Option<(usize, u32)>> = HashMap::new();
    for (at, file) in commit.before.files.iter().enumerate() {
        for (d, definition) in (0..).zip(&file.tags.definitions) {
            if definition.kind != Kind::Implementation {
                known
                    .entry(&definition.name)
                    .and_modify(|found| *found = None)
                    .or_insert(Some((at, d)));
            }
        }
    }
    let file = |tree: &'_ Snapshot, path: &String| -> Option<usize> {
        tree.files.binary_search_by(|f| f.path.cmp(path)).ok()
    };
    let paths: BTreeSet<&String> = commit
        .old_texts
        .keys()
        .chain(commit.new_texts.keys())
        .collect();
    for path in paths {
        let old = file(commit.before, path).and_then(|at| commit.before.files.get(at));
        let new = file(commit.after, path).and_then(|at| commit.after.files.get(at));
        let old_source = old.zip(commit.old_texts.get(path)).map(|(f, text)| Source {
            text,
            tags: &f.tags,
        });
        let new_source = new.zip(commit.new_texts.get(path)).map(|(f, text)| Source {
            text,
            tags: &f.tags,
        });
        if let (Some(old), Some(source)) = (old, old_source)
            && old.language.is_some()
        {
            let supporting = old.supporting();
            for at in changed_definitions(new_source, source) {
                if supporting.get(at as usize).copied().unwrap_or(false) {
                    continue;
                }
                out.files.insert(path.clone());
                let kind = old.tags.definitions.get(at as usize).map(|d| d.kind);
                if kind.is_some_and(|k| !matches!(k, Kind::Implementation | Kind::Module)) {
                    out.definitions.insert((path.clone(), at));
                }
            }
        }
        let (Some(new), Some(source)) = (new, new_source) else {
            continue;
        };
        let changed: BTreeSet<u32> = changed_definitions(old_source, source)
            .into_iter()
            .collect();
        let supporting = new.supporting();
        for reference in &new.tags.references {
            let within = reference.within.and_then(|w| supporting.get(w as usize));
            if within.copied().unwrap_or(true) {
                continue;
            }
            if !reference.within.is_some_and(|w| changed.contains(&w)) {
                continue;
            }
            let found = known.get(new.tags.name(reference)).copied().flatten();
            let used = found.and_then(|(at, d)| Some((commit.before.files.get(at)?, d)));
            let is_product = |(file, d): &(&repo_map::File, u32)| {
                !file.supporting().get(*d as usize).copied().unwrap_or(false)
            };
            if let Some((used, d)) = used.filter(is_product) {
                out.files.insert(used.path.clone());
                out.definitions.insert((used.path.clone(), d));
            }
        }
    }
    out
}

/// Adds to each method's score how much it shows of what a commit needs, in `tokens` tokens.
/// Returns whether the commit needs anything.
pub fn add(scores: &mut [(Method, Score)], commit: &Commit<'_>, tokens: usize) -> bool {
    let needs = needs(commit);
    if needs.definitions.is_empty() {
        return false;
    }
    for (method, score) in scores {
        let settings = Settings {
            tokens,
            query: if *method == Method::Query {
                commit.subject.to_owned()
            } else {
                String::new()
            },
            ..Settings::default()
        };
        let ranking = match method {
            Method::Map | Method::Query => Ranking::Weighted,
            Method::Plain => Ranking::Plain,
            Method::Tags => Ranking::Source,
        };
        let inputs = Inputs {
            ranking,
            ..Inputs::default()
        };
        let Ok(map) = build_with(commit.before, &settings, inputs) else {
            continue;
        };
        let shown: BTreeMap<&String, &Vec<u32>> = map.shown.iter().map(|(p, d)| (p, d)).collect();
        let files = needs.files.iter().filter(|f| shown.contains_key(f)).count();
        let definitions = needs
            .definitions
            .iter()
            .filter(|(path, d)| shown.get(path).is_some_and(|all| all.contains(d)))
            .count();
        score.commits += 1;
        score.files += part(files, needs.files.len());
        score.definitions += part(definitions, needs.definitions.len());
    }
    true
}

fn part(some: usize, all: usize) -> f64 {
    let float = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    float(some) / float(all.max(1))
}

/// Returns an empty score for each method.
pub fn empty() -> Vec<(Method, Score)> {
    Method::ALL.map(|m| (m, Score::default())).to_vec()
}
