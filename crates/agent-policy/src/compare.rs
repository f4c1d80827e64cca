//! Compares two policies: for which actions is the newer one more permissive or more restrictive?
//!
//! The exact analysis proves which kinds of abstract actions become more permissive. A real action
//! is built for each and confirmed by the engine; a kind without one is reported as unproven. Given
//! and random questions cross-check the proof, and may show a kind better.

use super::action::Action;
use super::condition::{Condition, Predicate};
use super::difference::{Comparison, Difference, DifferenceKind};
use super::effect::Effect;
use super::facts::{Facts, HIDDEN};
use super::fuzz::{Effort, strategy, test_runner};
use super::limit::Limit;
use super::model::{Policy, Rule};
use super::policy_diff::{UnprovenChange, changed_rules, lost_properties};
use super::question::Question;
use super::symbolic::{AbstractDifference, Direction, NextKind, Proof, Shared, prove};
use super::witness_generation::{self, Target};
use proptest::strategy::{Strategy, ValueTree};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Number of actions to build from the sketch of each kind, at first.
const MAX_FIRST: usize = 16;
/// Maximum number of actions to build from one sketch, where the first ones don't show the kind.
const MAX_BUILT: usize = 80;
/// Number of further actions to try where the one that shows a kind has unknown effects.
const MAX_BETTER: usize = 8;
/// Maximum number of actions that are built from the rules of a kind.
const MAX_TARGETED: usize = 500;
/// Maximum number of actions that are built after the first ones.
const MAX_QUESTIONS: usize = 6_000;
/// Maximum number of actions to try in order to simplify those that show kinds.
const MAX_SIMPLIFIED: usize = 1_000;
/// Maximum number of kinds in each direction to build an action of, where one difference suffices.
const MAX_FIRST_KINDS: usize = 12;
/// Maximum number of rules to name that allow more than is listed.
const MAX_NAMED: usize = 20;
/// Maximum number of kinds without a real action to describe.
const MAX_UNPROVEN: usize = 20;

/// Compares two policies. `given` questions and random ones are evaluated besides the proof.
#[must_use]
pub fn compare(base: &Policy, head: &Policy, given: &[Question], effort: &Effort) -> Comparison {
    let mut search = Search::new(base, head, prove(base, head));
    for question in given {
        search.evaluate(question);
    }
    for kind in 0..search.kinds.len() {
        search.build_first(kind);
    }
    for kind in 0..search.kinds.len() {
        search.build_others(kind);
    }
    let targeted = search.evaluated - given.len() as u64;
    let made = search.try_random(given, effort);
    search.simplify();
    let (permissive, stricter): (Vec<_>, Vec<_>) =
        search.unbuilt().partition(|kind| kind.is_more_permissive());
    let mut unproven = search.unproven(&permissive);
    let proof = &search.proof;
    if !proof.complete {
        unproven.push(UnprovenChange {
            what: "analysis".to_owned(),
            change: if proof.is_possible() {
                further(&proof.further)
            } else {
                "the policies have different work trees".to_owned()
            },
        });
    }
    Comparison {
        made,
        targeted,
        given: given.len() as u64,
        rules: changed_rules(base, head),
        unproven,
        stricter_without_witness: stricter.len() as u64,
        equivalent: proof.complete
            && proof.stricter_complete
            && proof.kinds.is_empty()
            && search.found.is_empty(),
        lost: lost_properties(base, head),
        disarmed: head.monitor && !base.monitor,
        differences: search.found,
    }
}

