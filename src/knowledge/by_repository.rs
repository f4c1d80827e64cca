//! What an index holds of each of several repositories, and what a run changed in each.

use super::KnowledgeError;
use super::source_config::SourceKind;
use crate::diag::{Finding, Severity};
use knowledge_index::Store;
use rusqlite::Connection;
use std::collections::BTreeMap;

/// What an index holds of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Holdings {
    pub sources: u64,
    pub observations: u64,
    /// Number of graph edges.
    pub edges: u64,
    pub skill_uses: u64,
    /// Number of texts with a removed secret.
    pub hidden: u64,
}

/// Number of findings by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FindingCounts {
    pub errors: u64,
    pub warnings: u64,
    pub notes: u64,
}

/// What a run changed in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RepositorySummary {
    /// Number of new sources.
    pub added: u64,
    /// Number of sources with different content.
    pub changed: u64,
    /// Number of sources that no longer exist.
    pub removed: u64,
    /// Number of unchanged sources.
    pub unchanged: u64,
    /// Number of files below configured directories that their kind doesn't read.
    pub unread: u64,
    pub before: Holdings,
    pub now: Holdings,
    pub findings: FindingCounts,
}

/// What a comparison with the sources read of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RepositoryCheck {
    pub sources: u64,
    pub findings: FindingCounts,
}

impl FindingCounts {
    /// Counts findings.
    #[must_use]
    pub fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            counts.add(finding);
        }
        counts
    }

    fn add(&mut self, finding: &Finding) {
        match finding.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Note => self.notes += 1,
        }
    }
}

/// Returns the repository that an indexed name begins with; `None` if it has no other part.
fn repository(name: &str) -> Option<&str> {
    name.split_once('/').map(|(repository, _)| repository)
}

/// Counts what an index holds of each repository.
///
/// # Errors
/// When the store can't be read.
pub fn holdings(store: &Store) -> Result<BTreeMap<String, Holdings>, KnowledgeError> {
    held(store.connection())
}

pub(super) fn held(db: &Connection) -> Result<BTreeMap<String, Holdings>, KnowledgeError> {
    let mut count = db.prepare(
        "SELECT substr(path, 1, instr(path, '/') - 1), count(*),
            sum((SELECT count(*) FROM observation WHERE observation.source = source.id)),
            sum((SELECT count(*) FROM edge WHERE edge.source = source.id)),
            sum((SELECT count(*) FROM execution_log WHERE execution_log.source = source.id)),
            sum(hidden)
            FROM source WHERE instr(path, '/') > 0 GROUP BY 1",
    )?;
    let rows = count.query_map([], |row| {
        let count = |column| row.get::<_, i64>(column).map(i64::cast_unsigned);
        let holdings = Holdings {
            sources: count(1)?,
            observations: count(2)?,
            edges: count(3)?,
            skill_uses: count(4)?,
            hidden: count(5)?,
        };
        Ok((row.get(0)?, holdings))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Summarises a run for each listed repository, and for those of which the index held something.
pub(super) fn summaries<'n>(
    names: impl Iterator<Item = &'n String>,
    (before, now): (BTreeMap<String, Holdings>, BTreeMap<String, Holdings>),
    [added, changed, removed]: [&[(SourceKind, String)]; 3],
    unread: &BTreeMap<String, u64>,
    findings: &[Finding],
) -> BTreeMap<String, RepositorySummary> {
    let mut all: BTreeMap<String, RepositorySummary> =
        names.map(|name| (name.clone(), <_>::default())).collect();
    for (name, held) in before {
        all.entry(name).or_default().before = held;
    }
    for (name, held) in now {
        all.entry(name).or_default().now = held;
    }
    let mut count = |sources: &[(SourceKind, String)], add: fn(&mut RepositorySummary)| {
        for (_, path) in sources {
            if let Some(summary) = repository(path).and_then(|name| all.get_mut(name)) {
                add(summary);
            }
        }
    };
    count(added, |summary| summary.added += 1);
    count(changed, |summary| summary.changed += 1);
    count(removed, |summary| summary.removed += 1);
    for (name, findings) in counts(findings) {
        if let Some(summary) = all.get_mut(name) {
            summary.findings = findings;
        }
    }
    for (name, summary) in &mut all {
        summary.unread = unread.get(name).copied().unwrap_or_default();
        let read = summary.added + summary.changed;
        summary.unchanged = summary.now.sources.saturating_sub(read);
    }
    all
}

/// Counts what a comparison read and found, for each listed repository.
pub(super) fn checks<'n>(
    names: impl Iterator<Item = &'n String>,
    sources: impl Iterator<Item = &'n str>,
    findings: &[Finding],
) -> BTreeMap<String, RepositoryCheck> {
    let mut all: BTreeMap<String, RepositoryCheck> =
        names.map(|name| (name.clone(), <_>::default())).collect();
    for name in sources.filter_map(repository) {
        match all.get_mut(name) {
            Some(check) => check.sources += 1,
            // It isn't listed any more.
            None => all.entry(name.to_owned()).or_default().sources = 1,
        }
    }
    for (name, findings) in counts(findings) {
        if let Some(check) = all.get_mut(name) {
            check.findings = findings;
        }
    }
    all
}

/// Counts the findings by the first part of the names of their files. The name of a repository
/// that can't be read is the whole name.
fn counts(findings: &[Finding]) -> BTreeMap<&str, FindingCounts> {
    let mut all: BTreeMap<&str, FindingCounts> = BTreeMap::new();
    for finding in findings {
        let file: &str = &finding.place.file;
        let name = repository(file).unwrap_or(file);
        all.entry(name).or_default().add(finding);
    }
    all
}
