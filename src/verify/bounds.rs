//! How much a worker keeps of an input, and what it refuses beyond that.

use crate::diag::ContentHash;
use crate::source::Limits;

/// How much a worker may keep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Findings of each severity.
    pub(super) findings: usize,
    /// Executions, open or over.
    pub(super) executions: usize,
    /// Bytes that open executions hold.
    pub(super) held: usize,
}

/// Bytes that the evidence of the open turns may take in one worker: room for the largest records.
pub(super) const TURNS: usize = 48 << 20;

impl Bounds {
    /// The share of one of so many workers. Chance deals some of them a quarter more than their share.
    pub(super) fn of(limits: &Limits, findings: usize, workers: u64) -> Self {
        let workers = usize::try_from(workers).unwrap_or(1).max(1);
        if workers == 1 {
            return Self { findings, executions: limits.executions, held: limits.open_bytes };
        }
        let share = |whole: usize| (whole / workers).saturating_add(whole / workers / 4).saturating_add(8);
        // Where all are asked for, a part of them is kept of each worker, so that the whole fits into memory.
        let findings = findings.min((findings / 4).max(1000));
        Self { findings, executions: share(limits.executions), held: share(limits.open_bytes).max(256 << 10) }
    }
}

/// A bound that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// Of executions.
    Executions,
    /// Of the bytes that open executions hold.
    Held,
    /// Of the bytes that the evidence of open turns takes.
    Turns,
}

/// What a bound has kept from being replayed.
#[derive(Debug)]
pub(super) struct Refused {
    /// The first record.
    pub(super) line: u64,
    bound: Bound,
    /// Records that weren't replayed.
    pub(super) records: u64,
    /// Executions that were open and weren't replayed any further.
    pub(super) given_up: u64,
    /// What was refused.
    pub(super) content: ContentHash,
}

impl Refused {
    pub(super) fn new(line: u64, bound: Bound) -> Self {
        Self { line, bound, records: 0, given_up: 0, content: ContentHash::default() }
    }

    /// Adds what another worker has refused.
    pub(super) fn with(mut self, other: &Self) -> Self {
        if other.line < self.line {
            (self.line, self.bound) = (other.line, other.bound);
        }
        self.records += other.records;
        self.given_up += other.given_up;
        self.content.add(&*other.content.finish());
        self
    }

    /// What is to be said of it: the limit that was reached first, and the option that raises it.
    pub(super) fn message(&self, limits: &Limits, workers: u64) -> String {
        let bounds = Bounds::of(limits, 0, workers);
        let share =
            |whole: usize, part: usize| if part < whole { format!(" (a worker's share of {whole})") } else { String::new() };
        let why = match self.bound {
            Bound::Executions => format!(
                "the input holds more than {} executions{}; --max-executions allows more",
                bounds.executions,
                share(limits.executions, bounds.executions)
            ),
            Bound::Held => format!(
                "open executions hold more than {} bytes{}; --max-open-bytes allows more",
                bounds.held,
                share(limits.open_bytes, bounds.held)
            ),
            Bound::Turns => {
                format!("the evidence of open turns takes more than {TURNS} bytes, a fixed limit; turns that are closed free it")
            }
        };
        let given_up =
            if self.given_up == 1 { "1 execution was".to_owned() } else { format!("{} executions were", self.given_up) };
        let given_up = if self.given_up > 0 { format!(", and {given_up} given up") } else { String::new() };
        let records = if self.records == 1 { "1 record was".to_owned() } else { format!("{} records were", self.records) };
        format!("from here on {records} not checked{given_up}: {why}")
    }
}