/// Says which rules allow more than is listed.
fn further(rules: &BTreeSet<String>) -> String {
    let shown: Vec<String> = rules
        .iter()
        .take(MAX_NAMED)
        .map(|id| format!("`{id}`"))
        .collect();
    let mut text = "more kinds of actions than the bound on work".to_owned();
    if !shown.is_empty() {
        text.push_str(&format!(", by the rules {}", shown.join(", ")));
    }
    let more = rules.len().saturating_sub(shown.len());
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// A real action that shows how two policies differ, or why there is none.
pub(super) enum FirstDifference {
    Found(DifferenceKind, Box<Difference>),
    /// It is proved that nothing becomes more permissive.
    Proven,
    Unknown,
}

/// Finds one real action on which two policies differ, one that becomes more permissive if there
/// is any. Random actions are tried only where the proof is inconclusive.
pub(super) fn first_difference(
    base: &Policy,
    head: &Policy,
    shared: &Arc<Shared>,
    given: &[Question],
    effort: &Effort,
) -> FirstDifference {
    let proof = Proof::begin(base, head, Arc::clone(shared));
    let mut search = Search::new(base, head, proof);
    let mut proven = false;
    for direction in [Direction::Permissive, Direction::Stricter] {
        let before = search.kinds.len();
        let mut none_else = false;
        for _ in 0..MAX_FIRST_KINDS {
            match search.proof.next(direction) {
                NextKind::Listed => {
                    let at = search.add_kind();
                    search.build_first(at);
                }
                NextKind::None => none_else = true,
                NextKind::Unknown => break,
            }
            if none_else || !search.found.is_empty() {
                break;
            }
        }
        let listed = before..search.kinds.len();
        if direction == Direction::Permissive {
            proven = none_else && listed.is_empty();
        }
        for at in listed {
            if search.found.is_empty() {
                search.build_others(at);
            }
        }
        // Only what the proof leaves open may be found by chance.
        if search.found.is_empty() && direction == Direction::Permissive && !proven {
            search.try_random(given, effort);
        }
        if !search.found.is_empty() {
            break;
        }
    }
    let best = search
        .found
        .into_iter()
        .min_by_key(|(kind, shown)| (!kind.is_more_permissive(), shown.witness.size()));
    match best {
        Some((kind, difference)) => FirstDifference::Found(kind, Box::new(difference)),
        None if proven => FirstDifference::Proven,
        None => FirstDifference::Unknown,
    }
}

/// Names a kind by the rules that decide, and its class.
fn key(base: &Policy, head: &Policy, kind: &AbstractDifference) -> DifferenceKind {
    let id = |policy: &Policy, index: Option<usize>| {
        let rule = index.and_then(|index| policy.rules.get(index));
        rule.map_or("default".to_owned(), |rule| rule.id.clone())
    };
    DifferenceKind {
        base: kind.base,
        head: kind.head,
        base_rule: id(base, kind.base_rule),
        head_rule: id(head, kind.head_rule),
        class: kind.class.clone(),
    }
}

/// The effects of two policies, and the rules that decide.
type Pair = (Effect, Effect, Option<usize>, Option<usize>);

/// A search for real actions that show the kinds of a proof.
struct Search<'p> {
    base: &'p Policy,
    head: &'p Policy,
    proof: Proof<'p>,
    /// The names of the kinds, in the order of the proof.
    kinds: Vec<DifferenceKind>,
    /// The kinds of each pair of deciding rules.
    pairs: BTreeMap<Pair, Vec<usize>>,
    found: BTreeMap<DifferenceKind, Difference>,
    evaluated: u64,
    /// The built questions that were evaluated with the kinds that are known now.
    built: FxHashSet<Question>,
    /// Number of actions that may still be built after the first ones.
    budget: usize,
    /// The rules from which actions were built, by whether they are the head's, and their places.
    tried: BTreeSet<Vec<(bool, usize)>>,
}

impl<'p> Search<'p> {
    /// A search that knows the kinds of the proof.
    fn new(base: &'p Policy, head: &'p Policy, proof: Proof<'p>) -> Self {
        let mut search = Self {
            base,
            head,
            kinds: Vec::new(),
            proof,
            pairs: BTreeMap::new(),
            found: BTreeMap::new(),
            evaluated: 0,
            built: FxHashSet::default(),
            budget: MAX_QUESTIONS,
            tried: BTreeSet::new(),
        };
        while search.kinds.len() < search.proof.kinds.len() {
            search.add_kind();
        }
        search
    }

    /// Takes in the next kind of the proof, and returns its number.
    fn add_kind(&mut self) -> usize {
        let at = self.kinds.len();
        if let Some(kind) = self.proof.kinds.get(at) {
            let pair = (kind.base, kind.head, kind.base_rule, kind.head_rule);
            self.pairs.entry(pair).or_default().push(at);
            self.kinds.push(key(self.base, self.head, kind));
            self.built.clear();
        }
        at
    }

    /// Evaluates random questions; returns how many.
    fn try_random(&mut self, given: &[Question], effort: &Effort) -> u64 {
        let seeds: Vec<Action> = given.iter().map(|q| q.action.clone()).collect();
        let mut made = 0;
        for (number, words) in [self.head, self.base].into_iter().enumerate() {
            let mut runner = test_runner(effort.seed, number as u64, effort.cases);
            let strategy = strategy::questions(words, &seeds);
            for _ in 0..effort.cases / 2 {
                if let Ok(tree) = strategy.new_tree(&mut runner) {
                    made += 1;
                    self.evaluate(&tree.current());
                }
            }
        }
        made
    }

