//! Counts of the units of an input by outcome; every unit is counted.

use crate::trace::entry::{Entry, Record};
use crate::trace::formats::RecordClass;
use borsh::{BorshDeserialize, BorshSerialize};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// Numbers of the units of an input by outcome. A unit is a line, or an element of a JSON document.
/// Each unit is counted once.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Serialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "camelCase")]
pub struct Units {
    /// Blank units, which contain only white space.
    pub blank: u64,
    /// Records that were replayed or, by `validate`, checked against their schemas.
    pub steps: u64,
    /// Records of a known format without a step, and lines that repeat an earlier one byte for
    /// byte.
    pub no_step: u64,
    /// Units that aren't valid records; there is a finding for each.
    pub findings: u64,
    /// Units that weren't checked, because their format is unknown, a limit was reached, or reading
    /// failed. A finding reports them.
    pub refused: u64,
}

impl Units {
    /// Returns the number of all units.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.blank
            .saturating_add(self.steps)
            .saturating_add(self.no_step)
            .saturating_add(self.findings)
            .saturating_add(self.refused)
    }

    /// Counts a unit that was read.
    pub(super) fn count(&mut self, entry: &Entry<'_>) {
        let broken = entry.problems.iter().any(|problem| !problem.is_scanned());
        let class = match &entry.record {
            Record::Foreign => &mut self.refused,
            Record::Broken(_) | Record::Recovered(_) => &mut self.findings,
            _ if broken => &mut self.findings,
            // It conforms to the caller's schema; its kind is unknown.
            Record::Unreadable => &mut self.no_step,
            Record::Native(record)
                if matches!(
                    record.get().class(),
                    RecordClass::Command | RecordClass::Header | RecordClass::Remark
                ) =>
            {
                &mut self.no_step
            }
            Record::V1(_) | Record::Native(_) => &mut self.steps,
        };
        *class += 1;
    }

    /// Moves records that were counted as steps to the repeated and the refused ones.
    pub(super) fn move_steps(&mut self, repeated: u64, refused: u64) {
        self.steps = self.steps.saturating_sub(repeated + refused);
        self.no_step += repeated;
        self.refused += refused;
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.blank = self.blank.saturating_add(other.blank);
        self.steps = self.steps.saturating_add(other.steps);
        self.no_step = self.no_step.saturating_add(other.no_step);
        self.findings = self.findings.saturating_add(other.findings);
        self.refused = self.refused.saturating_add(other.refused);
    }
}

/// An input and the counts of its units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputUnits {
    /// Name of the input.
    pub path: Arc<str>,
    /// The format as which it was read; `None` if unknown.
    pub format: Option<&'static str>,
    pub units: Units,
}
