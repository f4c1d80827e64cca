//! The outcome of a verification, which decides the exit code.

use crate::diag::Severity;
use crate::replay::Summary;
use crate::rules::codes::UNKNOWN_FORMAT;
use crate::verify::Report;

/// The outcome of a verification. Being unable to verify takes precedence over findings, and
/// findings over an empty input: a gate must not pass without having verified anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Something was verified, and no finding reaches the threshold.
    Clean,
    /// Findings reach the threshold.
    Findings,
    /// There are this many errors, and the user asked that findings fail nothing.
    Unenforced(u64),
    /// Something couldn't be verified; the text says why.
    Unable(String),
    /// There was nothing to verify; the text says what was missing.
    Empty(String),
}

impl Outcome {
    /// Determines the outcome of a report, in which findings of severity `threshold` and above
    /// fail. `None` means that no finding fails.
    #[must_use]
    pub fn of(report: &Report, threshold: Option<Severity>, schema_only: bool) -> Self {
        let counts = &report.counts;
        let empty = |why: &str| Self::Empty(why.to_owned());
        // A report with only inputs of unknown formats has nothing to verify. Other findings about
        // such inputs still count.
        let foreign_only = counts.known_inputs == 0 && counts.unknown_inputs > 0;
        let unknown = report
            .findings
            .iter()
            .filter(|f| foreign_only && f.code == UNKNOWN_FORMAT)
            .map(|f| f.severity);
        let failing = |threshold: Severity| {
            counts.at_least(threshold) > unknown.clone().filter(|s| *s >= threshold).count() as u64
        };
        if counts.unopened > 0 {
            Self::Unable("could not verify everything: an input can't be opened".into())
        } else if threshold.is_some_and(failing) {
            Self::Findings
        } else if counts.files == 0 {
            empty("nothing was verified: no trace was found under the given paths")
        } else if counts.records == 0 {
            empty("nothing was verified: no input holds a record")
        } else if foreign_only {
            empty("nothing was verified: the format of no input is known")
        } else if !schema_only && report.summaries.is_empty() {
            empty("nothing was verified: no record belongs to an execution")
        } else if !schema_only && report.summaries.iter().all(Summary::shows_nothing) {
            empty(
                "nothing was verified: no execution shows a turn, or an action and who allowed it",
            )
        } else if threshold.is_none() && counts.errors > 0 {
            Self::Unenforced(counts.errors)
        } else {
            Self::Clean
        }
    }

    /// Determines the outcome for inputs that may be empty. Errors still count.
    #[must_use]
    pub fn of_nothing(report: &Report, threshold: Option<Severity>) -> Self {
        match report.counts.errors {
            errors if threshold.is_none() && errors > 0 => Self::Unenforced(errors),
            _ => Self::Clean,
        }
    }

    /// Returns the sentence about errors that fail nothing.
    #[must_use]
    pub fn not_enforced(errors: u64) -> String {
        super::words::not_enforced(errors, super::Lang::En)
    }

    /// Returns true if a gate passes.
    #[must_use]
    pub fn passes(&self) -> bool {
        matches!(self, Self::Clean | Self::Unenforced(_))
    }

    /// Returns the reason why there is no result, if there is none.
    #[must_use]
    pub fn sentence(&self) -> Option<&str> {
        match self {
            Self::Clean | Self::Findings | Self::Unenforced(_) => None,
            Self::Unable(why) | Self::Empty(why) => Some(why),
        }
    }
}
