//! The reference contract: a turn that uses context declares it, and what it declares has to have
//! been there.
//!
//! What is used and not declared makes a turn weak. The replay finds that (YV602), as far as a
//! trace holds what items say.

use super::model::Trajectory;
use crate::trace::injected::declared;
use crate::verify::timeline::{Deed, Turn};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The share of references to missing items that is tolerated.
const TOLERATED: f64 = 0.2;

/// What is to be thought of the references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Each reference is one to an item that was there, or nearly each.
    Good,
    /// More references than are tolerated lead nowhere.
    Poor,
    /// Something was there, and nothing of it was declared.
    Undeclared,
    /// The record doesn't hold what it takes to tell.
    NotRecorded,
}

impl Quality {
    /// In words.
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

/// What an execution referred to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct References {
    /// Distinct items that were in the context at some time; `None` when no snapshot lists them.
    pub items: Option<usize>,
    /// Distinct paths that were referred to.
    pub referenced: usize,
    /// References to items that were in the context then.
    pub valid: usize,
    /// References to anything else.
    pub invalid: usize,
    /// `valid / (valid + invalid)`; `None` without references, or when the items aren't recorded.
    pub accuracy: Option<f64>,
    /// The paths that lead nowhere, the first of them.
    pub unknown: Vec<String>,
    /// Turns that use an item and don't declare it: no evidence for anything.
    pub weak_turns: BTreeSet<i64>,
    /// What is to be thought of it.
    pub quality: Quality,
}

/// What a turn refers to, by declaration and in its answer; `None` when nothing of the kind is
/// recorded.
#[must_use]
pub(super) fn of_turn(turn: &Turn) -> Option<BTreeSet<String>> {
    let mut all: Option<BTreeSet<String>> = turn
        .used_context
        .as_ref()
        .map(|list| list.iter().cloned().collect());
    if let Some(Deed::Answer(text)) = turn.proposed.as_ref().map(|p| &p.deed) {
        // An answer is kept as the JSON of its payload.
        let content = serde_json::from_str::<serde_json::Value>(&text.text).ok();
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

/// The items that were in the context of each turn: those of the last snapshot that lists any, with
/// what came and went since.
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

impl References {
    /// What an execution referred to.
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
                if items
                    .as_ref()
                    .is_some_and(|items| items.contains(path.as_str()))
                {
                    valid += 1;
                } else if items.is_some() {
                    invalid += 1;
                    unknown.insert(path.clone());
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
