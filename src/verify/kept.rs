//! Findings that are kept while an input is read; what is too much is counted.

use super::report::Dropped;
use crate::diag::{Code, Finding, Severity};

/// Findings, up to a number of each severity.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) findings: Vec<Finding>,
    most: usize,
    by_severity: [usize; 3],
    /// How many weren't kept.
    pub(super) dropped: Dropped,
}

impl Kept {
    pub(super) fn new(most: usize) -> Self {
        Self { findings: Vec::new(), most, by_severity: [0; 3], dropped: Dropped::new() }
    }

    /// Whether one more finding of this severity is kept; otherwise it is counted.
    pub(super) fn has_room(&mut self, code: Code, severity: Severity) -> bool {
        if self.by_severity.get(severity as usize).is_some_and(|kept| *kept < self.most) {
            return true;
        }
        *self.dropped.entry((code, severity)).or_default() += 1;
        false
    }

    /// Keeps a finding that there is room for; returns where.
    pub(super) fn push(&mut self, finding: Finding) -> usize {
        if let Some(kept) = self.by_severity.get_mut(finding.severity as usize) {
            *kept += 1;
        }
        self.findings.push(finding);
        self.findings.len() - 1
    }

    /// Keeps a finding or counts it.
    pub(super) fn add(&mut self, finding: Finding) -> Option<usize> {
        self.has_room(finding.code, finding.severity).then(|| self.push(finding))
    }
}
