//! The differences that a comparison of two policies finds, and which of them it reports.

use super::effect::Effect;
use super::policy_diff::{RuleChange, UnprovenChange};
use super::question::Question;
use serde::Serialize;
use std::collections::BTreeMap;

/// Maximum number of kinds of difference to report. Each one is shrunk, which takes time.
const MAX_KINDS: usize = 100;
/// Maximum number of classes per pair of rules, and in total, after one of each branch.
pub(super) const MAX_CLASSES: (usize, usize) = (20, 300);

/// The effects of both rules, and their ids.
pub(super) type RulePair = (Effect, Effect, String, String);

/// A kind of difference: the effects of one rule of each policy on the same actions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DifferenceKind {
    /// The effect in the base.
    pub base: Effect,
    /// The effect in the head.
    pub head: Effect,
    /// The rule of the base; `default` when none matched.
    pub base_rule: String,
    /// The rule of the head.
    pub head_rule: String,
    /// The newly allowed class of actions: type, tool or program, and worst effect. Empty if
    /// nothing is newly allowed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub class: String,
}

impl DifferenceKind {
    /// Whether the head is more permissive.
    #[must_use]
    pub fn is_more_permissive(&self) -> bool {
        self.head < self.base
    }

    pub(super) fn pair(&self) -> RulePair {
        (
            self.base,
            self.head,
            self.base_rule.clone(),
            self.head_rule.clone(),
        )
    }
}

/// The questions of one kind of difference.
#[derive(Debug, Clone)]
pub struct Difference {
    /// Number of evaluated questions of this kind.
    pub count: u64,
    /// The smallest of them.
    pub witness: Question,
    /// The head's reason for its decision.
    pub reason: String,
    /// The branches of the rules and the broad kind of action. One difference per branch is
    /// reported.
    pub(super) branch: String,
}

/// The result of a comparison.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Number of random questions.
    pub made: u64,
    /// Number of questions targeted at changed rules.
    pub targeted: u64,
    /// Number of given questions.
    pub given: u64,
    /// The differences, by kind.
    pub differences: BTreeMap<DifferenceKind, Difference>,
    /// Number of differing questions of kinds that aren't reported.
    pub left_out: u64,
    /// Number of kinds that aren't reported.
    pub kinds_left_out: u64,
    /// The changed rules by id: those of the head in its order, then the removed ones.
    pub rules: Vec<(String, RuleChange)>,
    /// Kinds of actions that may become more permissive, though no real action is known.
    pub unproven: Vec<UnprovenChange>,
    /// Whether it is proved that both policies decide every action alike.
    pub equivalent: bool,
    /// Properties of the base that the head no longer has.
    pub lost: Vec<UnprovenChange>,
    /// The base enforces its decisions, and the head only monitors.
    pub disarmed: bool,
}

impl Comparison {
    /// Whether it is proved that no other action becomes more permissive.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.unproven.is_empty()
    }

    /// Selects the differences to report: one per branch of each pair of rules, more permissive
    /// ones first, then more up to the maximum. The others are counted.
    pub(super) fn select(&mut self) {
        let mut branches: BTreeMap<(RulePair, String), Vec<(DifferenceKind, Difference)>> =
            BTreeMap::new();
        for (kind, difference) in std::mem::take(&mut self.differences) {
            let branch = (kind.pair(), difference.branch.clone());
            branches.entry(branch).or_default().push((kind, difference));
        }
        let (per_pair, of_all) = MAX_CLASSES;
        let mut kept: BTreeMap<RulePair, usize> = BTreeMap::new();
        let mut rounds: Vec<_> = branches
            .into_iter()
            .map(|((pair, _), kinds)| (pair, kinds.into_iter()))
            .collect();
        // So one that is more permissive is always listed, if there is any.
        rounds.sort_by_key(|((base, head, ..), _)| head >= base);
        let mut first = true;
        while !rounds.is_empty() {
            rounds.retain_mut(|(pair, kinds)| {
                let Some((kind, difference)) = kinds.next() else {
                    return false;
                };
                let (of_this, all) = (
                    kept.entry(pair.clone()).or_default(),
                    self.differences.len(),
                );
                if if first {
                    all < of_all + MAX_KINDS
                } else {
                    *of_this < per_pair && all < of_all
                } {
                    *of_this += 1;
                    self.differences.insert(kind, difference);
                } else {
                    self.kinds_left_out += 1;
                    self.left_out += difference.count;
                }
                true
            });
            first = false;
        }
    }
}
