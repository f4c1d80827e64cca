//! Builds a map of the highest-ranked definitions within a number of tokens.

use super::graph::Graph;
use super::rank::{Interest, Ranks};
use super::render;
use super::settings::{NoMap, Settings};
use super::snapshot::Snapshot;
use std::collections::BTreeMap;

/// The rendered map of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    pub text: String,
    /// Number of tokens in `text`.
    pub tokens: usize,
    /// Number of definitions in the map, and in the tree.
    pub definitions: (usize, usize),
    /// Number of files in the map, and in the tree.
    pub files: (usize, usize),
}

/// Why a map can't be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The settings can't be used.
    #[error(transparent)]
    Settings(#[from] NoMap),
    /// Even the header exceeds the limit. The value is the number of tokens that it needs.
    #[error("a map needs at least {0} tokens, for its header alone")]
    Budget(usize),
    /// A path in focus isn't in the tree.
    #[error("`{0}` isn't a file or a directory of the tree")]
    Focus(String),
}

/// A ranked definition, or a file without definitions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) file: usize,
    pub(super) definition: Option<u32>,
    rank: f64,
}

/// The data that a map is rendered from.
pub(super) struct RenderInput<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) settings: &'a Settings,
    /// All candidates for the map, by descending rank.
    pub(super) entries: Vec<Entry>,
    /// The position of each file in the map, by file.
    pub(super) order: Vec<usize>,
    /// The reasons for each file's rank, by file. Empty unless requested.
    pub(super) reasons: BTreeMap<usize, String>,
    /// Number of definitions and files that could be in the map.
    pub(super) total: (usize, usize),
}

impl<'a> RenderInput<'a> {
    fn new(snapshot: &'a Snapshot, settings: &'a Settings) -> RenderInput<'a> {
        let graph = Graph::new(snapshot);
        let ranks = Ranks::new(
            &graph,
            snapshot,
            &Interest {
                focus: &settings.focus,
                query: &settings.query,
            },
        );
        let of_files = ranks.of_files(&graph);
        let mut by_rank: Vec<usize> = (0..snapshot.files.len()).collect();
        let rank = |file: usize| of_files.get(file).copied().unwrap_or(0.0);
        // Files are sorted by path, which decides between equal ranks.
        by_rank.sort_by(|a, b| rank(*b).total_cmp(&rank(*a)).then(a.cmp(b)));
        let mut order = vec![0; by_rank.len()];
        for (position, file) in by_rank.iter().enumerate() {
            if let Some(slot) = order.get_mut(*file) {
                *slot = position;
            }
        }
        let mut entries = Vec::new();
        for (at, file) in snapshot.files.iter().enumerate() {
            let before = entries.len();
            for (d, definition) in file.tags.definitions.iter().enumerate() {
                if !is_shown(&file.tags, definition) {
                    continue;
                }
                let d = u32::try_from(d).unwrap_or(u32::MAX);
                let rank = graph.node(at, d).map_or(0.0, |n| ranks.get(n));
                entries.push(Entry {
                    file: at,
                    definition: Some(d),
                    rank,
                });
            }
            if entries.len() == before {
                let rank = ranks.of.get(at).copied().unwrap_or(0.0);
                entries.push(Entry {
                    file: at,
                    definition: None,
                    rank,
                });
            }
        }
        let definitions = entries.iter().filter(|e| e.definition.is_some()).count();
        // Definitions are in the order of files and source, which decides between equal ranks. The
        // sort is stable.
        entries.sort_by(|a, b| b.rank.total_cmp(&a.rank));
        let reasons = if settings.explain {
            reasons(&graph, &ranks, snapshot, &of_files)
        } else {
            BTreeMap::new()
        };
        RenderInput {
            snapshot,
            settings,
            entries,
            order,
            reasons,
            total: (definitions, snapshot.files.len()),
        }
    }
}

