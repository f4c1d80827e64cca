//! The versions that decisions depended on: prompt, tools, policy and model.
//!
//! A replay that accepts other versions lists them, so that nobody mistakes two executions under
//! different conditions for comparable ones.

use crate::verify::timeline::{Timeline, Turn};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of executions to show; the rest is counted.
const TOLD: usize = 50;
/// Maximum number of versions to name per subject.
const NAMED: usize = 6;

/// The versions of one subject in the order of their first turn, with that turn.
#[derive(Debug, Default)]
struct Versions<'t>(Vec<(&'t str, Option<i64>)>);

impl<'t> Versions<'t> {
    fn add(&mut self, version: Option<&'t String>, turn: Option<i64>) {
        if let Some(version) = version
            && self.0.last().is_none_or(|(last, _)| last != version)
        {
            self.0.push((version, turn));
        }
    }

    /// Describes the versions in words; `None` when none is recorded.
    fn versions_of(&self, name: &str) -> Option<String> {
        let named: Vec<String> = self
            .0
            .iter()
            .take(NAMED)
            .enumerate()
            .map(|(n, (version, turn))| match turn {
                Some(turn) if n > 0 => format!("`{version}` from turn {turn} on"),
                _ => format!("`{version}`"),
            })
            .collect();
        let more = self.0.len().saturating_sub(NAMED);
        let more = if more > 0 {
            format!(" and {more} changes more")
        } else {
            String::new()
        };
        (!named.is_empty()).then(|| format!("{name} {}{more}", named.join(", ")))
    }
}

/// Returns a sentence for each execution, and one for each subject with more than one version.
#[must_use]
pub fn sentences(timeline: &Timeline) -> Vec<String> {
    let mut turns: BTreeMap<(&str, &str), Vec<&Turn>> = BTreeMap::new();
    for turn in &timeline.turns {
        turns
            .entry((&turn.file, &turn.execution))
            .or_default()
            .push(turn);
    }
    let mut policies: BTreeMap<(&str, &str), Versions<'_>> = BTreeMap::new();
    for opening in &timeline.openings {
        let versions = policies
            .entry((&opening.file, &opening.execution))
            .or_default();
        versions.add(opening.policy_digest.as_ref(), None);
    }
    let mut all: [(&str, BTreeSet<&str>); 4] =
        ["prompt", "tools", "policy", "model"].map(|name| (name, BTreeSet::new()));
    let mut sentences = Vec::new();
    let count = turns.len();
    for (key, turns) in turns {
        let [mut prompt, mut tools, mut model] = [(); 3].map(|()| Versions::default());
        for turn in turns {
            prompt.add(
                turn.context
                    .as_ref()
                    .and_then(|c| c.prompt_version.as_ref()),
                turn.number,
            );
            tools.add(
                turn.context
                    .as_ref()
                    .and_then(|c| c.tool_set_version.as_ref()),
                turn.number,
            );
            turn.thoughts
                .iter()
                .for_each(|t| model.add(t.model.as_ref(), turn.number));
        }
        let policy = policies.remove(&key).unwrap_or_default();
        let mut parts = Vec::new();
        for ((name, seen), versions) in all.iter_mut().zip([prompt, tools, policy, model]) {
            parts.extend(versions.versions_of(name));
            seen.extend(versions.0.iter().map(|(version, _)| *version));
        }
        if sentences.len() < TOLD {
            let said = if parts.is_empty() {
                "no versions are recorded".to_owned()
            } else {
                parts.join("; ")
            };
            sentences.push(format!("execution `{}`: {said}", key.1));
        }
    }
    if count > TOLD {
        sentences.push(format!(
            "{} executions more, whose versions aren't listed",
            count - TOLD
        ));
    }
    for (name, seen) in all.iter().filter(|(_, seen)| seen.len() > 1) {
        sentences.push(format!(
            "{} versions of the {name} were accepted side by side",
            seen.len()
        ));
    }
    sentences
}
