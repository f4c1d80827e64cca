//! Skills: their uses in traces, the value of these, and whether the decisions about skills are
//! based on them.

mod budget;
mod candidates;
mod check;
mod directory;
mod effects;
mod estimate;
mod evidence;
mod figures;
mod history;
mod ledger;
mod legacy_store;
mod library;
mod permission;
mod standing;
mod templates;

pub use budget::Budget;
pub use candidates::{Candidate, Readiness, Status, candidates};
pub use check::{Declarations, Question, SkillCheckReport, check};
pub use figures::{
    Limits, Metrics, Suggestion, Test, Thresholds, Weights, advice, promotion, retirement,
    suggestion,
};
pub use history::{ChangeReview, findings_of, items_of, review};
pub use ledger::{Ledger, LedgerError, Verdict, ledger_faults};
pub use legacy_store::{LegacyStore, LegacyStoreError, read_legacy_store};
pub use standing::{SkillEvaluation, Skills};
pub use templates::{TemplateError, Templates};

pub(super) use history::findings;
pub(super) use library::{LibrarySkill, QueuedCandidate};
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
    /// The skill's version; empty when it isn't recorded.
    pub version: String,
    pub task: String,
    /// The turn's number; `None` unless the turn and its execution have names of their own.
    pub turn: Option<i64>,
    /// Whether the turn's actions succeeded; `None` without a recorded result.
    pub success: Option<bool>,
    /// Whether the turn quotes the context bank without declaring it. A success in such a turn is
    /// no evidence.
    pub weak: bool,
    /// Whether the use was rolled back.
    pub rolled_back: bool,
    /// In the unit of the record.
    pub cost: Option<f64>,
    /// In milliseconds.
    pub latency: Option<f64>,
    /// Milliseconds since the Unix epoch.
    pub started: Option<i64>,
    /// Milliseconds since the Unix epoch.
    pub completed: Option<i64>,
}

impl Use {
    /// Returns the result of the use, or `None` if it is no evidence.
    #[must_use]
    pub fn outcome(&self) -> Option<bool> {
        self.success.filter(|success| !(*success && self.weak))
    }

    /// Merges another record of the same use, keeping the worse value of each field.
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
        // A use without a time can't be shown to be earlier than anything.
        let last = |a: Option<i64>, b: Option<i64>| a.zip(b).map(|(a, b)| a.max(b));
        (self.started, self.completed) = (
            last(self.started, other.started),
            last(self.time(), other.time()),
        );
    }

    /// Returns the time of completion, or else of the start.
    #[must_use]
    pub fn time(&self) -> Option<i64> {
        self.completed.or(self.started)
    }
}

/// Merges duplicate records. One turn of an execution uses a skill once, in however many files and
/// under however many names it is recorded. Where records contradict each other, the worst values
/// are used.
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

/// The declaration of a skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The source, relative to the root.
    pub file: String,
    pub name: String,
    /// The skill's version; empty when it isn't declared.
    pub version: String,
    /// The single purpose of the skill.
    pub intent: String,
    /// The directory of its stage: `experimental`, `production` or `retired`.
    pub stage: String,
    /// Time of creation, in milliseconds since the Unix epoch.
    pub created: Option<i64>,
    /// The share of uses that must succeed for a promotion.
    pub success_threshold: Option<f64>,
    /// Names of the skills that this one requires.
    pub dependencies: Vec<String>,
}

/// A recorded change of a skill's standing, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The source, relative to the root.
    pub file: String,
    pub what: Promotion,
}
