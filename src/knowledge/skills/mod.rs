//! Skills: what they did by the traces, what that is worth, and whether what was decided about them rests on it.

mod budget;
mod candidates;
mod check;
mod earlier;
mod effects;
mod figures;
mod history;
mod ledger;
mod permission;
mod standing;

pub use budget::Budget;
pub use candidates::{Candidate, Readiness, Status, candidates};
pub use check::{Checked, Declarations, Question, check};
pub use earlier::{Earlier, EarlierError, earlier};
pub use figures::{Figures, Limits, Suggestion, Test, Thresholds, Weights, advice, promotion, retirement, suggestion};
pub use history::{Judged, findings_of, items_of, judged};
pub use ledger::{Ledger, LedgerError, Verdict, is_ledger, ledger_faults};
pub use standing::{Evaluated, Skills};

pub(super) use history::findings;
pub(super) use standing::rebuild;

use super::extract::Promotion;

/// A use of a skill in a turn, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// The source, relative to the root.
    pub file: String,
    /// The line of the turn.
    pub line: u64,
    /// The skill.
    pub skill: String,
    /// Its version; empty when it isn't recorded.
    pub version: String,
    /// The execution.
    pub task: String,
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

    /// When it was over, or else began.
    #[must_use]
    pub fn time(&self) -> Option<i64> {
        self.completed.or(self.started)
    }
}

/// What a source says of a skill itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The source, relative to the root.
    pub file: String,
    /// The skill.
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
