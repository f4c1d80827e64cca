//! Checks decisions about skills against the evidence (YV903), and uses against the standing of the
//! skill (YV911).

use super::evidence::{CHANGES_OF_ONE, Evidence};
use super::figures::{Limits, Weights, promotion};
use super::standing::is_promotion;
use super::{Change, Manifest, Skills, Use, directory, library};
use crate::diag::{Finding, Severity, assign_fingerprints};
use crate::knowledge::KnowledgeError;
use crate::knowledge::context::{Item, Stage, days_between, stage};
use crate::knowledge::extract::Promotion;
use crate::knowledge::source_config::finding;
use crate::knowledge::tables::{self, EdgeRow};
use crate::trace::graph_line::bare;
use knowledge_index::Store;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use util::time::format_minute;

/// Minimum number of verified useful references of a context that becomes a skill.
pub(super) const USEFUL: u64 = 5;
/// Maximum number of days since its last use.
pub(super) const RECENT_DAYS: f64 = 7.0;
/// Standings in which a skill may not be used.
pub(super) const OFF: [&str; 8] = [
    "retired",
    "archived",
    "rejected",
    "disabled",
    "degraded",
    "pending",
    "deferred",
    "candidate",
];

/// A change of standing with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeReview<'s> {
    pub change: &'s Change,
    /// Whether the evidence recorded until then supports it; `None` for changes that need no
    /// evidence.
    pub supported: Option<bool>,
    /// The evidence, with values and thresholds.
    pub why: String,
}

/// Items of a bank by each of their names.
struct Items<'i>(BTreeMap<&'i str, &'i Item>);

impl<'i> Items<'i> {
    fn of(items: &'i [Item]) -> Self {
        let mut all = BTreeMap::new();
        for item in items {
            all.entry(item.path.as_str()).or_insert(item);
        }
        all.extend(items.iter().map(|item| (item.id.as_str(), item)));
        Self(all)
    }
}

/// Returns the changes of standing, each with the evidence recorded until its time.
#[must_use]
pub fn review<'s>(skills: &'s Skills, items: &[Item], limits: Limits) -> Vec<ChangeReview<'s>> {
    let items = Items::of(items);
    let mut evidence = Evidence::new(skills);
    let review = |change: &'s Change| {
        let what = &change.what;
        let (supported, why) = if is_promotion(&what.new) {
            let Some(figures) = evidence.until(what) else {
                return ChangeReview {
                    change,
                    supported: Some(false),
                    why: format!("it is one of more than {CHANGES_OF_ONE} promotions"),
                };
            };
            let score = figures.score(Weights::Balanced, limits);
            let threshold = skills.threshold(&what.skill, what.version.as_deref());
            let tests = promotion(&figures, score, threshold);
            let said = what
                .score
                .map(|s| format!("; the change says score {s:.3}"))
                .unwrap_or_default();
            let words: Vec<&str> = tests.iter().map(|t| t.text.as_str()).collect();
            (
                Some(tests.iter().all(|t| t.met)),
                format!("{}{said}", words.join("; ")),
            )
        } else if what.new == "approved" {
            approval(change, &items)
        } else {
            (None, String::new())
        };
        ChangeReview {
            change,
            supported,
            why,
        }
    };
    skills.changes.iter().map(review).collect()
}

/// Checks that an approval names a person and is about a useful context.
fn approval(change: &Change, items: &Items<'_>) -> (Option<bool>, String) {
    let what = &change.what;
    if what.by.is_none() {
        return (
            Some(false),
            "neither a person nor a written rule is named".to_owned(),
        );
    }
    let Some(candidate) = &what.candidate else {
        return (Some(false), "no candidate is named".to_owned());
    };
    match items.0.get(candidate.as_str()) {
        None => (Some(false), format!("the context `{candidate}` is unknown")),
        Some(item) => {
            let lacks = lacking(item, what.time);
            (
                Some(lacks.is_empty()),
                if lacks.is_empty() {
                    "the context has borne out".into()
                } else {
                    lacks.join("; ")
                },
            )
        }
    }
}

