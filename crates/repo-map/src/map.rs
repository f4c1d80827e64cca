//! Builds a map of the highest-ranked definitions within a number of tokens.

use super::changes::Changes;
use super::entries::RenderInput;
use super::render;
use super::settings::{NoMap, Settings};
use super::snapshot::Snapshot;
use super::update::Previous;
use std::collections::{BTreeMap, BTreeSet};

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
    /// Number of files without a grammar, by extension.
    pub not_parsed: BTreeMap<String, usize>,
    /// The files in the map, in its order, each with the indices of the definitions that it shows.
    pub shown: Vec<(String, Vec<u32>)>,
}

/// Why a map can't be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The settings can't be used.
    #[error(transparent)]
    Settings(#[from] NoMap),
    /// Not even one entry fits. The value is the number of tokens that a map of one entry needs.
    #[error("a map needs at least {0} tokens, for its header and one entry")]
    Budget(usize),
    /// A path in focus isn't in the tree.
    #[error("`{0}` isn't a file or a directory of the tree")]
    Focus(String),
    /// The settings name a revision, and the changes since then aren't given.
    #[error("the changes since `{0}` aren't known")]
    Changes(String),
}

/// How entries are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ranking {
    /// The ranking of maps.
    #[default]
    Weighted,
    /// A `PageRank` without any weights, to compare with.
    Plain,
    /// The order of files and definitions in them, as in a `tags` file, to compare with.
    Source,
}

/// What a map depends on besides the tree and its settings.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inputs<'a> {
    /// What changed since the revision that the settings name.
    pub changes: Option<&'a Changes>,
    /// An earlier map, whose order is kept where ranks allow.
    pub previous: Option<&'a Previous>,
    pub ranking: Ranking,
}

/// Builds the map of a tree.
///
/// The map contains as many entries of the ranking, from the top, as fit. A binary search finds the
/// number; each try renders the whole map and counts its tokens.
///
/// # Errors
/// Returns [`BuildError`] if the settings can't be used, or nothing fits.
pub fn build(snapshot: &Snapshot, settings: &Settings) -> Result<Map, BuildError> {
    build_with(snapshot, settings, Inputs::default())
}

/// Builds the map of a tree that depends on more than the tree and the settings.
///
/// # Errors
/// Like [`build`].
pub fn build_with(
    snapshot: &Snapshot,
    settings: &Settings,
    inputs: Inputs<'_>,
) -> Result<Map, BuildError> {
    Ok(choose(snapshot, settings, inputs)?.map)
}

/// Lists what a map of the first `entries` entries shows.
fn shown(input: &RenderInput<'_>, entries: usize) -> Vec<(String, Vec<u32>)> {
    let all = render::sections(input, entries).into_iter();
    all.filter_map(|(at, chosen)| {
        let file = input.snapshot.files.get(at)?;
        let lines = render::with_parents(file, &chosen).into_iter();
        Some((file.path.clone(), lines.map(|(d, _)| d).collect()))
    })
    .collect()
}

/// A map with what it was rendered from.
pub(super) struct Built<'a> {
    pub(super) map: Map,
    pub(super) input: RenderInput<'a>,
    /// Number of entries in the map.
    pub(super) entries: usize,
}

/// Builds a map, and keeps what it was rendered from.
pub(super) fn choose<'a>(
    snapshot: &'a Snapshot,
    settings: &'a Settings,
    inputs: Inputs<'_>,
) -> Result<Built<'a>, BuildError> {
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
    if !settings.diff.is_empty() && inputs.changes.is_none() {
        return Err(BuildError::Changes(settings.diff.clone()));
    }
    let input = RenderInput::new(snapshot, settings, inputs);
    let fits = |entries: usize| {
        let text = render::write(&input, entries);
        encoding
            .count_within(&text, settings.tokens)
            .map(|tokens| (text, tokens, entries))
    };
    // A map that shows nothing of a tree with something in it would be of no use.
    let least = input.entries.len().min(1);
    let Some(mut best) = fits(least) else {
        return Err(BuildError::Budget(
            encoding.count(&render::write(&input, least)),
        ));
    };
    // An entry takes at least one token.
    let (mut low, mut high) = (least, input.entries.len().min(settings.tokens));
    // The whole map doesn't say that something is left out. So it may be shorter than a part.
    if high == input.entries.len()
        && let Some(whole) = fits(high)
    {
        best = whole;
        low = high;
    }
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
    let files: BTreeSet<usize> = chosen.iter().map(|e| e.file).collect();
    let definitions = chosen.iter().filter(|e| e.definition.is_some()).count();
    let map = Map {
        text,
        tokens,
        definitions: (definitions, input.total.0),
        files: (files.len(), input.total.1),
        not_parsed: input.not_parsed.clone(),
        shown: shown(&input, entries),
    };
    Ok(Built {
        map,
        input,
        entries,
    })
}
