//! Evaluates every skill from the content of the store.

use super::figures::{Limits, Metrics, Suggestion, Test, Weights, advice, suggestion};
use super::{Change, Manifest, Use, distinct, evidence};
use crate::knowledge::KnowledgeError;
use crate::knowledge::tables::skill::Stats;
use crate::knowledge::tables::{self, SCHEMA};
use knowledge_index::Store;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that is recorded about skills.
#[derive(Debug, Clone, Default)]
pub struct Skills {
    pub uses: Vec<Use>,
    /// The declarations of the skills.
    pub manifests: Vec<Manifest>,
    /// The changes of standing, by time.
    pub changes: Vec<Change>,
    /// Skills that `skills.json` disables; the time isn't recorded.
    pub disabled: BTreeSet<String>,
}

/// The evaluation of a version of a skill.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillEvaluation {
    pub name: String,
    /// The skill's version; empty when it isn't recorded.
    pub version: String,
    /// The single purpose of the skill; empty without a manifest.
    pub intent: String,
    /// The directory of its stage; `None` without a manifest.
    pub stage: Option<String>,
    /// A promotion of it is recorded, or no change of any skill is.
    pub is_promoted: bool,
    pub figures: Metrics,
    /// 0..1.
    pub score: f64,
    /// What the user should examine.
    pub advice: Vec<&'static str>,
    /// The suggested action.
    pub suggestion: Suggestion,
    /// The deciding conditions.
    pub tests: Vec<Test>,
}

/// The recorded promotions of skills.
pub(super) struct Promotions<'s> {
    all: BTreeSet<(&'s str, Option<&'s str>)>,
    are_recorded: bool,
}

impl Promotions<'_> {
    /// Returns whether a skill was promoted. If no change of any skill is recorded, every skill
    /// counts as promoted.
    pub(super) fn include(&self, name: &str, version: &str) -> bool {
        !self.are_recorded
            || self.all.contains(&(name, None))
            || self.all.contains(&(name, Some(version)))
    }
}

pub(super) fn is_promotion(status: &str) -> bool {
    matches!(status, "production" | "promoted")
}

