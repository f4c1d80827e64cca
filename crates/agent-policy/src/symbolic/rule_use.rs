//! Which rules of a policy decide anything at all.

use super::abstraction::Vocabulary;
use super::encoding::Encoder;
use super::formula::FormulaId;
use super::proof::Encoded;
use super::solver::{Answer, Search, Solver};
use crate::effect::Effect;
use crate::model::{Combine, Policy};

/// Maximum number of rules to name as those that take everything from another.
const MAX_NAMED: usize = 5;

/// What the analysis proves about a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleUse {
    /// It decides on some abstract action.
    Decides,
    /// No action can match its condition.
    Unsatisfiable,
    /// Other rules decide on every action that it matches: these, by their ids.
    Dead(Vec<String>),
    /// The analysis reached its bound.
    Unknown,
}

/// What the analysis proves about the rules of a policy.
#[derive(Debug, Clone)]
pub struct PolicyUse {
    /// One for each rule, in the order of the policy.
    pub rules: Vec<RuleUse>,
    /// Whether it is proved that the default never decides.
    pub dead_default: bool,
}

impl Policy {
    /// Proves which rules never decide.
    #[must_use]
    pub fn rule_use(&self) -> PolicyUse {
        let mut encoder = Encoder::new();
        let symbolic = Encoded::new(self, &mut encoder);
        let axioms = encoder.axioms();
        let parts = encoder.part_axioms(&self.surroundings.context().workdir);
        let globs = encoder.glob_order(&Vocabulary::new([self]));
        let (solver, _) = encoder.into_solver(parts, globs);
        let mut search = Search::new();
        search.require(&solver, axioms);
        let mut analysis = Analysis {
            policy: self,
            symbolic,
            solver,
            search,
        };
        PolicyUse {
            rules: (0..self.rules.len()).map(|n| analysis.rule(n)).collect(),
            dead_default: analysis.never(&[], None),
        }
    }
}

struct Analysis<'p> {
    policy: &'p Policy,
    symbolic: Encoded<'p>,
    solver: Solver,
    search: Search,
}

impl Analysis<'_> {
    fn solve(&mut self, formulas: &[FormulaId]) -> Answer {
        self.solver.find(&mut self.search, formulas)
    }

    /// Whether a rule, or the default, decides on no action that meets the formulas.
    fn never(&mut self, formulas: &[FormulaId], rule: Option<usize>) -> bool {
        let effects = Effect::ALL.map(|effect| {
            self.symbolic
                .decides(&mut self.solver.formulas, rule, effect)
        });
        // Without a rule, the effect is the one of the default.
        let of_default = Effect::ALL.into_iter().zip(effects);
        let effects: Vec<FormulaId> = of_default
            .filter(|(effect, _)| rule.is_some() || *effect == self.policy.default.effect)
            .map(|(_, formula)| formula)
            .collect();
        let decides = self.solver.formulas.or(effects);
        let parts: Vec<FormulaId> = formulas.iter().copied().chain([decides]).collect();
        self.solve(&parts) == Answer::None
    }

    fn rule(&mut self, index: usize) -> RuleUse {
        let Some(possible) = self.symbolic.possible(index) else {
            return RuleUse::Unknown;
        };
        match self.solve(&[possible]) {
            Answer::None => return RuleUse::Unsatisfiable,
            Answer::Unknown => return RuleUse::Unknown,
            Answer::Object(_) => {}
        }
        if self.never(&[], Some(index)) {
            RuleUse::Dead(self.shadowing(index, possible))
        } else {
            RuleUse::Decides
        }
    }

    /// Whether a rule that is asked first, or denies, matches wherever another does, and may match
    /// wherever that may.
    fn covers(&mut self, other: usize, index: usize) -> bool {
        let is_first = other < index || self.policy.combine == Combine::DenyOverrides;
        let Some(takes) = self
            .symbolic
            .takes(other)
            .filter(|_| is_first && other != index)
        else {
            return false;
        };
        let [own, others] = [index, other].map(|at| self.symbolic.matches(at));
        let (Some(own), Some(others)) = (own, others) else {
            return false;
        };
        let pairs = [(own.yes, takes), (own.possible, others.possible)];
        pairs.into_iter().all(|(own, other)| {
            let leaves = self.solver.formulas.not(other);
            self.solve(&[own, leaves]) == Answer::None
        })
    }

    /// The rules that decide where another matches: a single one, if one suffices.
    fn shadowing(&mut self, index: usize, possible: FormulaId) -> Vec<String> {
        let names = |at: usize| self.policy.rules.get(at).map(|rule| vec![rule.id.clone()]);
        let nearer = (0..self.policy.rules.len()).find(|other| self.covers(*other, index));
        if let Some(named) = nearer.and_then(names) {
            return named;
        }
        let mut overlapping = Vec::new();
        for other in 0..self.policy.rules.len() {
            let Some(takes) = self.symbolic.takes(other).filter(|_| other != index) else {
                continue;
            };
            let Some(rule) = self.policy.rules.get(other) else {
                continue;
            };
            let leaves = self.solver.formulas.not(takes);
            if self.solve(&[possible, leaves]) == Answer::None {
                return vec![rule.id.clone()];
            }
            if overlapping.len() < MAX_NAMED && !self.never(&[possible], Some(other)) {
                overlapping.push(rule.id.clone());
            }
        }
        overlapping
    }
}
