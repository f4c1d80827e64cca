//! The threshold from which findings fail a command.

use super::{Finding, Severity};
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Deserialize;

/// The lowest severity of a finding that fails a command, or `never`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Threshold")]
pub enum FailOn {
    // No doc comments on the variants: clap would show them in the help.
    Error,
    Warning,
    Note,
    Never,
}

impl FailOn {
    /// Returns the lowest severity that fails; `None` when no finding fails.
    #[must_use]
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Note => Some(Severity::Note),
            Self::Never => None,
        }
    }

    /// Returns true if a finding of this severity fails.
    #[must_use]
    pub fn includes(self, severity: Severity) -> bool {
        self.severity()
            .is_some_and(|threshold| severity >= threshold)
    }

    /// Returns true if one of the findings fails.
    pub fn met_by<'f>(self, findings: impl IntoIterator<Item = &'f Finding>) -> bool {
        findings.into_iter().any(|f| self.includes(f.severity))
    }

    /// Returns the number of failing findings, given the number of findings of each severity.
    pub fn count(self, of: impl Fn(Severity) -> u64) -> u64 {
        [Severity::Note, Severity::Warning, Severity::Error]
            .into_iter()
            .filter(|severity| self.includes(*severity))
            .map(of)
            .fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_includes_what_is_worse() {
        let count = |fail_on: FailOn| {
            fail_on.count(|severity| match severity {
                Severity::Note => 100,
                Severity::Warning => 10,
                Severity::Error => 1,
            })
        };
        assert_eq!(count(FailOn::Error), 1);
        assert_eq!(count(FailOn::Warning), 11);
        assert_eq!(count(FailOn::Note), 111);
        assert_eq!(count(FailOn::Never), 0);
        assert!(!FailOn::Never.includes(Severity::Error));
    }
}
