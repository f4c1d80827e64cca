//! The reference contract: a turn declares the context items that it uses, and each declared item
//! must have been in its context.
//!
//! A turn that uses an item without declaring it is weak. The replay finds such turns (YV602) where
//! the trace contains the items' content.

use super::model::Trajectory;
use crate::trace::injected::declared;
use crate::trace::typed_reference::is_among;
use crate::verify::timeline::{Deed, Item, Turn};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// The tolerated share of references to missing items.
const TOLERATED: f64 = 0.2;

/// The quality of an execution's references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// All references, or nearly all, point to items in the context.
    Good,
    /// More references than tolerated point to missing items.
    Poor,
    /// There were context items, but none was declared.
    Undeclared,
    /// The trace doesn't record enough to decide.
    NotRecorded,
}

impl Quality {
    /// Returns the name for reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Poor => "poor",
            Self::Undeclared => "nothing declared",
            Self::NotRecorded => "not recorded",
        }
    }
}

/// The references of an execution to items of its context.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct References {
    /// Number of distinct items that were ever in the context; null when no snapshot lists them.
    pub items: Option<usize>,
    /// Number of distinct paths that were referenced.
    pub referenced: usize,
    /// Number of references to items that were in the context at that time.
    pub valid: usize,
    /// Number of references to other paths.
    pub invalid: usize,
    /// `valid / (valid + invalid)`; null without references, or when the items aren't recorded.
    pub accuracy: Option<f64>,
    /// The first referenced paths that weren't in the context.
    pub unknown: Vec<String>,
    /// Turns that use an item without declaring it. They don't count as evidence for any item.
    pub weak_turns: BTreeSet<i64>,
    /// The resulting quality.
    pub quality: Quality,
}

/// Returns the paths that a turn references, by declaration and in its answer; `None` when nothing
/// of that kind is recorded.
#[must_use]
pub(super) fn of_turn(turn: &Turn) -> Option<BTreeSet<String>> {
    let mut all: Option<BTreeSet<String>> = turn
        .used_context
        .as_ref()
        .map(|list| list.iter().cloned().collect());
    if let Some(Deed::Answer(text)) = turn.proposed.as_ref().map(|p| &p.deed) {
        // An answer is kept as the JSON of its payload.
        let content = strict_json::from_text_clamped::<serde_json::Value>(&text.text).ok();
        let content = content.as_ref().and_then(|v| {
            v.as_str().or_else(|| {
                ["content", "text"]
                    .iter()
                    .find_map(|member| v.get(*member)?.as_str())
            })
        });
        let found = declared(content.unwrap_or(&text.text));
        if !found.is_empty() {
            all.get_or_insert_default().extend(found);
        }
    }
    all
}

/// Returns the items in the context of each turn: those of the last snapshot with a list, updated
/// by all later changes.
pub(super) fn items(turns: &[Turn]) -> Vec<Option<BTreeSet<&str>>> {
    let mut current: Option<BTreeSet<&str>> = None;
    let mut all = Vec::with_capacity(turns.len());
    for turn in turns {
        match (
            turn.context.as_ref().and_then(|c| c.items.as_ref()),
            &turn.context_diff,
        ) {
            (Some(items), _) => current = Some(items.iter().map(|i| i.path.as_str()).collect()),
            (None, Some(diff)) => {
                let items = current.get_or_insert_default();
                diff.removed.iter().for_each(|path| {
                    items.remove(path.as_str());
                });
                items.extend(diff.added.iter().chain(&diff.changed).map(String::as_str));
            }
            (None, None) => {}
        }
        all.push(current.clone());
    }
    all
}

/// How an item differs between two contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Added,
    Removed,
    Changed,
}

impl Change {
    /// Returns the sign in lists.
    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Added => "+",
            Self::Removed => "-",
            Self::Changed => "~",
        }
    }
}

/// An item that differs between two contexts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ItemChange<'t> {
    pub(super) change: Change,
    pub(super) path: &'t str,
    /// Its size in tokens before and after, as far as it is recorded.
    pub(super) tokens: (Option<u64>, Option<u64>),
}

