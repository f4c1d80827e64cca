//! Actions of a session, to compare with the same session in other files.

use crate::trace::scalar::Timestamp;
use borsh::{BorshDeserialize, BorshSerialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use util::hex;
use util::keyed_hash;

/// Maximum number of kept actions of each kind per execution.
const MOST: usize = 1024;

/// Rejected actions of an execution, and executed ones without a recorded approval. Actions without
/// a time aren't kept, since the order of two files is known only by time.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SessionActions {
    rejected: BTreeMap<u64, RejectedAction>,
    ran: BTreeMap<u64, ExecutedAction>,
    pub records_decisions: bool,
}

/// A rejected action, the first of several equal ones.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RejectedAction {
    /// Hash of the call's id, which is the same in every run.
    pub id: Box<str>,
    /// Hash of the call's id with the key of the process.
    key: u64,
    pub line: u64,
    /// Time of the rejection.
    pub time: Timestamp,
}

/// An executed action, the last of several equal ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ExecutedAction {
    /// Hash of the call's id.
    id: u64,
    pub line: u64,
    /// Time of the request.
    pub time: Timestamp,
    /// A rejection in the same file was reported with it.
    pub reported: bool,
}

impl ExecutedAction {
    /// Creates the entry of a call, without its time.
    pub(super) fn new(id: &str, line: u64, reported: bool) -> Self {
        Self {
            id: keyed_hash(id),
            line,
            time: Timestamp::of_millis(0),
            reported,
        }
    }

    /// Returns whether it belongs to the call that was rejected.
    #[must_use]
    pub const fn is_of(&self, rejected: &RejectedAction) -> bool {
        self.id == rejected.key
    }

    /// Returns whether both belong to one call.
    #[must_use]
    pub const fn is_same_call(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl SessionActions {
    /// Records a rejected action.
    pub(super) fn reject(&mut self, key: u64, id: &str, line: u64, time: Option<Timestamp>) {
        if let Some(time) = time.filter(|_| self.rejected.len() < MOST) {
            self.rejected.entry(key).or_insert_with(|| RejectedAction {
                id: hex(&Sha256::digest(id)).into(),
                key: keyed_hash(id),
                line,
                time,
            });
        }
    }

    /// Records an action that was executed without a recorded approval.
    pub(super) fn run(&mut self, key: u64, time: Option<Timestamp>, ran: ExecutedAction) {
        if let Some(time) = time
            && (self.ran.len() < MOST || self.ran.contains_key(&key))
        {
            self.ran.insert(key, ExecutedAction { time, ..ran });
        }
    }

    /// Returns an estimate of the heap bytes that it owns.
    #[must_use]
    pub fn weight(&self) -> usize {
        let ids: usize = self.rejected.values().map(|r| r.id.len()).sum();
        self.rejected.len() * size_of::<(u64, RejectedAction)>()
            + self.ran.len() * size_of::<(u64, ExecutedAction)>()
            + ids
    }

    /// Returns a copy for the summary; `None` if there are no actions.
    pub(super) fn summary(&self, records_decisions: bool) -> Option<Box<Self>> {
        let is_empty = self.rejected.is_empty() && self.ran.is_empty();
        (!is_empty).then(|| {
            Box::new(Self {
                records_decisions,
                ..self.clone()
            })
        })
    }

    /// Returns the rejected actions with their hashes.
    pub fn rejected(&self) -> impl Iterator<Item = (u64, &RejectedAction)> {
        self.rejected.iter().map(|(key, rejected)| (*key, rejected))
    }

    /// Adds a number to the lines.
    pub fn shift(&mut self, lines: u64) {
        let rejected = self
            .rejected
            .values_mut()
            .map(|rejected| &mut rejected.line);
        let ran = self.ran.values_mut().map(|ran| &mut ran.line);
        for line in rejected.chain(ran) {
            *line = line.saturating_add(lines);
        }
    }

    /// Returns the execution of an action, by its hash.
    #[must_use]
    pub fn ran(&self, key: u64) -> Option<&ExecutedAction> {
        self.ran.get(&key)
    }

    /// Returns whether an action was rejected, by its hash.
    #[must_use]
    pub fn has_rejected(&self, key: u64) -> bool {
        self.rejected.contains_key(&key)
    }
}
