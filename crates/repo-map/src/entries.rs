//! The candidates for a map, by descending rank.

use super::graph::{Graph, float};
use super::header;
use super::language::Language;
use super::map::{Inputs, Ranking};
use super::outline::{is_candidate, slots};
use super::rank::{Interest, Ranks};
use super::roles;
use super::settings::Settings;
use super::snapshot::Snapshot;
use super::tags::Kind;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Number of files from which on a variable, constant or module of one name is repeated.
const REPEATED: usize = 3;

/// A ranked definition, or a file without definitions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) file: usize,
    pub(super) definition: Option<u32>,
    pub(super) rank: f64,
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
    /// Number of files without a grammar, by extension.
    pub(super) not_parsed: BTreeMap<String, usize>,
}

impl<'a> RenderInput<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        settings: &'a Settings,
        inputs: Inputs<'_>,
    ) -> RenderInput<'a> {
        let graph = Graph::new(snapshot, inputs.ranking);
        let interest = Interest {
            focus: &settings.focus,
            query: &settings.query,
            changes: inputs.changes,
        };
        let ranks = Ranks::new(&graph, snapshot, &interest, inputs.ranking);
        let of_files = match inputs.ranking {
            Ranking::Source => vec![0.0; snapshot.files.len()],
            Ranking::Weighted | Ranking::Plain => ranks.of_file_entries(&graph),
        };
        let mut entries = candidates(snapshot, &graph, &ranks, inputs.ranking);
        let definitions = entries.iter().filter(|e| e.definition.is_some()).count();
        // Definitions are in the order of files and source, which decides between equal ranks. The
        // sort is stable.
        entries.sort_by(|a, b| b.rank.total_cmp(&a.rank));
        let mut by_rank: Vec<usize> = (0..snapshot.files.len()).collect();
        let rank = |file: usize| of_files.get(file).copied().unwrap_or(0.0);
        // Files are sorted by path, which decides between equal ranks.
        by_rank.sort_by(|a, b| rank(*b).total_cmp(&rank(*a)).then(a.cmp(b)));
        if let Some(previous) = inputs.previous {
            previous.keep_files(snapshot, &of_files, &mut by_rank);
            previous.keep_entries(snapshot, &mut entries);
        }
        let mut order = vec![0; by_rank.len()];
        for (position, file) in by_rank.iter().enumerate() {
            if let Some(slot) = order.get_mut(*file) {
                *slot = position;
            }
        }
        let reasons = if settings.explain {
            reasons(&graph, &ranks, snapshot, &ranks.of_files(&graph))
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
            not_parsed: header::not_parsed(snapshot),
        }
    }
}

/// Returns what can be in a map, in the order of the files: definitions, and files without any.
fn candidates(snapshot: &Snapshot, graph: &Graph, ranks: &Ranks, ranking: Ranking) -> Vec<Entry> {
    let repeated = repeated(snapshot);
    let mut entries = Vec::new();
    for (at, file) in snapshot.files.iter().enumerate() {
        let before = entries.len();
        let mut seen: HashSet<(Option<u32>, &str)> = HashSet::new();
        let places = slots(file);
        for (d, definition) in (0_u32..).zip(&file.tags.definitions) {
            let slot = places.get(d as usize).copied().flatten();
            let Some(slot) = slot.filter(|slot| is_candidate(file, d, Some(*slot))) else {
                continue;
            };
            let key = file
                .language
                .map(|l| (l.family(), definition.kind, definition.name.as_str()));
            if slot.parent.is_none() && key.is_some_and(|key| repeated.contains(&key)) {
                continue;
            }
            // `typedef struct a { … } a` defines two things of one name.
            let outer = slot
                .parent
                .and_then(|p| file.tags.definitions.get(p as usize));
            if outer.is_some_and(|o| o.kind == Kind::Type && o.name == definition.name) {
                continue;
            }
            // A second line that says the same would say nothing.
            if definition.kind.is_value() && !seen.insert((slot.parent, &definition.name)) {
                continue;
            }
            let mut rank = graph.node(at, d).map_or(0.0, |n| ranks.of_entry(n));
            if ranking == Ranking::Weighted {
                rank *= roles::weight(definition, file.language);
            }
            entries.push(Entry {
                file: at,
                definition: Some(d),
                rank,
            });
        }
        if entries.len() == before {
            let node = u32::try_from(at).unwrap_or(u32::MAX);
            entries.push(Entry {
                file: at,
                definition: None,
                rank: ranks.of_entry(node),
            });
        }
    }
    if ranking == Ranking::Source {
        let all = float(entries.len());
        for (at, entry) in entries.iter_mut().enumerate() {
            entry.rank = all - float(at);
        }
    }
    entries
}

/// Returns the variables, constants and modules that many files define at their top, by family of
/// languages, kind and name.
fn repeated(snapshot: &Snapshot) -> HashSet<(u8, Kind, &str)> {
    let mut counts: HashMap<(u8, Kind, &str), (usize, usize)> = HashMap::new();
    for (at, file) in snapshot.files.iter().enumerate() {
        let Some(family) = file.language.map(Language::family) else {
            continue;
        };
        let top = file.tags.definitions.iter().filter(|d| d.within.is_none());
        for definition in top.filter(|d| roles::is_repeatable(d.kind)) {
            let key = (family, definition.kind, definition.name.as_str());
            let (files, last) = counts.entry(key).or_insert((0, usize::MAX));
            if *last != at {
                *files += 1;
                *last = at;
            }
        }
    }
    counts
        .into_iter()
        .filter(|(_, (files, _))| *files >= REPEATED)
        .map(|(key, _)| key)
        .collect()
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
        if ranks.changed.get(file).copied().unwrap_or(false) {
            parts.push("changed".to_owned());
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