/// Returns what a context lacks at a time to become a skill.
pub(super) fn lacking(item: &Item, now: i64) -> Vec<String> {
    let mut lacks = Vec::new();
    let staged = stage(item, now);
    if staged.stage != Stage::SkillCandidate {
        lacks.push(format!(
            "it is at the stage {} ({})",
            staged.stage.name(),
            staged.why
        ));
    }
    let useful = item.stats.unwrap_or_default().useful;
    if useful < USEFUL {
        lacks.push(format!("verified useful {useful} times, needs {USEFUL}"));
    }
    match item.used.map(|used| days_between(used, now)) {
        Some(days) if days <= RECENT_DAYS => {}
        Some(days) => lacks.push(format!(
            "last used {days:.0} days before, needs {RECENT_DAYS}"
        )),
        None => lacks.push("no time of use is recorded".to_owned()),
    }
    lacks
}

/// Returns promotions without evidence (YV903) and uses of skills that weren't enabled (YV911),
/// over everything in the store.
pub(in crate::knowledge) fn findings(
    db: &Connection,
    limits: Limits,
) -> Result<Vec<Finding>, KnowledgeError> {
    of(db, &Skills::of(db)?, limits)
}

fn of(db: &Connection, skills: &Skills, limits: Limits) -> Result<Vec<Finding>, KnowledgeError> {
    let items = tables::skill::items(db)?;
    let edges = tables::edges(db)?;
    let (queue, library) = (tables::skill::queue(db)?, tables::skill::library(db)?);
    Ok(unsupported(skills, &items, &edges, limits)
        .into_iter()
        .chain(not_enabled(skills))
        .chain(library::contradictions(skills, &items, &queue, &library))
        .collect())
}

/// Like [`findings`], for skills that may come from additional sources.
///
/// # Errors
/// When the store can't be read.
pub fn findings_of(
    store: &Store,
    skills: &Skills,
    limits: Limits,
) -> Result<Vec<Finding>, KnowledgeError> {
    let mut all = of(store.connection(), skills, limits)?;
    all.sort_by_cached_key(Finding::order);
    assign_fingerprints(&mut all);
    Ok(all)
}

/// Returns the items of context banks in a store, without their content.
///
/// # Errors
/// When the store can't be read.
pub fn items_of(store: &Store) -> Result<Vec<Item>, KnowledgeError> {
    tables::skill::items(store.connection())
}

fn unsupported(skills: &Skills, items: &[Item], edges: &[EdgeRow], limits: Limits) -> Vec<Finding> {
    let mut all = Vec::new();
    for reviewed in review(skills, items, limits)
        .into_iter()
        .filter(|j| j.supported == Some(false))
    {
        let what = &reviewed.change.what;
        let version = what
            .version
            .as_deref()
            .map(|v| format!(" {v}"))
            .unwrap_or_default();
        let word = if what.new == "approved" {
            "approved"
        } else {
            "promoted"
        };
        let message = format!(
            "the skill `{}{version}` was {word} without the evidence: {}",
            what.skill, reviewed.why
        );
        all.push(finding(903, &reviewed.change.file, what.line, message));
    }
    // If any change is recorded, every skill in production must have been promoted by one.
    let promotions = skills.promotions();
    let displaced = directory::displaced(skills);
    let is_displaced = |m: &&Manifest| displaced.iter().any(|(other, _)| std::ptr::eq(*other, *m));
    for m in skills
        .manifests
        .iter()
        .filter(|m| m.stage == "production" && !promotions.include(&m.name, &m.version))
        .filter(|m| !is_displaced(m))
    {
        let message = format!(
            "the skill `{} {}` lies in `production`, and no promotion of it is recorded",
            m.name, m.version
        );
        all.push(finding(903, &m.file, 1, message));
    }
    for (m, why) in displaced {
        let message = format!("the skill `{} {}` {why}", m.name, m.version);
        all.push(finding(903, &m.file, 1, message));
    }
    let items = Items::of(items);
    for edge in edges.iter().filter(|e| e.kind == "promoted_to") {
        let plain = bare(&edge.from);
        // An edge to an unknown context is reported separately.
        if let Some(item) = items
            .0
            .get(edge.from.as_str())
            .or_else(|| items.0.get(plain))
        {
            let lacks = lacking(item, edge.time.unwrap_or(i64::MAX));
            if !lacks.is_empty() {
                let message = format!(
                    "the edge says that `{}` became a skill; {}",
                    edge.from,
                    lacks.join("; ")
                );
                all.push(finding(903, &edge.file, edge.line, message));
            }
        }
    }
    all
}

