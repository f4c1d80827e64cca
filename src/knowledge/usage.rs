//! Compares what the items of a context bank claim of their use with the traces (YV922).
//!
//! A use is a turn that declares the item, or that uses a skill which was made from it. The counts
//! of an item are claims about such turns. Its confidence follows from them: 0.5 at first, 0.05
//! more after each success, 0.1 less after each failure.

use super::KnowledgeError;
use super::context::{Bank, Claims, Item, REINFORCED_ABOVE, confidence_after};
use super::extract::{Turn, each_turn, extract};
use super::references::declared_by;
use super::source_config::{SourceKind, Sources, finding};
use crate::diag::Finding;
use crate::source::{Found, Missing};
use crate::trace::action::plain_path;
use crate::verify::Options;
use hashbrown::HashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of findings.
const MOST: usize = 1_000;
/// Maximum number of outcomes that are kept of an item. Beyond, its confidence isn't compared.
const OUTCOMES: usize = 10_000;
/// Number of outcomes of a kind after which the confidence doesn't change any more.
const MOST_OUTCOMES: u64 = 100;
/// Confidences that differ by less are equal, since writers round.
const ROUNDED: f64 = 0.005;

/// The uses of an item that traces record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Usage {
    referenced: u64,
    /// Time and success of the turns that ran something.
    outcomes: Vec<(Option<i64>, bool)>,
    /// Numbers of turns that succeeded and failed.
    useful: u64,
    not_useful: u64,
}

impl Usage {
    fn add(&mut self, turn: &Turn) {
        self.referenced += 1;
        let Some(success) = turn.success else {
            return;
        };
        if success {
            self.useful += 1;
        } else {
            self.not_useful += 1;
        }
        if self.outcomes.len() < OUTCOMES {
            self.outcomes.push((turn.start, success));
        }
    }

    /// Returns the confidence that follows from all outcomes in the order of their times.
    fn confidence(&self) -> Option<f64> {
        let all = self.useful + self.not_useful;
        if self.outcomes.len() as u64 != all || self.outcomes.iter().any(|(t, _)| t.is_none()) {
            return None;
        }
        let mut outcomes = self.outcomes.clone();
        outcomes.sort_by_key(|(time, _)| *time);
        let after = |confidence, (_, success): &(_, bool)| confidence_after(confidence, *success);
        Some(outcomes.iter().fold(0.5, after))
    }
}

/// Returns the skills with the contexts that they were made from.
fn origins(sources: &Sources) -> Result<BTreeMap<String, BTreeSet<String>>, KnowledgeError> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in sources.list()?.files {
        if file.kind != SourceKind::Skills || file.is_lines() {
            continue;
        }
        for edge in extract(&file).edges {
            if let Some(skill) = edge.from.strip_prefix("skill:")
                && let Some(context) = edge.to.strip_prefix("context:")
            {
                let context = plain_path(context).into_owned();
                all.entry(skill.to_owned()).or_default().insert(context);
            }
        }
    }
    Ok(all)
}

/// Counts the uses of each item of a bank, by its number.
fn count(
    bank: &Bank,
    skills: &BTreeMap<String, BTreeSet<String>>,
    inputs: &[Result<Found, Missing>],
) -> Vec<Usage> {
    let mut names: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, item) in bank.items.iter().enumerate() {
        for name in BTreeSet::from([item.id.clone(), plain_path(&item.path).into_owned()]) {
            names.entry(name).or_default().push(number);
        }
    }
    let mut usages = vec![Usage::default(); bank.items.len()];
    each_turn(inputs, &Options::default(), &mut |_, _, turn| {
        let declared = declared_by(&turn);
        let of_skills = turn.skills.iter().filter_map(|(name, _)| skills.get(name));
        let all = declared
            .names()
            .chain(of_skills.flatten().map(String::as_str));
        let used: BTreeSet<usize> = all
            .filter_map(|name| names.get(name))
            .flatten()
            .copied()
            .collect();
        for number in used {
            if let Some(usage) = usages.get_mut(number) {
                usage.add(&turn);
            }
        }
    });
    usages
}

/// Returns the highest confidence that some outcomes lead to, in any order.
fn highest(claims: Claims) -> f64 {
    let failures = (0..claims.failures.min(MOST_OUTCOMES)).map(|_| false);
    let successes = (0..claims.successes.min(MOST_OUTCOMES)).map(|_| true);
    failures.chain(successes).fold(0.5, confidence_after)
}

/// Returns how often `memory apply` may have raised the confidence of an item, as it does after a
/// success: once for each number of references above the one that it asks for.
fn reinforced(item: &Item, usage: &Usage) -> u64 {
    let last = item.reinforced.unwrap_or(0).min(usage.referenced);
    last.saturating_sub(REINFORCED_ABOVE).min(MOST_OUTCOMES)
}

