//! Every skill with its metrics, from what the store holds.

use super::figures::{Limits, Metrics, Suggestion, Test, Weights, advice, suggestion};
use super::{Change, Manifest, Use, distinct};
use crate::knowledge::store::skill::Stats;
use crate::knowledge::{KnowledgeError, Store, store};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that is recorded about skills.
#[derive(Debug, Clone, Default)]
pub struct Skills {
    pub uses: Vec<Use>,
    /// What is said of them.
    pub manifests: Vec<Manifest>,
    /// The changes of their standing, by time.
    pub changes: Vec<Change>,
    /// Those that `skills.json` has disabled; it doesn't say since when.
    pub disabled: BTreeSet<String>,
}

/// A version of a skill with what its figures say.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    pub name: String,
    /// Its version; empty when it isn't recorded.
    pub version: String,
    /// Its one purpose; empty when no manifest says it.
    pub intent: String,
    /// The folder that it lies in; `None` without a manifest.
    pub stage: Option<String>,
    pub figures: Metrics,
    /// Its score, 0..1.
    pub score: f64,
    /// What to look at.
    pub advice: Vec<&'static str>,
    /// What is to be done with it.
    pub suggestion: Suggestion,
    /// The conditions that decided.
    pub tests: Vec<Test>,
}

impl Skills {
    /// Reads what a store holds.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn read(store: &Store) -> Result<Self, KnowledgeError> {
        Self::of(&store.db)
    }

    pub(super) fn of(db: &Connection) -> Result<Self, KnowledgeError> {
        let (uses, manifests) = (store::skill::uses(db)?, store::skill::manifests(db)?);
        Ok(Self {
            uses,
            manifests,
            changes: store::skill::changes(db)?,
            disabled: store::skill::disabled(db)?,
        })
    }

    /// The time of the newest record, in milliseconds since the epoch.
    #[must_use]
    pub fn newest(&self) -> Option<i64> {
        self.uses
            .iter()
            .filter_map(Use::time)
            .chain(self.changes.iter().map(|c| c.what.time))
            .max()
    }

    /// The versions of each skill that are named anywhere.
    fn versions(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let manifests = self
            .manifests
            .iter()
            .map(|m| (m.name.as_str(), m.version.as_str()));
        for (name, version) in manifests.chain(
            self.uses
                .iter()
                .map(|u| (u.skill.as_str(), u.version.as_str())),
        ) {
            let versions = all.entry(name).or_default();
            if !version.is_empty() {
                versions.insert(version);
            }
        }
        all
    }

    /// The uses of each version. A use that names none is of the only version that there is; where
    /// there are several it stands alone.
    #[must_use]
    pub fn by_version(&self) -> BTreeMap<(&str, &str), Vec<&Use>> {
        let versions = self.versions();
        let mut all: BTreeMap<(&str, &str), Vec<&Use>> = BTreeMap::new();
        for manifest in &self.manifests {
            all.entry((&manifest.name, &manifest.version)).or_default();
        }
        for used in &self.uses {
            let only = versions
                .get(used.skill.as_str())
                .filter(|v| v.len() == 1)
                .and_then(|v| v.first())
                .copied();
            let version = if used.version.is_empty() {
                only.unwrap_or_default()
            } else {
                &used.version
            };
            all.entry((&used.skill, version)).or_default().push(used);
        }
        all
    }

    /// Figures, score, advice and suggestion of every version; with uses up to a time where one is
    /// given.
    #[must_use]
    pub fn evaluated(
        &self,
        weights: Weights,
        limits: Limits,
        until: Option<i64>,
    ) -> Vec<Evaluated> {
        let mut all = Vec::new();
        for ((name, version), uses) in self.by_version() {
            let before = |used: &&Use| {
                until.is_none_or(|until| used.time().is_none_or(|time| time <= until))
            };
            let uses = distinct(uses.into_iter().filter(before));
            let figures = Metrics::of(&uses.iter().map(AsRef::as_ref).collect::<Vec<_>>());
            let score = figures.score(weights, limits);
            // The same version may lie in two folders while it is moved; the riskier reading is
            // that it is in production.
            let found = self
                .manifests
                .iter()
                .filter(|m| m.name == name && m.version == version);
            let manifest =
                found.max_by_key(|m| (m.stage == "production", m.stage == "experimental"));
            let stage = manifest.map(|m| m.stage.clone());
            let (suggestion, tests) = suggestion(&figures, score, stage.as_deref());
            all.push(Evaluated {
                name: name.to_owned(),
                version: version.to_owned(),
                intent: manifest
                    .map(|m| m.intent.trim().to_owned())
                    .unwrap_or_default(),
                stage,
                advice: advice(&figures),
                figures,
                score,
                suggestion,
                tests,
            });
        }
        all
    }

    /// For each intent that production skills serve, the one with the highest score; of equal ones
    /// the first by name, the newest by name of version.
    #[must_use]
    pub fn selected(evaluated: &[Evaluated]) -> BTreeMap<&str, &Evaluated> {
        let mut best: BTreeMap<&str, &Evaluated> = BTreeMap::new();
        for skill in evaluated
            .iter()
            .filter(|e| e.stage.as_deref() == Some("production") && !e.intent.is_empty())
        {
            let entry = best.entry(&skill.intent).or_insert(skill);
            let newer = skill.name == entry.name && skill.version > entry.version;
            if skill.score > entry.score
                || newer && (skill.score - entry.score).abs() <= f64::EPSILON
            {
                *entry = skill;
            }
        }
        best
    }
}

/// Computes the table of figures again: balanced weights.
pub(in crate::knowledge) fn rebuild(db: &Connection, limits: Limits) -> Result<(), KnowledgeError> {
    store::skill::write_stats(db, &stats(db, limits)?)
}

/// Whether the table of figures is the one that [`rebuild`] writes now.
pub(in crate::knowledge) fn stats_agree(
    db: &Connection,
    limits: Limits,
) -> Result<bool, KnowledgeError> {
    let other = Store::in_memory()?;
    store::skill::write_stats(&other.db, &stats(db, limits)?)?;
    Ok(store::skill::stats(db)? == store::skill::stats(&other.db)?)
}

fn stats(db: &Connection, limits: Limits) -> Result<Vec<Stats>, KnowledgeError> {
    let evaluated = Skills::of(db)?.evaluated(Weights::Balanced, limits, None);
    let row = |e: Evaluated| (e.name, e.version, e.intent, e.figures, e.score);
    Ok(evaluated.into_iter().map(row).collect())
}
