//! The baseline: fingerprints of findings that existed before. Only new findings fail.

use crate::diag::{Code, Finding};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Version of the file that is written. Version 1, whose fingerprints depend on messages, is still
/// read.
const VERSION: u32 = 2;

/// The known findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: u32,
    findings: BTreeSet<Known>,
}

/// A known finding. All members must match, because a reviewer of the file relies on the rule and
/// the trace that it names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    code: String,
    file: String,
    fingerprint: String,
    /// Number of findings by code that are folded under this one and have no fingerprint of their
    /// own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    unlisted: BTreeMap<String, u64>,
}

/// An error in a baseline file.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The text isn't JSON of the expected shape.
    #[error("it isn't a baseline: {0}")]
    Shape(#[from] serde_json::Error),
    /// The file has an unknown version.
    #[error("it has version {0}, and this tool knows version {VERSION}")]
    Version(u32),
}

impl Baseline {
    /// Creates a baseline of these findings, and of those that are folded under them.
    #[must_use]
    pub fn from_findings(findings: &[Finding]) -> Self {
        let mut known = BTreeSet::new();
        for finding in findings
            .iter()
            .chain(findings.iter().flat_map(Finding::folded))
        {
            let mut unlisted = BTreeMap::new();
            for ((code, _), number) in &finding.unlisted {
                *unlisted.entry(code.to_string()).or_default() += number;
            }
            let (code, file) = (finding.code.to_string(), finding.place.file.to_string());
            known.insert(Known {
                code,
                file,
                fingerprint: finding.fingerprint.clone(),
                unlisted,
            });
        }
        Self {
            version: VERSION,
            findings: known,
        }
    }

    /// Parses a baseline.
    ///
    /// # Errors
    /// When the text isn't a baseline of a known version.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let baseline: Self = serde_json::from_str(text)?;
        if matches!(baseline.version, 1 | VERSION) {
            Ok(baseline)
        } else {
            Err(BaselineError::Version(baseline.version))
        }
    }

    /// Returns the text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Returns the number of known findings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Returns true if no finding is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Returns true if the fingerprints are those of version 1.
    pub(super) fn is_version_1(&self) -> bool {
        self.version == 1
    }

    /// Finds the entry for a finding by this fingerprint. Returns the counts that the entry lists
    /// as folded under the finding.
    pub(super) fn entry(
        &self,
        finding: &Finding,
        fingerprint: &str,
    ) -> Option<BTreeMap<Code, u64>> {
        let (code, file) = (finding.code.to_string(), finding.place.file.to_string());
        let first = Known {
            code,
            file,
            fingerprint: fingerprint.to_owned(),
            unlisted: BTreeMap::new(),
        };
        let entry = self.findings.range(&first..).next()?;
        if (&entry.code, &entry.file, &entry.fingerprint)
            != (&first.code, &first.file, &first.fingerprint)
        {
            return None;
        }
        let unlisted = &entry.unlisted;
        Some(
            unlisted
                .iter()
                .filter_map(|(code, number)| Some((Code::parse(code)?, *number)))
                .collect(),
        )
    }
}