/// Returns whether a definition can be an entry of a map. Definitions that are local to a call
/// can't, nor can those that only contain others.
fn is_shown(tags: &super::tags::Tags, definition: &super::tags::Definition) -> bool {
    let mut around = definition.within;
    // The parents can't be more than all definitions.
    while let Some(outer) = around.and_then(|at| tags.definitions.get(at as usize)) {
        if outer.kind.is_callable() {
            return false;
        }
        around = outer.within;
    }
    definition.kind != super::tags::Kind::Implementation
}

/// Explains the rank of each file: its share of the weight, where that comes from, and the interest
/// that it matches.
fn reasons(
    graph: &Graph,
    ranks: &Ranks,
    snapshot: &Snapshot,
    of_files: &[f64],
) -> BTreeMap<usize, String> {
    let mut votes: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for ((target, source), weight) in ranks.votes(graph) {
        votes.entry(target).or_default().push((source, weight));
    }
    let path = |file: usize| snapshot.files.get(file).map_or("", |f| f.path.as_str());
    let one = |file: usize| {
        let rank = of_files.get(file).copied().unwrap_or(0.0);
        let mut parts = vec![format!("{:.2} % of the weight", rank * 100.0)];
        if ranks.focused.get(file).copied().unwrap_or(false) {
            parts.push("in focus".to_owned());
        }
        if let Some(words) = ranks.words.get(&file) {
            parts.push(format!("matches {}", words.join(", ")));
        }
        let mut from = votes.get(&file).cloned().unwrap_or_default();
        from.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if !from.is_empty() {
            let named: Vec<String> = from
                .iter()
                .take(3)
                .map(|(f, w)| {
                    format!(
                        "{} ({:.0} %)",
                        path(*f),
                        w / rank.max(f64::MIN_POSITIVE) * 100.0
                    )
                })
                .collect();
            let more = if from.len() > 3 {
                format!(" and {} more", from.len() - 3)
            } else {
                String::new()
            };
            parts.push(format!("referred to by {}{more}", named.join(", ")));
        }
        parts.join("; ")
    };
    (0..snapshot.files.len()).map(|f| (f, one(f))).collect()
}

/// Builds the map of a tree.
///
/// The map contains as many entries of the ranking, from the top, as fit. A binary search finds the
/// number; each try renders the whole map and counts its tokens.
///
/// # Errors
/// Returns [`BuildError`] if the settings can't be used, or nothing fits.
pub fn build(snapshot: &Snapshot, settings: &Settings) -> Result<Map, BuildError> {
    let encoding = settings.encoding()?;
    for focus in &settings.focus {
        let found = snapshot
            .files
            .iter()
            .any(|f| super::rank::is_focused(&f.path, std::slice::from_ref(focus)));
        if !found {
            return Err(BuildError::Focus(focus.clone()));
        }
    }
    let input = RenderInput::new(snapshot, settings);
    let fits = |entries: usize| {
        let text = render::write(&input, entries);
        encoding
            .count_within(&text, settings.tokens)
            .map(|tokens| (text, tokens, entries))
    };
    let Some(mut best) = fits(0) else {
        return Err(BuildError::Budget(
            encoding.count(&render::write(&input, 0)),
        ));
    };
    // An entry takes at least one token.
    let (mut low, mut high) = (0, input.entries.len().min(settings.tokens));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        match fits(middle) {
            Some(found) => {
                best = found;
                low = middle;
            }
            None => high = middle - 1,
        }
    }
    let (text, tokens, entries) = best;
    let chosen = input.entries.get(..entries).unwrap_or_default();
    let files: std::collections::BTreeSet<usize> = chosen.iter().map(|e| e.file).collect();
    let definitions = chosen.iter().filter(|e| e.definition.is_some()).count();
    Ok(Map {
        text,
        tokens,
        definitions: (definitions, input.total.0),
        files: (files.len(), input.total.1),
    })
}