    /// The rules that decide about a kind.
    fn rules_of(&self, kind: &AbstractDifference) -> [Option<Rule>; 2] {
        [(self.base, kind.base_rule), (self.head, kind.head_rule)]
            .map(|(policy, index)| index.and_then(|index| policy.rules.get(index)).cloned())
    }

    /// Builds real actions of a kind from its sketch.
    fn build_first(&mut self, at: usize) {
        let Some((kind, name)) = self.proof.kinds.get(at).zip(self.kinds.get(at).cloned()) else {
            return;
        };
        let rules = self.rules_of(kind);
        let limits: Vec<Limit> = rules.iter().flatten().flat_map(limits_of).collect();
        if self.found.get(&name).is_some_and(|known| !known.obscure) {
            return;
        }
        let sketch = kind.sketch.clone();
        // A kind that becomes stricter is no finding: few ways of writing it suffice.
        let efforts = if name.is_more_permissive() {
            &[true, false][..]
        } else {
            &[true]
        };
        for brief in efforts {
            let questions = witness_generation::questions_of(&sketch, &limits, MAX_FIRST, *brief);
            if self.try_all(questions.into_iter(), &name) {
                return;
            }
        }
    }

    /// Builds further actions of a kind that becomes more permissive and that none shows: from
    /// sketches of each type, then from the rules that decide.
    fn build_others(&mut self, at: usize) {
        let Some((kind, name)) = self.proof.kinds.get(at).zip(self.kinds.get(at).cloned()) else {
            return;
        };
        if self.budget == 0 || !name.is_more_permissive() || self.found.contains_key(&name) {
            return;
        }
        let rules = self.rules_of(kind);
        let places = [(false, kind.base_rule), (true, kind.head_rule)];
        let limits: Vec<Limit> = rules.iter().flatten().flat_map(limits_of).collect();
        for sketch in self.proof.sketches(at) {
            let most = self.pay(MAX_BUILT);
            let questions = witness_generation::questions_of(&sketch, &limits, most, false);
            self.budget += most - questions.len();
            if self.try_all(questions.into_iter(), &name) {
                return;
            }
        }
        // One action of the pair is enough to fail.
        let pair = |kind: &DifferenceKind| {
            (kind.base, kind.head) == (name.base, name.head)
                && (&kind.base_rule, &kind.head_rule) == (&name.base_rule, &name.head_rule)
        };
        if self.found.keys().any(pair) {
            return;
        }
        let targets = rules
            .each_ref()
            .map(|rule| rule.as_ref().map(Target::from_rule));
        for wanted in [0..2, 0..1, 1..2] {
            let own = targets.get(wanted.clone()).into_iter().flatten().flatten();
            let own: Vec<Target<'_>> = own.copied().collect();
            let own_places = places.get(wanted).into_iter().flatten();
            let key: Vec<(bool, usize)> = own_places
                .filter_map(|(in_head, rule)| Some((*in_head, (*rule)?)))
                .collect();
            // Without any rule, the defaults decide.
            let is_missing = own.is_empty() && rules.iter().any(Option::is_some);
            // What these rules lead to was tried for another kind.
            if is_missing || limits.is_empty() && self.tried.contains(&key) {
                continue;
            }
            let most = self.pay(MAX_TARGETED);
            // Both policies read actions alike, so their questions are the same.
            let questions = witness_generation::questions(self.base, &own, &limits);
            if self.try_all(questions.take(most), &name) {
                return;
            }
            self.tried.insert(key);
        }
    }

    /// Takes questions out of the budget; returns how many it gives.
    fn pay(&mut self, wanted: usize) -> usize {
        let given = wanted.min(self.budget);
        self.budget -= given;
        given
    }

    /// Asks until a question shows the kind. Returns whether one does.
    fn try_all(
        &mut self,
        questions: impl Iterator<Item = Question>,
        kind: &DifferenceKind,
    ) -> bool {
        let mut better = MAX_BETTER;
        for question in questions {
            match self.found.get(kind) {
                Some(known) if !known.obscure || better == 0 => return true,
                Some(_) => better -= 1,
                None => {}
            }
            // Many kinds lead to the same questions.
            if self.built.contains(&question) {
                self.evaluated += 1;
            } else {
                self.evaluate(&question);
                self.built.insert(question);
            }
        }
        self.found.contains_key(kind)
    }

    /// Asks both policies, and keeps the question if it shows a kind better than those before.
    fn evaluate(&mut self, question: &Question) {
        self.evaluated += 1;
        let Some((kind, difference)) = self.shown_by(question) else {
            return;
        };
        let known = self.found.entry(kind).or_insert_with(|| difference.clone());
        if known.obscure && !difference.obscure {
            *known = difference;
        }
    }

