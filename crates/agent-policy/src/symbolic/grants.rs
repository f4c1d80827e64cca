//! What rules that allow grant, as formulas.

use super::encoding::{Encoder, HOSTS, PATHS, REQUEST, STEPS};
use super::fact::Fact;
use super::formula::{FormulaId, TRUE};
use crate::condition::{Condition, Predicate};
use crate::grant_scope::{self, GrantSet, UNRESTRICTED};
use crate::network::NetworkPattern;
use regex::Regex;
use std::collections::BTreeMap;

impl Encoder {
    /// The grants of a template cover every path, host and program, and nothing else happens.
    pub(super) fn granted(&mut self, grants: &[Condition]) -> FormulaId {
        let never = self.not(TRUE);
        // Remotes are granted with the command.
        self.has_remotes = true;
        let remote = self.fact(Fact::Remote);
        let (mut paths, mut hosts, mut steps) = (vec![never], vec![remote], vec![never]);
        for grant in grants {
            match grant {
                Condition::Is(Predicate::Path(test), _) => {
                    let (access, globs) = (self.access(&test.access), self.globs(&test.glob, true));
                    paths.push(self.all([access, globs.yes]));
                }
                Condition::Is(Predicate::Host(names), _) => {
                    let (known, fits) = (self.fact(Fact::Known), self.names(names, true));
                    hosts.push(self.all([known, fits]));
                }
                Condition::Is(Predicate::Network(patterns), _) => {
                    let (known, fits) =
                        (self.fact(Fact::KnownRequest), self.requests(patterns, true));
                    hosts.push(self.all([known, fits]));
                }
                Condition::Is(Predicate::Command(test), _) => {
                    steps.push(self.fact(Fact::Granted(format!("{test:?}"))));
                }
                _ => {}
            }
        }
        let (paths, hosts, steps) = (self.any(paths), self.any(hosts), self.any(steps));
        let (hides, grantable, ran, effects) = (
            self.hides(),
            self.fact(Fact::Grantable),
            self.formulas.some(STEPS, TRUE),
            self.effects(u32::MAX),
        );
        let shown = self.not(hides);
        let something = self.any([ran, effects]);
        let every = [
            self.formulas.every(PATHS, paths),
            self.formulas.every(HOSTS, hosts),
            self.formulas.every(STEPS, steps),
        ];
        self.all([shown, grantable, something].into_iter().chain(every))
    }

    /// The request matches one of the patterns.
    pub(super) fn requests(&mut self, patterns: &[NetworkPattern], strict: bool) -> FormulaId {
        self.has_requests = true;
        let all = patterns.iter().map(|pattern| pattern.expression(strict));
        let all: Vec<Regex> = all.cloned().collect();
        self.regexes(REQUEST, &all)
    }

    /// A rule that allows covers every effect of the action.
    pub(super) fn covered(&mut self, when: &Condition) -> FormulaId {
        let sets = self.grant_sets(when, true);
        let mut some = Vec::new();
        let mut enough = Vec::new();
        for (set, formula) in sets {
            some.push(formula);
            if UNRESTRICTED & (1 << set) != 0 {
                enough.push(formula);
            } else {
                let outside = self.fact(Fact::Outside(set));
                let inside = self.not(outside);
                enough.push(self.all([formula, inside]));
            }
        }
        let some = self.any(some);
        let none = self.not(some);
        enough.push(none);
        self.any(enough)
    }

    /// The possible grant sets of a condition that holds, each with when it is one.
    fn grant_sets(&mut self, when: &Condition, positive: bool) -> BTreeMap<GrantSet, FormulaId> {
        match (when, positive) {
            (Condition::Not(inner), _) => self.grant_sets(inner, !positive),
            (Condition::All(list), true) | (Condition::Any(list), false) => {
                let mut sets = BTreeMap::from([(0, TRUE)]);
                for part in list {
                    let own = self.grant_sets(part, positive);
                    let mut joined: BTreeMap<GrantSet, Vec<FormulaId>> = BTreeMap::new();
                    for (one, when) in &sets {
                        for (other, also) in &own {
                            let both = self.all([*when, *also]);
                            joined.entry(one | other).or_default().push(both);
                        }
                    }
                    sets = joined
                        .into_iter()
                        .map(|(set, any)| (set, self.any(any)))
                        .collect();
                }
                sets
            }
            (Condition::Any(list), true) | (Condition::All(list), false) => {
                let mut joined: BTreeMap<GrantSet, Vec<FormulaId>> = BTreeMap::new();
                for part in list {
                    let truth = self.condition(part, positive);
                    let holds = if positive {
                        truth.yes
                    } else {
                        self.not(truth.possible)
                    };
                    for (set, formula) in self.grant_sets(part, positive) {
                        let both = self.all([holds, formula]);
                        joined.entry(set).or_default().push(both);
                    }
                }
                joined
                    .into_iter()
                    .map(|(set, any)| (set, self.any(any)))
                    .collect()
            }
            (Condition::Is(..), false) => BTreeMap::from([(0, TRUE)]),
            (Condition::Is(predicate, _), true) => {
                BTreeMap::from([(grant_scope::granted(predicate), TRUE)])
            }
        }
    }
}
