//! The baseline: findings that were there before, by fingerprint. Only new ones fail.

use crate::diag::Finding;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The version of the file.
const VERSION: u32 = 1;

/// Known findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: u32,
    findings: BTreeSet<Known>,
}

/// A known finding. All of it has to fit: whoever reviews the file goes by the rule and the trace that it names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    code: String,
    file: String,
    fingerprint: String,
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
    /// The baseline that knows these findings.
    #[must_use]
    pub fn of(findings: &[Finding]) -> Self {
        let known =
            |f: &Finding| Known { code: f.code.to_string(), file: f.place.file.to_string(), fingerprint: f.fingerprint.clone() };
        Self { version: VERSION, findings: findings.iter().map(known).collect() }
    }

    /// Reads a baseline.
    ///
    /// # Errors
    /// When it isn't one.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let baseline: Self = serde_json::from_str(text)?;
        if baseline.version == VERSION { Ok(baseline) } else { Err(BaselineError::Version(baseline.version)) }
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

    /// The known findings by their fingerprints, with rule and input.
    #[must_use]
    pub(super) fn by_fingerprint(&self) -> BTreeMap<&str, (&str, &str)> {
        self.findings.iter().map(|k| (&*k.fingerprint, (&*k.code, &*k.file))).collect()
    }
}