    /// The kind that a question shows.
    fn shown_by(&self, question: &Question) -> Option<(DifferenceKind, Difference)> {
        let history = question.history();
        let request = question.context.request(&question.action, &history);
        let facts = Facts::new(request.action, request.risk, &self.head.surroundings);
        let head = self.head.decide_on(&facts, &request);
        // Both read an action alike, unless they class its paths by other directories.
        let base = if self.proof.is_possible() {
            self.base.decide_on(&facts, &request)
        } else {
            self.base.decide(&request)
        };
        if base.effect == head.effect {
            return None;
        }
        let pair = (base.effect, head.effect, base.index, head.index);
        let kind = match self.pairs.get(&pair).map(Vec::as_slice) {
            Some([one]) => Some(*one),
            None | Some([]) => None,
            Some(several) => self.proof.kind_of(question, several),
        };
        let kind = kind.and_then(|at| self.kinds.get(at).cloned());
        // The proof lists every pair of rules, unless it reached its bounds.
        let kind = kind.unwrap_or_else(|| DifferenceKind {
            base: base.effect,
            head: head.effect,
            base_rule: base.rule_id().to_owned(),
            head_rule: head.rule_id().to_owned(),
            class: "other".to_owned(),
        });
        let difference = Difference {
            obscure: facts.effects() & HIDDEN != 0,
            witness: question.clone(),
            reason: head.reason().into_owned(),
        };
        Some((kind, difference))
    }

    /// Leaves out of each witness what it shows its kind without.
    fn simplify(&mut self) {
        let kinds: Vec<DifferenceKind> = self.found.keys().cloned().collect();
        let mut tries = MAX_SIMPLIFIED;
        for kind in kinds {
            while let Some(known) = self.found.get(&kind) {
                let mut simpler = witness_generation::simpler(&known.witness).into_iter();
                let better = simpler.find_map(|question| {
                    tries = tries.checked_sub(1)?;
                    let (shown, difference) = self.shown_by(&question)?;
                    (shown == kind && (known.obscure || !difference.obscure)).then_some(difference)
                });
                let Some(better) = better else {
                    break;
                };
                self.found.insert(kind.clone(), better);
            }
        }
    }

    /// The kinds without a real action, and those that stand for more than their action shows.
    fn unbuilt(&self) -> impl Iterator<Item = &AbstractDifference> {
        let kinds = self.proof.kinds.iter().zip(&self.kinds);
        kinds
            .filter(|(kind, name)| kind.is_rest || !self.found.contains_key(name))
            .map(|(kind, _)| kind)
    }

    /// Says which rules may allow more, though no real action is known.
    fn unproven(&self, unbuilt: &[&AbstractDifference]) -> Vec<UnprovenChange> {
        let mut all: Vec<UnprovenChange> = Vec::new();
        let mut more = 0;
        for kind in unbuilt {
            let DifferenceKind {
                base_rule: old,
                head_rule: new,
                ..
            } = key(self.base, self.head, kind);
            let what = if old == new {
                format!("rule `{old}`")
            } else {
                format!("rules `{old}` and `{new}`")
            };
            if all.iter().any(|one| one.what == what) {
                continue;
            }
            if all.len() >= MAX_UNPROVEN {
                more += 1;
                continue;
            }
            let class = match (kind.is_rest, &*kind.class) {
                (true, _) => " for more classes than are listed".to_owned(),
                (false, "") => String::new(),
                (false, class) => format!(" for {class}"),
            };
            let mut change = format!(
                "{} instead of {}{class} ({}), if such an action exists",
                kind.head, kind.base, kind.sketch
            );
            let opaque = Vec::from_iter(self.proof.opaque());
            if !opaque.is_empty() {
                let opaque = opaque.join("`, `");
                change.push_str(&format!("; not analysed: `{opaque}`"));
            }
            all.push(UnprovenChange { what, change });
        }
        if more > 0 {
            all.push(UnprovenChange {
                what: format!("{more} more kinds"),
                change: "no action of these kinds is known".to_owned(),
            });
        }
        all
    }
}

fn limits_of(rule: &Rule) -> Vec<Limit> {
    let own = match &rule.when {
        Condition::Is(Predicate::UsedUp(limit), _) => Some(*limit),
        _ => None,
    };
    rule.limits.iter().copied().chain(own).collect()
}

#[cfg(test)]
mod tests;
