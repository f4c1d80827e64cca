//! The differences that a comparison of two policies finds, and which of them it reports.

use super::effect::Effect;
use super::policy_diff::{RuleChange, UnprovenChange};
use super::question::Question;
use serde::Serialize;
use std::collections::BTreeMap;

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
    /// The class of actions: their type, and the alternatives of both rules that they meet.
    pub class: String,
}

impl DifferenceKind {
    /// Whether the head is more permissive.
    #[must_use]
    pub fn is_more_permissive(&self) -> bool {
        self.head < self.base
    }
}

/// What shows a kind of difference.
#[derive(Debug, Clone)]
pub struct Difference {
    /// An action of this kind.
    pub witness: Question,
    /// The head's reason for its decision.
    pub reason: String,
    /// Whether the witness has unknown effects.
    pub(super) obscure: bool,
}

/// The result of a comparison.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Number of random questions.
    pub made: u64,
    /// Number of questions built to show a kind.
    pub targeted: u64,
    /// Number of given questions.
    pub given: u64,
    /// The differences, by kind.
    pub differences: BTreeMap<DifferenceKind, Difference>,
    /// The changed rules by id: those of the head in its order, then the removed ones.
    pub rules: Vec<(String, RuleChange)>,
    /// Kinds of actions that may become more permissive, though no real action is known.
    pub unproven: Vec<UnprovenChange>,
    /// Number of kinds that become stricter, though no real action is known.
    pub stricter_without_witness: u64,
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
}
