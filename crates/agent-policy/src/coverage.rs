//! Measures which rules and keys of a policy its cases exercise.

use super::condition::Condition;
use super::effect::{Effect, Tristate};
use super::facts::Facts;
use super::model::Policy;
use super::suite::Case;
use serde::Serialize;

/// Coverage of one key of a rule's `when`.
#[derive(Debug, Clone, Serialize)]
pub struct KeyCoverage {
    /// The key with its value.
    pub key: String,
    /// Cases in which it holds.
    pub held: u64,
    /// Cases in which it doesn't.
    pub failed: u64,
}

/// Coverage of one rule.
#[derive(Debug, Clone, Serialize)]
pub struct RuleCoverage {
    /// The rule's id.
    pub id: String,
    pub effect: Effect,
    /// Cases that it decides.
    pub decided: u64,
    /// Cases that name it as a near miss.
    pub near_misses: u64,
    pub keys: Vec<KeyCoverage>,
}

/// Coverage of a policy.
#[derive(Debug, Clone, Serialize)]
pub struct Coverage {
    /// Cases that were run.
    pub cases: u64,
    /// Decisions by effect, the most permissive first.
    pub effects: [u64; 3],
    /// Cases that no rule decided.
    pub default: u64,
    /// Coverage by rule, in the order of the policy.
    pub rules: Vec<RuleCoverage>,
}

impl Coverage {
    /// Runs the cases and counts what they exercise.
    #[must_use]
    pub fn from_cases(policy: &Policy, cases: &[Case]) -> Self {
        let mut rules: Vec<RuleCoverage> = policy
            .rules
            .iter()
            .map(|r| RuleCoverage {
                id: r.id.clone(),
                effect: r.effect,
                decided: 0,
                near_misses: 0,
                keys: Vec::new(),
            })
            .collect();
        let mut coverage = Self {
            cases: cases.len() as u64,
            effects: [0; 3],
            default: 0,
            rules: Vec::new(),
        };
        for case in cases {
            let facts = Facts::new(&case.action, case.context.risk, &policy.surroundings);
            let request = case.request();
            let decision = policy.decide_on(&facts, &request);
            let [allow, ask, deny] = &mut coverage.effects;
            *match decision.effect {
                Effect::Allow => allow,
                Effect::RequireApproval => ask,
                Effect::Deny => deny,
            } += 1;
            match decision.index.and_then(|i| rules.get_mut(i)) {
                Some(rule) => rule.decided += 1,
                None => coverage.default += 1,
            }
            for (rule, counts) in policy.rules.iter().zip(&mut rules) {
                if case.near_miss.contains(&rule.id) {
                    counts.near_misses += 1;
                }
                let mut number = 0;
                rule.when
                    .walk(rule.effect == Effect::Allow, &mut |condition, strict| {
                        let Condition::Is(_, text) = condition else {
                            return;
                        };
                        if counts.keys.len() <= number {
                            counts.keys.push(KeyCoverage {
                                key: text.clone(),
                                held: 0,
                                failed: 0,
                            });
                        }
                        if let Some(key) = counts.keys.get_mut(number) {
                            match condition.holds(&facts, &request, strict) {
                                Tristate::No => key.failed += 1,
                                Tristate::Maybe | Tristate::Yes => key.held += 1,
                            }
                        }
                        number += 1;
                    });
            }
        }
        coverage.rules = rules;
        coverage
    }

    /// Number of rules that decide a case, and number of all rules.
    #[must_use]
    pub fn deciding(&self) -> (usize, usize) {
        (
            self.rules.iter().filter(|r| r.decided > 0).count(),
            self.rules.len(),
        )
    }

    /// Number of keys that hold in one case and fail in another, and number of all keys.
    #[must_use]
    pub fn keys(&self) -> (usize, usize) {
        let keys = || self.rules.iter().flat_map(|r| &r.keys);
        (
            keys().filter(|k| k.held > 0 && k.failed > 0).count(),
            keys().count(),
        )
    }
}
