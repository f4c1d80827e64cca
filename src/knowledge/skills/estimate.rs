//! Compares the estimated cost of skills with the recorded one (YV914).

use crate::diag::{Finding, Severity};
use crate::knowledge::extract::Turn;
use crate::knowledge::source_config::finding;
use std::collections::BTreeMap;

/// The mean recorded cost may be this many times the estimate.
const TOLERANCE: f64 = 2.0;

/// The recorded cost of a version of a skill.
struct Recorded {
    /// The lowest estimate of its manifests.
    estimate: f64,
    sum: f64,
    uses: u32,
    /// The first use.
    file: String,
    line: u64,
    execution: String,
}

/// The recorded costs of skills with an estimate, by name and version.
#[derive(Default)]
pub(super) struct Estimates(BTreeMap<(String, String), Recorded>);

impl Estimates {
    /// Adds a use. Returns whether its cost is recorded.
    pub(super) fn take(
        &mut self,
        (skill, version): (&str, &str),
        estimate: f64,
        (file, execution): (&str, &str),
        turn: &Turn,
    ) -> bool {
        let Some(cost) = turn.cost.filter(|c| c.is_finite() && *c >= 0.0) else {
            return false;
        };
        let key = (skill.to_owned(), version.to_owned());
        let recorded = self.0.entry(key).or_insert_with(|| Recorded {
            estimate,
            sum: 0.0,
            uses: 0,
            file: file.to_owned(),
            line: turn.lines.0,
            execution: execution.to_owned(),
        });
        recorded.estimate = recorded.estimate.min(estimate);
        recorded.sum += cost;
        recorded.uses = recorded.uses.saturating_add(1);
        true
    }

    /// Reports the skills whose mean cost is beyond the estimate, each at its first use.
    pub(super) fn findings(self) -> Vec<Finding> {
        let mut all = Vec::new();
        for ((skill, version), recorded) in self.0 {
            let mean = recorded.sum / f64::from(recorded.uses.max(1));
            // Sums of costs have rounding errors.
            if mean <= recorded.estimate * TOLERANCE + 1e-9 {
                continue;
            }
            let message = format!(
                "`{skill} {version}` costs {mean:.4} a use, and its estimate is {}: more than twice as much",
                recorded.estimate
            );
            let mut finding = finding(914, &recorded.file, recorded.line, message);
            finding.severity = Severity::Warning;
            finding.execution = Some(recorded.execution.as_str().into());
            all.push(finding);
        }
        all
    }
}
