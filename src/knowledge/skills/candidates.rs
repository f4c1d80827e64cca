//! Contexts that may become skills, with the decisions about them.

use super::Change;
use super::history::lacking;
use crate::knowledge::context::{Bank, Item, Metrics, Stage, stage};
use std::collections::BTreeMap;

/// The decision about a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// No decision yet.
    Pending,
    /// The context may become a skill.
    Approved,
    /// The context may not become a skill.
    Rejected,
    /// The decision was deferred.
    Deferred,
}

impl Status {
    /// Returns the name in records and output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Deferred => "deferred",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [
            Self::Pending,
            Self::Approved,
            Self::Rejected,
            Self::Deferred,
        ]
        .into_iter()
        .find(|s| s.name() == word)
    }
}

/// Whether a candidate has the evidence that a skill needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// All evidence is present.
    Ready,
    /// The missing evidence, with values and thresholds.
    Lacks(Vec<String>),
}

/// A context that is ready for a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The id of the context.
    pub id: String,
    /// The file of the bank that contains the context.
    pub source: String,
    /// The path that the context describes.
    pub path: String,
    /// A suggested name for the skill, derived from the path.
    pub name: String,
    /// The context's own description.
    pub description: String,
    /// 0..1.
    pub confidence: f64,
    /// Uses of the context.
    pub uses: u64,
    /// References to the context.
    pub referenced: u64,
    /// References verified as useful.
    pub useful: u64,
    /// Share of verified references that were useful.
    pub verified_rate: f64,
    /// Time of the last use, in milliseconds since the Unix epoch.
    pub used: Option<i64>,
    /// The latest decision.
    pub status: Status,
    pub decided: Option<i64>,
    /// Whether the candidate may be approved.
    pub readiness: Readiness,
}

/// Returns the candidates of a bank at a time, by id: every context at the stage `skill_candidate`,
/// and every context that was proposed or decided about earlier.
#[must_use]
pub fn candidates(bank: &Bank, decided: &[Change], now: i64) -> Vec<Candidate> {
    let mut last: BTreeMap<&str, (Status, i64)> = BTreeMap::new();
    let mut by_time: Vec<&Change> = decided.iter().collect();
    by_time.sort_by_key(|c| c.what.time);
    for change in by_time {
        if let (Some(candidate), Some(status)) =
            (&change.what.candidate, Status::parse(&change.what.new))
        {
            last.insert(candidate, (status, change.what.time));
        }
    }
    let mut all: BTreeMap<String, Candidate> = BTreeMap::new();
    for item in bank
        .items
        .iter()
        .filter(|i| i.frozen.is_none() && !i.deprecated)
    {
        let status = last.get(item.id.as_str()).copied();
        let proposed = bank.proposed.contains(&item.id) || status.is_some();
        if proposed || stage(item, now).stage == Stage::SkillCandidate {
            all.entry(item.id.clone())
                .or_insert_with(|| candidate(item, status, now));
        }
    }
    all.into_values().collect()
}

fn candidate(item: &Item, status: Option<(Status, i64)>, now: i64) -> Candidate {
    let lacks = lacking(item, now);
    let figures = Metrics::of(item, now);
    Candidate {
        id: item.id.clone(),
        source: item.file.clone(),
        name: suggested(item.alias.as_deref().unwrap_or(&item.path)),
        path: item.path.clone(),
        description: item.summary.clone().unwrap_or_default(),
        confidence: figures.confidence,
        uses: figures.uses,
        referenced: figures.referenced,
        useful: item.stats.unwrap_or_default().useful,
        verified_rate: figures.verified_rate,
        used: item.used,
        status: status.map_or(Status::Pending, |(status, _)| status),
        decided: status.map(|(_, time)| time),
        readiness: if lacks.is_empty() {
            Readiness::Ready
        } else {
            Readiness::Lacks(lacks)
        },
    }
}

/// Maximum number of characters of a suggested name.
const NAME: usize = 60;

/// Suggests a name for a skill: the last part of a path in lower case, words joined by hyphens.
fn suggested(path: &str) -> String {
    let last = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path);
    let stem = last
        .rsplit_once('.')
        .map_or(last, |(stem, _)| stem)
        .to_lowercase();
    let words: Vec<&str> = stem
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect();
    let name: String = words.join("-").chars().take(NAME).collect();
    if name.is_empty() {
        "skill".to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_come_from_paths() {
        assert_eq!(suggested("docs/How_to Fix.v2.md"), "how-to-fix-v2");
        assert_eq!(suggested("docs/"), "docs");
        assert_eq!(suggested("..."), "skill");
    }

    proptest! {
        #[test]
        fn a_name_is_a_name(path in any::<String>()) {
            let name = suggested(&path);
            prop_assert!(!name.is_empty() && name.chars().count() <= NAME);
            prop_assert!(name.chars().all(|c| c.is_alphanumeric() || c == '-'));
        }
    }
}
