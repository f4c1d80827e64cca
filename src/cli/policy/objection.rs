//! Collects findings about policies.

use crate::diag::{Code, Finding, Place, Severity, assign_fingerprints};
use crate::rules;
use crate::verify::Report;
use content_scan::mask::Mask;

/// The findings of one run.
#[derive(Debug, Default)]
pub(super) struct Objections {
    pub(super) findings: Vec<Finding>,
}

impl Objections {
    /// Adds a finding.
    pub(super) fn add(
        &mut self,
        code: u16,
        place: Place,
        message: String,
        help: Option<String>,
    ) -> &mut Finding {
        let finding = Finding {
            help,
            ..rules::finding(Code(code), message, place)
        };
        self.findings.push(finding);
        let last = self.findings.len() - 1;
        #[expect(clippy::indexing_slicing, reason = "it was pushed just now")]
        &mut self.findings[last]
    }

    /// Sorts the findings and assigns their fingerprints.
    pub(super) fn finish(&mut self) {
        self.findings.sort_by_cached_key(Finding::order);
        assign_fingerprints(&mut self.findings);
    }

    /// Removes secrets of the traces from messages about their actions.
    pub(super) fn hide(&mut self, secrets: &Mask) {
        for finding in &mut self.findings {
            secrets.clean(&mut finding.message);
            finding.help.iter_mut().for_each(|help| secrets.clean(help));
            if let Some(hidden) = finding.execution.as_deref().and_then(|id| secrets.hide(id)) {
                finding.execution = Some(hidden.into());
            }
        }
    }

    /// Creates a report of these findings only.
    pub(super) fn into_report(self) -> Report {
        let mut report = Report::default();
        report.counts.errors = self.count(Severity::Error) as u64;
        report.counts.warnings = self.count(Severity::Warning) as u64;
        report.counts.notes = self.count(Severity::Note) as u64;
        report.findings = self.findings;
        report
    }

    /// Returns the number of findings of a severity.
    pub(super) fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|f| f.severity == severity)
            .count()
    }
}
