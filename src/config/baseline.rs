//! The baseline: findings that were there before, by fingerprint. Only new ones fail.

use crate::diag::{Code, Finding};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The version of the file that is written. Version 1 holds fingerprints that rest on messages; it
/// is still read.
const VERSION: u32 = 2;

/// Known findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: u32,
    findings: BTreeSet<Known>,
}

/// A known finding. All of it has to fit: whoever reviews the file goes by the rule and the trace
/// that it names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    code: String,
    file: String,
    fingerprint: String,
    /// Findings that are folded under it and have no fingerprint of their own, by code.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    unlisted: BTreeMap<String, u64>,
}

/// The file isn't a baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// It is no JSON of this shape.
    #[error("it is no baseline: {0}")]
    Shape(#[from] serde_json::Error),
    /// A later version wrote it.
    #[error("it has version {0}, and this tool knows version {VERSION}")]
    Version(u32),
}

impl Baseline {
    /// The baseline that knows these findings, and those that are folded under them.
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

    /// Reads a baseline.
    ///
    /// # Errors
    /// When it isn't one.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let baseline: Self = serde_json::from_str(text)?;
        if matches!(baseline.version, 1 | VERSION) {
            Ok(baseline)
        } else {
            Err(BaselineError::Version(baseline.version))
        }
    }

    /// The file's text.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// How many findings it knows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Whether it knows none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether its fingerprints are those of version 1.
    pub(super) fn is_first(&self) -> bool {
        self.version == 1
    }

    /// The entry for a finding with this fingerprint, with what it knows to be folded under it.
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