/// Why a skill wasn't enabled, for some of its uses.
type Objection = (String, Severity);

/// Source, skill, version, and the objection.
type Reason<'s> = (&'s str, &'s str, &'s str, Objection);

/// The standing of each skill, for all of its versions together and for each one.
struct Standings<'s> {
    /// Changes by time, for each skill and scope.
    changes: BTreeMap<(&'s str, Scope<'s>), Vec<&'s Promotion>>,
    manifests: BTreeMap<(&'s str, Scope<'s>), Vec<&'s Manifest>>,
    known: BTreeSet<&'s str>,
    disabled: &'s BTreeSet<String>,
}

/// The scope of a statement about a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Scope<'s> {
    /// Every statement about the skill, with or without a version.
    Any,
    /// A statement that names no version.
    Unversioned,
    /// A statement that names this version.
    Version(&'s str),
}

impl<'s> Scope<'s> {
    fn of(version: &'s str) -> Self {
        if version.is_empty() {
            Self::Unversioned
        } else {
            Self::Version(version)
        }
    }

    /// Returns the scopes that apply to a use: every statement when it names no version, otherwise
    /// those that name this version or none.
    fn concerning(version: &'s str) -> [Option<Self>; 2] {
        if version.is_empty() {
            [Some(Self::Any), None]
        } else {
            [Some(Self::Unversioned), Some(Self::Version(version))]
        }
    }
}

impl<'s> Standings<'s> {
    fn of(skills: &'s Skills) -> Self {
        let disabled = &skills.disabled;
        let known = disabled.iter().map(String::as_str).collect();
        let mut all = Self {
            changes: BTreeMap::new(),
            manifests: BTreeMap::new(),
            known,
            disabled,
        };
        // The changes are sorted by time.
        for what in skills.changes.iter().map(|c| &c.what) {
            for scope in [
                Scope::Any,
                Scope::of(what.version.as_deref().unwrap_or_default()),
            ] {
                all.changes
                    .entry((&what.skill, scope))
                    .or_default()
                    .push(what);
            }
            all.known.insert(&what.skill);
        }
        for manifest in &skills.manifests {
            for scope in [Scope::Any, Scope::of(&manifest.version)] {
                all.manifests
                    .entry((&manifest.name, scope))
                    .or_default()
                    .push(manifest);
            }
            all.known.insert(&manifest.name);
        }
        all
    }

    /// Returns the objections to the dependencies of a used skill. All of them must be enabled.
    fn dependencies(&self, used: &'s Use) -> Vec<Objection> {
        let manifests = Scope::concerning(&used.version)
            .into_iter()
            .flatten()
            .filter_map(|scope| self.manifests.get(&(used.skill.as_str(), scope)))
            .flat_map(|list| list.iter().take(100));
        let names: BTreeSet<&str> = manifests
            .flat_map(|m| m.dependencies.iter().map(String::as_str))
            .collect();
        let objection = |name: &str| {
            let dependency = Use {
                skill: name.to_owned(),
                version: String::new(),
                ..used.clone()
            };
            let (why, severity) = Standings::objection(self, &dependency)?;
            Some((format!("whose dependency is `{name}`, {why}"), severity))
        };
        names.into_iter().filter_map(objection).collect()
    }

