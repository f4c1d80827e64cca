//! Compares a user's library of skills and queue of candidates with the decisions (YV903) and the
//! traces (YV922).

use super::history::OFF;
use super::{Change, Skills, Use, distinct};
use crate::diag::Finding;
use crate::knowledge::context::{Importance, Item};
use crate::knowledge::extract::Promotion;
use crate::knowledge::source_config::finding;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of findings.
const MOST: usize = 1_000;

/// A candidate in a queue.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::knowledge) struct QueuedCandidate {
    /// The source, relative to the root.
    pub(in crate::knowledge) file: String,
    pub(in crate::knowledge) line: u64,
    pub(in crate::knowledge) id: String,
    /// The context that it was made from.
    pub(in crate::knowledge) path: String,
    pub(in crate::knowledge) uses: u64,
    pub(in crate::knowledge) status: String,
}

/// A skill in a library.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::knowledge) struct LibrarySkill {
    /// The source, relative to the root.
    pub(in crate::knowledge) file: String,
    pub(in crate::knowledge) line: u64,
    pub(in crate::knowledge) id: String,
    pub(in crate::knowledge) name: String,
    pub(in crate::knowledge) successes: u64,
    pub(in crate::knowledge) failures: u64,
    pub(in crate::knowledge) is_enabled: bool,
}

/// What is recorded about candidates and skills, by each of their names.
struct Recorded<'s> {
    items: BTreeMap<&'s str, &'s Item>,
    /// The last decision about each candidate, with its number in the order of time.
    decisions: BTreeMap<&'s str, (usize, &'s Promotion)>,
    /// The last change of each skill, with its number in the order of time.
    changes: BTreeMap<&'s str, (usize, &'s Promotion)>,
    /// The successes and failures of each skill.
    outcomes: BTreeMap<&'s str, [u64; 2]>,
}

impl<'s> Recorded<'s> {
    fn new(skills: &'s Skills, items: &'s [Item]) -> Self {
        let mut by_name = BTreeMap::new();
        for item in items {
            by_name.entry(item.path.as_str()).or_insert(item);
        }
        by_name.extend(items.iter().map(|item| (item.id.as_str(), item)));
        let (mut decisions, mut changes) = (BTreeMap::new(), BTreeMap::new());
        // The changes are sorted by time.
        for (n, Change { what, .. }) in skills.changes.iter().enumerate() {
            match &what.candidate {
                Some(candidate) => decisions.insert(candidate.as_str(), (n, what)),
                None => changes.insert(what.skill.as_str(), (n, what)),
            };
        }
        let mut uses: BTreeMap<&str, Vec<&Use>> = BTreeMap::new();
        for used in &skills.uses {
            uses.entry(&used.skill).or_default().push(used);
        }
        let outcomes = |(skill, uses): (&'s str, Vec<&Use>)| {
            let uses = distinct(uses.into_iter());
            let count = |success| {
                let matching = uses.iter().filter(|used| used.success == Some(success));
                matching.count() as u64
            };
            (skill, [count(true), count(false)])
        };
        Self {
            items: by_name,
            decisions,
            changes,
            outcomes: uses.into_iter().map(outcomes).collect(),
        }
    }
}

/// Returns the later of some changes.
fn latest<'s>(
    all: &BTreeMap<&'s str, (usize, &'s Promotion)>,
    names: &[&str],
) -> Option<&'s Promotion> {
    let found = names.iter().filter_map(|name| all.get(name));
    found.max_by_key(|(n, _)| *n).map(|(_, what)| *what)
}

/// Returns the entries that contradict what is recorded.
pub(super) fn contradictions(
    skills: &Skills,
    items: &[Item],
    queue: &[QueuedCandidate],
    library: &[LibrarySkill],
) -> Vec<Finding> {
    if queue.is_empty() && library.is_empty() {
        return Vec::new();
    }
    let recorded = Recorded::new(skills, items);
    let mut all = Vec::new();
    for candidate in queue {
        recorded.queued(candidate, &mut all);
    }
    for skill in library {
        recorded.kept(skill, &mut all);
    }
    all.truncate(MOST);
    all
}

impl Recorded<'_> {
    /// Compares a candidate with the last decision about it, and with its context.
    fn queued(&self, candidate: &QueuedCandidate, all: &mut Vec<Finding>) {
        let path = candidate.path.as_str();
        let item = self.items.get(path);
        let mut names = vec![candidate.id.as_str(), path];
        names.extend(item.into_iter().flat_map(|item| [&*item.id, &*item.path]));
        let status = candidate.status.as_str();
        let contradiction = match latest(&self.decisions, &names) {
            Some(last) if last.new != status => {
                Some(format!("the last decision is `{}`", last.new))
            }
            None if status != "pending" => Some("no decision about it is recorded".to_owned()),
            _ => None,
        };
        if let Some(contradiction) = contradiction {
            let message = format!(
                "the queue says that the candidate `{path}` is {status}, and {contradiction}"
            );
            all.push(finding(903, &candidate.file, candidate.line, message));
        }
        if let Some(Importance::Counts { uses, .. }) = item.and_then(|item| item.importance)
            && candidate.uses > uses
        {
            let message = format!(
                "the candidate `{path}` claims {} uses, and its context records {uses}",
                candidate.uses
            );
            all.push(finding(922, &candidate.file, candidate.line, message));
        }
    }

    /// Compares a skill with its last change, and its counts with the traces.
    fn kept(&self, skill: &LibrarySkill, all: &mut Vec<Finding>) {
        let names = BTreeSet::from([skill.name.as_str(), skill.id.as_str()]);
        let names: Vec<&str> = names.into_iter().collect();
        let last = latest(&self.changes, &names);
        if let Some(last) = last.filter(|last| skill.is_enabled && OFF.contains(&&*last.new)) {
            let message = format!(
                "the library enables the skill `{}`, and its last change is `{}`",
                skill.name, last.new
            );
            all.push(finding(903, &skill.file, skill.line, message));
        }
        let outcomes = names.iter().filter_map(|name| self.outcomes.get(name));
        let [successes, failures] = outcomes.fold([0, 0], |[a, b], [c, d]| [a + c, b + d]);
        for (what, claimed, found) in [
            ("successes", skill.successes, successes),
            ("failures", skill.failures, failures),
        ] {
            if claimed > found {
                let message = format!(
                    "the skill `{}` claims {claimed} {what}, and the traces record {found}",
                    skill.name
                );
                all.push(finding(922, &skill.file, skill.line, message));
            }
        }
    }
}