/// What a turn's context shows in comparison with the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct View<'t> {
    /// It is the first context whose items are recorded.
    pub(super) is_first: bool,
    /// The recorded difference, or else the one between the two lists of items.
    pub(super) changes: Vec<ItemChange<'t>>,
}

/// Compares the context of each turn with the one before.
pub(super) fn views(turns: &[Turn]) -> Vec<View<'_>> {
    let mut before: Option<BTreeMap<&str, &Item>> = None;
    let mut all = Vec::with_capacity(turns.len());
    for turn in turns {
        let context = turn.context.as_ref();
        let items = context.and_then(|c| Some((c.items.as_ref()?, c.items_cut)));
        let now: Option<BTreeMap<&str, &Item>> =
            items.map(|(items, _)| items.iter().map(|i| (i.path.as_str(), i)).collect());
        let size = |items: &Option<BTreeMap<&str, &Item>>, path: &str| {
            items.as_ref().and_then(|items| items.get(path)?.tokens)
        };
        let entry = |change, path| ItemChange {
            change,
            path,
            tokens: (size(&before, path), size(&now, path)),
        };
        let mut changes: Vec<ItemChange<'_>> = Vec::new();
        if let Some(diff) = &turn.context_diff {
            let lists = [
                (Change::Added, &diff.added),
                (Change::Removed, &diff.removed),
                (Change::Changed, &diff.changed),
            ];
            for (change, paths) in lists {
                changes.extend(paths.iter().map(|path| entry(change, path.as_str())));
            }
        } else if let (Some(before), Some(now)) = (&before, &now) {
            let added = now.keys().filter(|path| !before.contains_key(*path));
            changes.extend(added.map(|path| entry(Change::Added, *path)));
            let removed = before.keys().filter(|path| !now.contains_key(*path));
            changes.extend(removed.map(|path| entry(Change::Removed, *path)));
            let others = now
                .iter()
                .filter(|(path, item)| before.get(*path).is_some_and(|old| old.hash != item.hash));
            changes.extend(others.map(|(path, _)| entry(Change::Changed, *path)));
        }
        let is_first = before.is_none() && now.is_some();
        all.push(View { is_first, changes });
        // The rest of a list that was cut is unknown, so nothing is compared with it.
        if let (Some((_, cut)), Some(now)) = (items, now) {
            before = (cut == 0).then_some(now);
        }
    }
    all
}

impl References {
    /// Computes the references of an execution.
    #[must_use]
    pub fn of(execution: &Trajectory) -> Self {
        const LISTED: usize = 10;
        let items = items(&execution.turns);
        let there: BTreeSet<&str> = items.iter().flatten().flatten().copied().collect();
        let recorded = items.iter().any(Option::is_some);
        let (mut valid, mut invalid) = (0, 0);
        let (mut referenced, mut unknown) = (BTreeSet::new(), BTreeSet::new());
        let mut any = false;
        for (turn, items) in execution.turns.iter().zip(&items) {
            let Some(paths) = of_turn(turn) else { continue };
            any = true;
            for path in paths {
                if let Some(items) = items {
                    let first_from = |text: &str| {
                        let from = (Bound::Included(text), Bound::Unbounded);
                        items.range::<str, _>(from).next().copied()
                    };
                    if is_among(&path, first_from) {
                        valid += 1;
                    } else {
                        invalid += 1;
                        unknown.insert(path.clone());
                    }
                }
                referenced.insert(path);
            }
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "counts of references stay far below 2^52"
        )]
        let accuracy = (valid + invalid > 0).then(|| valid as f64 / (valid + invalid) as f64);
        let quality = match accuracy {
            Some(accuracy) if accuracy < 1.0 - TOLERATED => Quality::Poor,
            Some(_) => Quality::Good,
            None if recorded && !there.is_empty() && any => Quality::Undeclared,
            None => Quality::NotRecorded,
        };
        Self {
            items: recorded.then_some(there.len()),
            referenced: referenced.len(),
            valid,
            invalid,
            accuracy,
            unknown: unknown.into_iter().take(LISTED).collect(),
            weak_turns: execution
                .findings
                .iter()
                .filter(|f| f.code == "YV602")
                .filter_map(|f| f.turn)
                .collect(),
            quality,
        }
    }
}
