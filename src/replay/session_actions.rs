//! Actions of a session that are compared with the same session in other files.

use crate::trace::scalar::Timestamp;
use hashbrown::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Actions that are kept of one execution, of each kind.
const MOST: usize = 1024;

/// What was rejected in an execution, and what ran without an approval on record. Only actions with
/// a time are kept: without one nobody can tell which of two files comes first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionActions {
    rejected: HashMap<u64, Rejected>,
    ran: HashMap<u64, Ran>,
    /// Whether the session records decisions.
    pub records_decisions: bool,
}

/// A rejected action: the first one of several that are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The id of the call.
    pub id: Box<str>,
    /// Where it is on record.
    pub line: u64,
    /// When it was rejected.
    pub time: Timestamp,
}

/// An action that ran: the last one of several that are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ran {
    /// A hash of the id of the call.
    id: u64,
    /// Where it is on record.
    pub line: u64,
    /// When it was asked for.
    pub time: Timestamp,
    /// A rejection in the same file was reported with it.
    pub reported: bool,
}

impl Ran {
    /// One of a call, at any time.
    pub(super) fn new(id: &str, line: u64, reported: bool) -> Self {
        Self {
            id: hash(id),
            line,
            time: Timestamp::of_millis(0),
            reported,
        }
    }

    /// Whether it is of the call with an id.
    #[must_use]
    pub fn is_of(&self, id: &str) -> bool {
        self.id == hash(id)
    }

    /// Whether both are of one call.
    #[must_use]
    pub const fn is_same_call(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

impl SessionActions {
    /// Takes note of a rejected action.
    pub(super) fn reject(&mut self, key: u64, id: &str, line: u64, time: Option<Timestamp>) {
        if let Some(time) = time.filter(|_| self.rejected.len() < MOST) {
            self.rejected.entry(key).or_insert_with(|| Rejected {
                id: id.into(),
                line,
                time,
            });
        }
    }

    /// Takes note of an action that ran without an approval on record.
    pub(super) fn run(&mut self, key: u64, time: Option<Timestamp>, ran: Ran) {
        if let Some(time) = time
            && (self.ran.len() < MOST || self.ran.contains_key(&key))
        {
            self.ran.insert(key, Ran { time, ..ran });
        }
    }

    /// Bytes that it holds.
    #[must_use]
    pub fn weight(&self) -> usize {
        let ids: usize = self.rejected.values().map(|r| r.id.len()).sum();
        self.rejected.len() * size_of::<(u64, Rejected)>()
            + self.ran.len() * size_of::<(u64, Ran)>()
            + ids
    }

    /// What a summary keeps of it.
    pub(super) fn summary(&self, records_decisions: bool) -> Option<Box<Self>> {
        let is_empty = self.rejected.is_empty() && self.ran.is_empty();
        (!is_empty).then(|| {
            Box::new(Self {
                records_decisions,
                ..self.clone()
            })
        })
    }

    /// The rejected actions by their hashes.
    pub fn rejected(&self) -> impl Iterator<Item = (u64, &Rejected)> {
        self.rejected.iter().map(|(key, rejected)| (*key, rejected))
    }

    /// What ran of an action.
    #[must_use]
    pub fn ran(&self, key: u64) -> Option<&Ran> {
        self.ran.get(&key)
    }

    /// Whether an action was rejected.
    #[must_use]
    pub fn has_rejected(&self, key: u64) -> bool {
        self.rejected.contains_key(&key)
    }
}
