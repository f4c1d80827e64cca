//! How a verification ends: the one answer that a gate acts on.

use crate::diag::Severity;
use crate::verify::Report;

/// How a verification ends. Not being able to look goes before what was found, and that before
/// having found nothing to look at: a gate must not pass emptily.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Something was looked at, and nothing is as bad as the threshold.
    Clean,
    /// Findings are as bad as the threshold.
    Findings,
    /// Not everything could be looked at: why, in a sentence.
    Unable(String),
    /// There was nothing to look at: what was missing, in a sentence.
    Empty(String),
}

impl Outcome {
    /// The outcome of a report, with findings of `threshold` and worse failing it; `None` for never.
    #[must_use]
    pub fn of(report: &Report, threshold: Option<Severity>, schema_only: bool) -> Self {
        let counts = &report.counts;
        let empty = |what: &str| Self::Empty(format!("nothing was verified: {what}"));
        if counts.unopened > 0 {
            Self::Unable("could not verify everything: an input can't be opened".into())
        } else if threshold.is_some_and(|s| counts.at_least(s) > 0) {
            Self::Findings
        } else if counts.files == 0 {
            empty("no trace was found under the given paths")
        } else if counts.records == 0 {
            empty("no input holds a record")
        } else if !schema_only && report.summaries.is_empty() {
            empty("no record belongs to an execution")
        } else {
            Self::Clean
        }
    }

    /// Whether a gate lets it through.
    #[must_use]
    pub fn passes(&self) -> bool {
        *self == Self::Clean
    }

    /// Why there is no answer, if there is none.
    #[must_use]
    pub fn sentence(&self) -> Option<&str> {
        match self {
            Self::Clean | Self::Findings => None,
            Self::Unable(why) | Self::Empty(why) => Some(why),
        }
    }
}
