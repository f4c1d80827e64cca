//! Pairs the executions of two sets: by id, then by intent in order of time. The order of files
//! doesn't matter.

use super::model::Trajectory;
use crate::verify::timeline::CommandRun;
use std::collections::BTreeMap;

/// An item that can be paired.
pub(super) trait Pairable {
    fn id(&self) -> &str;
    /// Returns the intent, which pairs items with different ids.
    fn intent(&self) -> Option<String>;
    /// Returns the sort key among items with the same intent.
    fn order(&self) -> (Option<i64>, &str, u64);
}

impl Pairable for Trajectory {
    fn id(&self) -> &str {
        &self.execution_id
    }

    fn intent(&self) -> Option<String> {
        self.intent().map(str::to_owned)
    }

    fn order(&self) -> (Option<i64>, &str, u64) {
        let times = self
            .openings
            .iter()
            .map(|o| o.time)
            .chain(self.turns.iter().map(|t| t.start));
        (times.flatten().min(), &self.execution_id, self.line)
    }
}

impl Pairable for CommandRun {
    fn id(&self) -> &str {
        &self.id
    }

    fn intent(&self) -> Option<String> {
        let asked = self
            .asked
            .as_ref()
            .or(self.command.as_ref())
            .map(|t| t.text.as_str())
            .unwrap_or_default();
        Some(format!("{}\n{asked}", self.name))
    }

    fn order(&self) -> (Option<i64>, &str, u64) {
        (Some(self.time), &self.id, self.line)
    }
}

/// The pairs, and the unpaired items of either side.
#[derive(Debug)]
pub(super) struct Pairs<'p, T> {
    pub(super) both: Vec<(&'p T, &'p T)>,
    pub(super) base: Vec<&'p T>,
    pub(super) new: Vec<&'p T>,
}

/// Groups items by key, in their order.
fn by_key<'p, T: Pairable, K: Ord>(
    all: &[&'p T],
    key: impl Fn(&T) -> K,
) -> BTreeMap<K, Vec<&'p T>> {
    let mut map: BTreeMap<K, Vec<&'p T>> = BTreeMap::new();
    for one in all {
        map.entry(key(one)).or_default().push(one);
    }
    map
}

fn take_pairs<T: Pairable, K: Ord>(pairs: &mut Pairs<'_, T>, key: impl Fn(&T) -> Option<K>) {
    let mut new = by_key(&pairs.new, &key);
    let mut base_left = Vec::new();
    for (key, base) in by_key(&pairs.base, &key) {
        let others = if key.is_some() {
            new.remove(&key).unwrap_or_default()
        } else {
            Vec::new()
        };
        let shared = base.len().min(others.len());
        pairs
            .both
            .extend(base.iter().copied().zip(others.iter().copied()));
        base_left.extend(base.into_iter().skip(shared));
        if others.len() > shared {
            new.insert(key, others.into_iter().skip(shared).collect());
        }
    }
    pairs.base = base_left;
    pairs.new = new.into_values().flatten().collect();
    pairs.base.sort_by(|a, b| a.order().cmp(&b.order()));
    pairs.new.sort_by(|a, b| a.order().cmp(&b.order()));
}

/// Pairs two sets.
pub(super) fn pair<'p, T: Pairable>(base: &'p [T], new: &'p [T]) -> Pairs<'p, T> {
    let mut pairs = Pairs {
        both: Vec::new(),
        base: base.iter().collect(),
        new: new.iter().collect(),
    };
    pairs.base.sort_by(|a, b| a.order().cmp(&b.order()));
    pairs.new.sort_by(|a, b| a.order().cmp(&b.order()));
    take_pairs(&mut pairs, |t| Some(t.id().to_owned()));
    take_pairs(&mut pairs, T::intent);
    // Two sets of one execution each are meant to be compared with each other.
    if let ([a], [b], true) = (
        pairs.base.as_slice(),
        pairs.new.as_slice(),
        base.len() == 1 && new.len() == 1,
    ) {
        pairs.both.push((a, b));
        (pairs.base, pairs.new) = (Vec::new(), Vec::new());
    }
    pairs
        .both
        .sort_by(|(a, _), (b, _)| a.order().cmp(&b.order()));
    pairs
}