    fn objection(&self, used: &'s Use) -> Option<Objection> {
        let error = |text: String| Some((text, Severity::Error));
        let warning = |text: String| Some((text, Severity::Warning));
        if !self.known.contains(used.skill.as_str()) {
            // If nothing is declared about any skill, nothing can be missing.
            return if self.known.is_empty() {
                None
            } else {
                warning("which no manifest and no change of status names".into())
            };
        }
        let concerning = Scope::concerning(&used.version)
            .into_iter()
            .flatten()
            .map(|scope| (used.skill.as_str(), scope));
        let changes: Vec<&[&Promotion]> = concerning
            .clone()
            .filter_map(|key| self.changes.get(&key))
            .map(Vec::as_slice)
            .collect();
        let manifests: Vec<&[&Manifest]> = concerning
            .filter_map(|key| self.manifests.get(&key))
            .map(Vec::as_slice)
            .collect();
        if changes.is_empty() && self.disabled.contains(&used.skill) {
            return warning("which `skills.json` has disabled, at an unrecorded time".into());
        }
        if changes.is_empty() && manifests.is_empty() {
            return warning("of which no manifest has this version".into());
        }
        let Some(time) = used.started.or(used.completed) else {
            let last = changes
                .iter()
                .filter_map(|list| list.last())
                .max_by_key(|c| c.time);
            let gone = last.is_some_and(|c| OFF.contains(&c.new.as_str()));
            return if gone {
                warning("at a time that isn't recorded, and it isn't enabled now".into())
            } else {
                None
            };
        };
        let before = |list: &&[&'s Promotion]| {
            list.get(list.partition_point(|c| c.time <= time).checked_sub(1)?)
                .copied()
        };
        if let Some(last) = changes.iter().filter_map(before).max_by_key(|c| c.time) {
            let since = || format!("which is {} since {}", last.new, format_minute(last.time));
            return if OFF.contains(&last.new.as_str()) {
                error(since())
            } else {
                None
            };
        }
        let first = changes
            .iter()
            .filter_map(|list| list.first())
            .min_by_key(|c| c.time);
        if let Some(old) = first
            .and_then(|c| c.old.as_deref())
            .filter(|old| OFF.contains(old))
        {
            return error(format!(
                "which was {old} until {}",
                format_minute(first.map_or(0, |c| c.time))
            ));
        }
        // A limit: a hundred places are enough.
        let mut said = manifests.iter().flat_map(|list| list.iter().take(100));
        if let Some(created) = said
            .clone()
            .filter_map(|m| m.created)
            .min()
            .filter(|created| *created > time)
        {
            return error(format!("which was made at {}", format_minute(created)));
        }
        if changes.is_empty() && said.all(|m| m.stage == "retired") {
            return warning("which is in `retired` since an unrecorded time".into());
        }
        None
    }
}