impl Skills {
    /// Reads the content of a store.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn read(store: &Store) -> Result<Self, KnowledgeError> {
        Self::of(store.connection())
    }

    pub(super) fn of(db: &Connection) -> Result<Self, KnowledgeError> {
        let (uses, manifests) = (tables::skill::uses(db)?, tables::skill::manifests(db)?);
        Ok(Self {
            uses,
            manifests,
            changes: tables::skill::changes(db)?,
            disabled: tables::skill::disabled(db)?,
        })
    }

    /// Returns the time of the newest record, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn newest(&self) -> Option<i64> {
        self.uses
            .iter()
            .filter_map(Use::time)
            .chain(self.changes.iter().map(|c| c.what.time))
            .max()
    }

    /// Returns the versions of each skill that are named anywhere.
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

    /// Groups uses by version. A use without a version belongs to the only version, or has a group
    /// of its own if there are several.
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

    /// Evaluates every version, optionally with the uses up to a given time.
    #[must_use]
    pub fn evaluated(
        &self,
        weights: Weights,
        limits: Limits,
        until: Option<i64>,
    ) -> Vec<SkillEvaluation> {
        let mut all = Vec::new();
        let promotions = self.promotions();
        for ((name, version), uses) in self.by_version() {
            let before = |used: &&Use| {
                until.is_none_or(|until| used.time().is_none_or(|time| time <= until))
            };
            let uses = distinct(uses.into_iter().filter(before));
            let figures = Metrics::of(&uses.iter().map(AsRef::as_ref).collect::<Vec<_>>());
            let score = figures.score(weights, limits);
            // During a move, the same version may be in two directories. Production is the stricter
            // assumption.
            let found = self
                .manifests
                .iter()
                .filter(|m| m.name == name && m.version == version);
            let manifest =
                found.max_by_key(|m| (m.stage == "production", m.stage == "experimental"));
            let stage = manifest.map(|m| m.stage.clone());
            let threshold = self.threshold(name, Some(version));
            let (suggestion, tests) = suggestion(&figures, score, stage.as_deref(), threshold);
            all.push(SkillEvaluation {
                name: name.to_owned(),
                version: version.to_owned(),
                intent: manifest
                    .map(|m| m.intent.trim().to_owned())
                    .unwrap_or_default(),
                stage,
                is_promoted: promotions.include(name, version),
                advice: advice(&figures),
                figures,
                score,
                suggestion,
                tests,
            });
        }
        all
    }

    /// Returns the highest threshold of success that the manifests of a skill declare: those of its
    /// version, or all of them without one.
    pub(super) fn threshold(&self, name: &str, version: Option<&str>) -> Option<f64> {
        self.manifests
            .iter()
            .filter(|m| m.name == name && version.is_none_or(|v| m.version == v))
            .filter_map(|m| m.success_threshold)
            .reduce(f64::max)
    }

    /// Returns the recorded promotions.
    pub(super) fn promotions(&self) -> Promotions<'_> {
        let promoted = self.changes.iter().filter(|c| is_promotion(&c.what.new));
        Promotions {
            all: promoted
                .map(|c| (c.what.skill.as_str(), c.what.version.as_deref()))
                .collect(),
            are_recorded: !self.changes.is_empty(),
        }
    }

    /// Returns the promoted production skill with the highest score for each intent. The first
    /// name, then the last version, breaks ties.
    #[must_use]
    pub fn selected(evaluated: &[SkillEvaluation]) -> BTreeMap<&str, &SkillEvaluation> {
        let mut best: BTreeMap<&str, &SkillEvaluation> = BTreeMap::new();
        for skill in evaluated
            .iter()
            .filter(|e| e.stage.as_deref() == Some("production") && !e.intent.is_empty())
            .filter(|e| e.is_promoted)
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

/// Recomputes the table of statistics with balanced weights, and what follows from it.
pub(in crate::knowledge) fn rebuild(db: &Connection, limits: Limits) -> Result<(), KnowledgeError> {
    let skills = Skills::of(db)?;
    tables::skill::write_stats(db, &stats(&skills, limits))?;
    tables::skill::write_bases(db, &evidence::bases(&skills, limits))?;
    tables::skill::write_intents(db)
}

/// Whether the table of statistics, and what follows from it, is what [`rebuild`] would write now.
pub(in crate::knowledge) fn stats_agree(
    db: &Connection,
    limits: Limits,
) -> Result<bool, KnowledgeError> {
    let other = Store::in_memory(&SCHEMA)?;
    let skills = Skills::of(db)?;
    tables::skill::write_stats(other.connection(), &stats(&skills, limits))?;
    Ok(
        tables::skill::stats(db)? == tables::skill::stats(other.connection())?
            && tables::skill::bases_agree(db, &evidence::bases(&skills, limits))?
            && tables::skill::intents_agree(db)?,
    )
}

fn stats(skills: &Skills, limits: Limits) -> Vec<Stats> {
    let evaluated = skills.evaluated(Weights::Balanced, limits, None);
    let row = |e: SkillEvaluation| (e.name, e.version, e.intent, e.figures, e.score);
    evaluated.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_promoted_skills_are_selected() {
        let evaluation = |name: &str, score: f64, is_promoted: bool| SkillEvaluation {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            intent: "review".to_owned(),
            stage: Some("production".to_owned()),
            is_promoted,
            figures: Metrics::of(&[]),
            score,
            advice: Vec::new(),
            suggestion: Suggestion::Stay,
            tests: Vec::new(),
        };
        let all = [
            evaluation("moved-by-hand", 0.9, false),
            evaluation("proven", 0.8, true),
        ];
        assert_eq!(Skills::selected(&all)["review"].name, "proven");
        assert!(Skills::selected(&all[..1]).is_empty());
    }

    #[test]
    fn without_recorded_changes_every_skill_counts_as_promoted() {
        let named = |all: &[(&'static str, Option<&'static str>)]| Promotions {
            all: all.iter().copied().collect(),
            are_recorded: true,
        };
        let promotions = named(&[("a", None), ("b", Some("2.0.0"))]);
        assert!(promotions.include("a", "1.0.0") && promotions.include("b", "2.0.0"));
        assert!(!promotions.include("b", "1.0.0") && !promotions.include("c", "1.0.0"));
        assert!(Skills::default().promotions().include("c", "1.0.0"));
    }
}
