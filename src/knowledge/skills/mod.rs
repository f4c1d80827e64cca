//! Skills: what they did by the traces, what that is worth, and whether what was decided about them
//! rests on it.

mod budget;
mod candidates;
mod check;
mod effects;
mod figures;
mod history;
mod ledger;
mod legacy_store;
mod permission;
mod standing;

pub use budget::Budget;
pub use candidates::{Candidate, Readiness, Status, candidates};
pub use check::{Checked, Declarations, Question, check};
pub use figures::{
    Limits, Metrics, Suggestion, Test, Thresholds, Weights, advice, promotion, retirement,
    suggestion,
};
pub use history::{ChangeReview, findings_of, items_of, review};
pub use ledger::{Ledger, LedgerError, Verdict, ledger_faults};
pub use legacy_store::{LegacyStore, LegacyStoreError, read_legacy_store};
pub use standing::{Evaluated, Skills};

pub(super) use history::findings;
pub(super) use standing::{rebuild, stats_agree};

use super::extract::Promotion;
use std::borrow::Cow;
use std::collections::HashMap;

/// A use of a skill in a turn, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// The source, relative to the root.
    pub file: String,
    /// The line of the turn.
    pub line: u64,
    pub skill: String,
    /// Its version; empty when it isn't recorded.
    pub version: String,
    pub task: String,
    /// The turn, where it and its execution have names of their own.
    pub turn: Option<i64>,
    /// Whether what was done succeeded, where a result is recorded.
    pub success: Option<bool>,
    /// The turn quotes the context bank and doesn't declare it: its success proves nothing.
    pub weak: bool,
    /// It was taken back.
    pub rolled_back: bool,
    /// What it cost, in the unit of the record.
    pub cost: Option<f64>,
    /// How long it took, in milliseconds.
    pub latency: Option<f64>,
    /// When it began, in milliseconds since the epoch.
    pub started: Option<i64>,
    /// When it was over.
    pub completed: Option<i64>,
}

impl Use {
    /// How it ended, as far as that proves anything.
    #[must_use]
    pub fn outcome(&self) -> Option<bool> {
        self.success.filter(|success| !(*success && self.weak))
    }

    /// Takes what another account of the same use says, where that is worse.
    fn worsen(&mut self, other: &Self) {
        self.success = match (self.success, other.success) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (a, b) => a.and(b),
        };
        self.weak |= other.weak;
        self.rolled_back |= other.rolled_back;
        let most = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        self.cost = most(self.cost, other.cost);
        self.latency = most(self.latency, other.latency);
        // What has no time can't be shown to have come before anything.
        let last = |a: Option<i64>, b: Option<i64>| a.zip(b).map(|(a, b)| a.max(b));
        (self.started, self.completed) = (
            last(self.started, other.started),
            last(self.time(), other.time()),
        );
    }

    /// When it was over, or else began.
    #[must_use]
    pub fn time(&self) -> Option<i64> {
        self.completed.or(self.started)
    }
}

/// Uses of which none is told twice. One turn of one execution uses a skill once, in however many
/// files and by however many names it stands; where they contradict each other, the worst of what
/// they say counts.
fn distinct<'u>(uses: impl Iterator<Item = &'u Use>) -> Vec<Cow<'u, Use>> {
    let mut all: Vec<Cow<'u, Use>> = Vec::new();
    let mut seen: HashMap<(&str, &str, i64), usize> = HashMap::new();
    for used in uses {
        let at = used.turn.map(|turn| {
            *seen
                .entry((&used.skill, &used.task, turn))
                .or_insert(all.len())
        });
        match at.and_then(|at| all.get_mut(at)) {
            Some(kept) if **kept != *used => kept.to_mut().worsen(used),
            Some(_) => {}
            None => all.push(Cow::Borrowed(used)),
        }
    }
    all
}

/// What a source says of a skill itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The source, relative to the root.
    pub file: String,
    pub name: String,
    /// Its version; empty when it isn't said.
    pub version: String,
    /// Its one purpose.
    pub intent: String,
    /// The folder that it lies in: `experimental`, `production` or `retired`.
    pub stage: String,
    /// When it was made, in milliseconds since the epoch.
    pub created: Option<i64>,
}

/// A recorded change of a skill's standing, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The source, relative to the root.
    pub file: String,
    /// What was recorded.
    pub what: Promotion,
}
