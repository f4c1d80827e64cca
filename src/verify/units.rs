//! What became of every unit of an input: none is passed over.

use crate::trace::entry::{Entry, Record};
use crate::trace::formats::RecordClass;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// How many units of an input ended how. A unit is a line, or an element of a JSON document. Each
/// is counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Units {
    /// Nothing but white space.
    pub blank: u64,
    /// Records that were replayed, or with `validate` checked against their schemas.
    pub steps: u64,
    /// Records of a known format that tell of no step, and lines that repeat an earlier one byte
    /// for byte.
    pub no_step: u64,
    /// Units that can't be read as what they should be; there is a finding for each.
    pub findings: u64,
    /// Units that nobody has checked, because their format is unknown, a limit was reached, or
    /// reading failed. A finding says so.
    pub refused: u64,
}

impl Units {
    /// All of them.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.blank + self.steps + self.no_step + self.findings + self.refused
    }

    /// Counts a unit that was read.
    pub(super) fn count(&mut self, entry: &Entry<'_>) {
        let broken = entry.problems.iter().any(|problem| !problem.is_scanned());
        let class = match &entry.record {
            Record::Foreign => &mut self.refused,
            Record::Broken(_) | Record::Recovered(_) => &mut self.findings,
            _ if broken => &mut self.findings,
            // Kept a schema that the caller has given: of what kind it is nobody knows.
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

    /// Records that were counted as steps turned out to be something else.
    pub(super) fn move_steps(&mut self, repeated: u64, refused: u64) {
        self.steps = self.steps.saturating_sub(repeated + refused);
        self.no_step += repeated;
        self.refused += refused;
    }

    /// Adds what became of other units.
    pub fn add(&mut self, other: &Self) {
        self.blank += other.blank;
        self.steps += other.steps;
        self.no_step += other.no_step;
        self.findings += other.findings;
        self.refused += other.refused;
    }
}

/// An input, and what became of its units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputUnits {
    /// Its name.
    pub path: Arc<str>,
    /// The format that it was read as; `None` when that is unknown.
    pub format: Option<&'static str>,
    /// What became of its units.
    pub units: Units,
}