/// Returns what an item claims beyond its recorded uses, as clauses.
fn overstated(item: &Item, usage: &Usage) -> Vec<String> {
    let (stats, claims) = (item.stats.unwrap_or_default(), item.claims);
    let counts = [
        ("references", stats.referenced, usage.referenced),
        ("verified useful", stats.useful, usage.useful),
        ("verified not useful", stats.not_useful, usage.not_useful),
        ("uses", claims.uses, usage.referenced),
        ("successes", claims.successes, usage.useful),
        ("failures", claims.failures, usage.not_useful),
    ];
    let mut all: Vec<String> = counts
        .into_iter()
        .filter(|(_, claimed, found)| claimed > found)
        .map(|(what, claimed, found)| format!("{what} {claimed}, recorded {found}"))
        .collect();
    // The confidence is known only if the traces contain exactly the outcomes that the item claims.
    // Otherwise its own counts limit it.
    let exact = usage
        .confidence()
        .filter(|_| (claims.successes, claims.failures) == (usage.useful, usage.not_useful));
    let (most, from) = match exact {
        Some(confidence) => (confidence, "from its uses follows"),
        None => (highest(claims), "from its counts follows at most"),
    };
    let raised = 0..reinforced(item, usage);
    let most = raised.fold(most, |confidence, _| confidence_after(confidence, true));
    if let Some(claimed) = claims.confidence
        && claimed > most + ROUNDED
    {
        all.push(format!("confidence {claimed:.2}, {from} {most:.2}"));
    }
    all
}

/// Returns a finding for each item that claims more than the traces record.
///
/// # Errors
/// When the sources can't be listed.
pub fn overstated_usage(
    bank: &Bank,
    sources: &Sources,
    inputs: &[Result<Found, Missing>],
) -> Result<Vec<Finding>, KnowledgeError> {
    let usages = count(bank, &origins(sources)?, inputs);
    let mut findings = Vec::new();
    for (item, usage) in bank.items.iter().zip(&usages) {
        let claims = overstated(item, usage);
        if claims.is_empty() || findings.len() >= MOST {
            continue;
        }
        let message = format!(
            "`{}` claims more than the traces: {}",
            item.path,
            claims.join("; ")
        );
        let mut finding = finding(922, &item.file, 1, message);
        bank.secrets.clean(&mut finding.message);
        findings.push(finding);
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::context::Place;
    use serde_json::json;

    fn item(members: &serde_json::Value) -> Item {
        let mut value = json!({"path": "src/a.ts"});
        value
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        Item::read("bank.json", Place::Whole, &value).unwrap()
    }

    fn usage(outcomes: &[bool]) -> Usage {
        let mut usage = Usage::default();
        for (time, success) in (1..).zip(outcomes) {
            let mut turn = Turn::default();
            (turn.success, turn.start) = (Some(*success), Some(time));
            usage.add(&turn);
        }
        usage
    }

    #[test]
    fn more_than_the_record_is_overstated() {
        let claims = item(&json!({"usageStats":
            {"referencedCount": 8, "verifiedUseful": 1, "verifiedNotUseful": 0}}));
        assert_eq!(
            overstated(&claims, &usage(&[true])),
            ["references 8, recorded 1"]
        );
        let fewer = item(&json!({"usageStats": {"referencedCount": 1}}));
        assert_eq!(overstated(&fewer, &usage(&[true, true])), [""; 0]);
        assert_eq!(overstated(&item(&json!({})), &usage(&[])), [""; 0]);
    }

    #[test]
    fn confidence_follows_from_the_outcomes() {
        let claims = |confidence: f64, successes: u64| {
            item(
                &json!({"importance": {"useCount": 3, "successCount": successes,
                "failureCount": 1, "confidence": confidence}}),
            )
        };
        let uses = usage(&[true, false, true]);
        // 0.5 + 0.05 - 0.1 + 0.05.
        assert_eq!(overstated(&claims(0.5, 2), &uses), [""; 0]);
        assert_eq!(overstated(&claims(0.3, 2), &uses), [""; 0]);
        assert_eq!(
            overstated(&claims(0.9, 2), &uses),
            ["confidence 0.90, from its uses follows 0.50"]
        );
        // The outcomes aren't those of the traces: its own counts limit it.
        assert_eq!(overstated(&claims(0.45, 1), &uses), [""; 0]);
        assert_eq!(
            overstated(&claims(0.9, 1), &uses),
            ["confidence 0.90, from its counts follows at most 0.45"]
        );
        assert_eq!(
            overstated(&claims(0.6, 5), &uses),
            ["successes 5, recorded 2"]
        );
    }

    #[test]
    fn counts_are_claims_whatever_is_beside_them() {
        let uses = usage(&[true]);
        for members in [
            json!({"importance": {"useCount": 9}}),
            json!({"importance": {"useCount": 9, "confidence": null}}),
            json!({"importance": 0.9, "useCount": 9}),
        ] {
            let clauses = overstated(&item(&members), &uses);
            assert_eq!(clauses, ["uses 9, recorded 1"], "{members}");
        }
        let sure = item(&json!({"confidence": 0.9}));
        assert_eq!(overstated(&sure, &usage(&[])).len(), 1);
        // `memory apply` raised it twice.
        let raised = |at: u64| {
            item(&json!({"confidence": 0.9, "successCount": 7,
            "reinforcedAtReferences": at}))
        };
        let uses = usage(&[true; 7]);
        assert_eq!(overstated(&raised(7), &uses), [""; 0]);
        assert_eq!(overstated(&raised(6), &uses), [""; 0]);
        assert_eq!(overstated(&raised(7), &usage(&[true; 5])).len(), 2);
    }

    #[test]
    fn an_outcome_without_a_time_leaves_the_confidence_open() {
        let mut uses = usage(&[true]);
        uses.outcomes[0].0 = None;
        assert_eq!(uses.confidence(), None);
    }
}
