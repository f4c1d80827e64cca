//! The evidence for a change of a skill's standing: the metrics of the uses recorded until then.

use super::figures::{Limits, Metrics, Weights};
use super::{Skills, Use, distinct};
use crate::knowledge::extract::Promotion;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Maximum number of changes of one skill that are compared with its uses. Nobody changes the
/// standing of a skill more often.
pub(super) const CHANGES_OF_ONE: u32 = 100;

/// The uses of each skill with their versions, and the number of changes compared with them.
pub(super) struct Evidence<'s> {
    uses: BTreeMap<&'s str, Vec<(&'s str, &'s Use)>>,
    compared: BTreeMap<&'s str, u32>,
}

impl<'s> Evidence<'s> {
    pub(super) fn new(skills: &'s Skills) -> Self {
        let mut all: BTreeMap<&str, Vec<(&str, &Use)>> = BTreeMap::new();
        for ((name, version), uses) in skills.by_version() {
            let uses = uses.into_iter().map(|used| (version, used));
            all.entry(name).or_default().extend(uses);
        }
        Self {
            uses: all,
            compared: BTreeMap::new(),
        }
    }

    /// Returns the metrics of a skill at the time of a change; `None` for a skill with more than
    /// [`CHANGES_OF_ONE`] changes.
    pub(super) fn until(&mut self, change: &'s Promotion) -> Option<Metrics> {
        let compared = self.compared.entry(&change.skill).or_default();
        *compared += 1;
        if *compared > CHANGES_OF_ONE {
            return None;
        }
        let wanted = change.version.as_deref();
        let uses = self.uses.get(change.skill.as_str()).into_iter().flatten();
        let uses = uses
            .filter(|(version, _)| wanted.is_none_or(|wanted| wanted == *version))
            .map(|(_, used)| *used)
            // A use without a time can't be shown to be earlier.
            .filter(|used| used.time().is_some_and(|time| time <= change.time));
        let uses = distinct(uses);
        let uses: Vec<&Use> = uses.iter().map(AsRef::as_ref).collect();
        Some(Metrics::of(&uses))
    }
}

/// The basis of a change: its score, and its metrics as JSON.
pub(super) type Basis = (Option<f64>, Option<String>);

/// Returns the basis of each change, in order: what the change records, and for the rest the
/// evidence.
pub(super) fn bases(skills: &Skills, limits: Limits) -> Vec<Basis> {
    let mut evidence = Evidence::new(skills);
    let changes = skills.changes.iter().map(|change| &change.what);
    let mut all = Vec::new();
    for change in changes {
        let said = (change.score, change.metrics.clone());
        // A decision about a candidate rests on a context, not on uses of a skill.
        let metrics = match change.candidate {
            None => evidence.until(change).filter(|metrics| metrics.uses() > 0),
            Some(_) => None,
        };
        all.push(match metrics {
            Some(metrics) => completed(said, &metrics, limits),
            None => said,
        });
    }
    all
}

/// Adds what a change doesn't record to its basis. Nothing is added that no record supports.
fn completed((score, said): Basis, metrics: &Metrics, limits: Limits) -> Basis {
    let judged = metrics.executions > 0;
    let score = score.or_else(|| judged.then(|| metrics.score(Weights::Balanced, limits)));
    let mut all = match said.as_deref().map(serde_json::from_str) {
        None => Map::new(),
        Some(Ok(Value::Object(said))) => said,
        // Metrics in another form can't be completed.
        Some(_) => return (score, said),
    };
    let computed = [
        (
            "success_rate",
            judged.then(|| json!(metrics.success_rate())),
        ),
        ("avg_cost", metrics.avg_cost.map(Value::from)),
        ("avg_latency", metrics.avg_latency.map(Value::from)),
        ("rollback_rate", Some(json!(metrics.rollback_rate()))),
        (
            "stability_score",
            judged.then(|| json!(metrics.stability())),
        ),
        ("execution_count", Some(json!(metrics.executions))),
        ("last_execution_at", metrics.last.map(Value::from)),
    ];
    for (name, value) in computed {
        // Writers spell members as `success_rate` or as `successRate`.
        let is_said = all.keys().any(|said| plain(said) == plain(name));
        if let Some(value) = value.filter(|_| !is_said) {
            all.insert(name.to_owned(), value);
        }
    }
    (score, Some(Value::Object(all).to_string()))
}

fn plain(member: &str) -> String {
    member.replace('_', "").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics() -> Metrics {
        Metrics {
            executions: 10,
            successes: 9,
            avg_cost: Some(0.5),
            last: Some(7),
            ..Metrics::default()
        }
    }

    fn with(said: &str) -> Value {
        let said = (Some(0.1), Some(said.to_owned()));
        let (score, metrics) = completed(said, &metrics(), Limits::default());
        assert_eq!(score, Some(0.1), "the recorded score remains");
        serde_json::from_str(&metrics.unwrap()).unwrap()
    }

    #[test]
    fn what_a_change_records_wins() {
        let all = with(r#"{"successRate":1,"avg_cost":null,"note":"by hand"}"#);
        assert_eq!(
            (&all["successRate"], &all["avg_cost"]),
            (&json!(1), &Value::Null)
        );
        assert_eq!(
            (&all["note"], &all["execution_count"]),
            (&json!("by hand"), &json!(10))
        );
        assert!(all.get("success_rate").is_none());
        // No latency is recorded anywhere.
        assert!(all.get("avg_latency").is_none());
        assert_eq!(with("[1]"), json!([1]));
    }

    #[test]
    fn nothing_is_computed_from_uses_without_results() {
        let open = Metrics {
            unjudged: 3,
            ..Metrics::default()
        };
        let (score, metrics) = completed((None, None), &open, Limits::default());
        let metrics: Value = serde_json::from_str(&metrics.unwrap()).unwrap();
        assert_eq!(score, None);
        assert_eq!(metrics, json!({"rollback_rate":0.0,"execution_count":0}));
    }
}