/// Reports uses of skills that weren't enabled at that time, one finding for each source, skill and
/// reason.
fn not_enabled(skills: &Skills) -> Vec<Finding> {
    let standings = Standings::of(skills);
    let mut found: BTreeMap<Reason<'_>, (u64, &str, u64)> = BTreeMap::new();
    for used in &skills.uses {
        let own = standings.objection(used).into_iter();
        for objection in own.chain(standings.dependencies(used)) {
            let key = (
                used.file.as_str(),
                used.skill.as_str(),
                used.version.as_str(),
                objection,
            );
            found.entry(key).or_insert((used.line, &used.task, 0)).2 += 1;
        }
    }
    let mut all = Vec::new();
    for ((file, skill, version, (why, severity)), (line, task, count)) in found {
        let version = if version.is_empty() {
            String::new()
        } else {
            format!(" {version}")
        };
        let times = if count > 1 {
            format!(" ({count} times in this source)")
        } else {
            String::new()
        };
        let mut finding = finding(
            911,
            file,
            line,
            format!("the skill `{skill}{version}` was used{times}, {why}"),
        );
        finding.severity = severity;
        finding.execution = Some(task.into());
        all.push(finding);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::context::Place;
    use serde_json::json;

    fn used(skill: &str, time: Option<i64>, success: bool) -> Use {
        Use {
            file: "t.jsonl".into(),
            line: 7,
            skill: skill.into(),
            version: String::new(),
            task: "run".into(),
            turn: None,
            success: Some(success),
            weak: false,
            rolled_back: false,
            cost: Some(0.1),
            latency: Some(100.0),
            started: time,
            completed: time,
        }
    }

    fn change(skill: &str, old: Option<&str>, new: &str, time: i64) -> Change {
        let what = Promotion {
            line: 3,
            skill: skill.into(),
            version: None,
            candidate: Some("a".into()),
            old: old.map(str::to_owned),
            new: new.into(),
            score: Some(0.99),
            metrics: None,
            reason: None,
            by: Some("maria".into()),
            time,
        };
        Change {
            file: "skills/promotions.jsonl".into(),
            what,
        }
    }

    fn manifest(name: &str, stage: &str, created: Option<i64>) -> Manifest {
        let file = format!("skills/{stage}/{name}/meta.json");
        Manifest {
            file,
            name: name.into(),
            version: "1.0.0".into(),
            intent: "i".into(),
            stage: stage.into(),
            created,
            success_threshold: None,
            dependencies: Vec::new(),
        }
    }

    fn codes(skills: &Skills, items: &[Item]) -> Vec<(u16, Severity)> {
        let all = unsupported(skills, items, &[], Limits::default())
            .into_iter()
            .chain(not_enabled(skills));
        all.map(|f| (f.code.0, f.severity)).collect()
    }

    #[test]
    fn only_what_came_before_speaks_for_a_promotion() {
        let mut skills = Skills {
            uses: (0..12).map(|n| used("make", Some(n), true)).collect(),
            manifests: vec![manifest("make", "production", Some(0))],
            changes: vec![change("make", Some("experimental"), "production", 20)],
            ..Skills::default()
        };
        assert!(codes(&skills, &[]).is_empty());
        for (n, used) in (0..).zip(&mut skills.uses) {
            (used.turn, used.file) = (Some(n / 4), format!("copy-{n}.jsonl"));
        }
        assert_eq!(
            codes(&skills, &[]),
            [(903, Severity::Error)],
            "three turns in four copies each"
        );
        for (n, used) in (0..).zip(&mut skills.uses) {
            used.turn = Some(n);
        }
        assert!(codes(&skills, &[]).is_empty());
        skills.uses.push(Use {
            success: Some(false),
            ..skills.uses[0].clone()
        });
        skills.uses.push(Use {
            success: Some(false),
            ..skills.uses[1].clone()
        });
        assert_eq!(
            codes(&skills, &[]),
            [(903, Severity::Error)],
            "an account of failure outweighs one of success"
        );
        skills.uses.truncate(12);
        skills.changes[0].what.time = 8;
        assert_eq!(
            codes(&skills, &[]),
            [(903, Severity::Error)],
            "nine of ten came before"
        );
        skills.changes[0].what.time = 9;
        assert!(codes(&skills, &[]).is_empty());
        skills.changes[0].what.version = Some("2.0.0".into());
        assert_eq!(
            codes(&skills, &[]),
            [(903, Severity::Error); 2],
            "another version; and this one lies there without one"
        );
        skills.changes[0].what.version = None;
        for used in &mut skills.uses {
            used.started = None;
            used.completed = None;
        }
        assert_eq!(
            codes(&skills, &[]),
            [(903, Severity::Error)],
            "what has no time came never"
        );
    }

    #[test]
    fn a_skill_can_demand_more_success_of_itself() {
        let with = |threshold: f64, failures: usize| {
            let uses =
                (0..12).map(|n| used("make", Some(n), n >= i64::try_from(failures).unwrap()));
            let skills = Skills {
                uses: uses.collect(),
                manifests: vec![Manifest {
                    success_threshold: Some(threshold),
                    ..manifest("make", "production", Some(0))
                }],
                changes: vec![change("make", Some("experimental"), "production", 20)],
                ..Skills::default()
            };
            codes(&skills, &[])
        };
        assert_eq!(with(0.9, 1), []);
        assert_eq!(with(0.99, 1), [(903, Severity::Error)]);
        assert_eq!(
            with(0.1, 3),
            [(903, Severity::Error)],
            "0.75 is never enough"
        );
    }

    #[test]
    fn dependencies_are_enabled() {
        let with = |changes: Vec<Change>| {
            let skills = Skills {
                uses: vec![used("make", Some(250), true)],
                manifests: vec![
                    Manifest {
                        dependencies: vec!["base".into()],
                        ..manifest("make", "experimental", None)
                    },
                    manifest("base", "experimental", None),
                ],
                changes,
                ..Skills::default()
            };
            not_enabled(&skills)
        };
        assert!(with(vec![]).is_empty());
        let found = with(vec![change("base", None, "disabled", 200)]);
        assert_eq!(found.len(), 1);
        assert!(
            found[0]
                .message
                .contains("dependency is `base`, which is disabled")
        );
        assert!(with(vec![change("base", None, "disabled", 300)]).is_empty());
    }

    #[test]
    fn approvals_need_somebody_and_a_context() {
        let day = 86_400_000;
        let item = |useful: u64, used: i64| {
            let value = json!({"id":"a","path":"a.md","importance":{"confidence":0.9,"lastUsed":used},
                "usageStats":{"referencedCount":9,"verifiedUseful":useful}});
            vec![Item::read("bank/a.json", Place::Whole, &value).unwrap()]
        };
        let mut skills = Skills {
            changes: vec![change("a", Some("pending"), "approved", 100 * day)],
            ..Skills::default()
        };
        assert!(codes(&skills, &item(5, 93 * day)).is_empty());
        for items in [item(4, 93 * day), item(5, 92 * day), vec![]] {
            assert_eq!(codes(&skills, &items), [(903, Severity::Error)]);
        }
        skills.changes[0].what.by = None;
        assert_eq!(codes(&skills, &item(5, 93 * day)), [(903, Severity::Error)]);
    }

    #[test]
    fn uses_are_held_against_what_was_enabled() {
        let error = vec![(911, Severity::Error)];
        let warning = vec![(911, Severity::Warning)];
        let of = |changes: Vec<Change>, manifests: Vec<Manifest>, time: Option<i64>| {
            codes(
                &Skills {
                    uses: vec![used("make", time, true)],
                    manifests,
                    changes,
                    ..Skills::default()
                },
                &[],
            )
        };
        let made = |stage: &str| vec![manifest("make", stage, Some(100))];
        assert!(of(vec![], made("experimental"), Some(100)).is_empty());
        assert_eq!(of(vec![], made("experimental"), Some(99)), error);
        let retired = || vec![change("make", Some("production"), "retired", 200)];
        assert!(of(retired(), made("retired"), Some(199)).is_empty());
        assert_eq!(of(retired(), made("retired"), Some(200)), error);
        assert_eq!(of(retired(), made("retired"), None), warning);
        assert_eq!(of(vec![], made("retired"), Some(150)), warning);
        let degraded = || {
            vec![
                change("make", None, "degraded", 200),
                change("make", None, "enabled", 300),
            ]
        };
        assert_eq!(of(degraded(), made("experimental"), Some(250)), error);
        assert!(of(degraded(), made("experimental"), Some(300)).is_empty());
        let candidate = vec![change("make", Some("pending"), "enabled", 300)];
        assert_eq!(of(candidate, vec![], Some(250)), error);
        assert_eq!(
            of(vec![], vec![manifest("other", "production", None)], Some(1)),
            warning,
            "it is unknown"
        );
        let disabled = std::iter::once("make".to_owned()).collect();
        let off = Skills {
            uses: vec![used("make", Some(1), true)],
            disabled,
            ..Skills::default()
        };
        assert_eq!(codes(&off, &[]), warning);
        assert!(
            of(vec![], vec![], Some(1)).is_empty(),
            "where no skill is named, nothing can be checked"
        );
    }
}
