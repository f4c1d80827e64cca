//! Proves what a change of a policy allows.

use super::abstraction::Vocabulary;
use super::alternatives::{Alternatives, TYPES};
use super::encoding::{EncodedRule, Encoder, FactIndex, Truth};
use super::fact::Fact;
use super::formula::{Evaluation, FactId, FormulaId, Formulas, Object, TRUE};
use super::glob_order::GlobOrder;
use super::language::Languages;
use super::shared::Shared;
use super::sketch::Sketch;
use super::solver::{Answer, Search, Solver};
use crate::action::type_bit;
use crate::condition::Condition;
use crate::effect::{Effect, Tristate};
use crate::facts::Facts;
use crate::model::{Combine, Policy, Rule};
use crate::policy_diff::changed_rules;
use crate::question::Question;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Maximum number of kinds of actions to list that become more permissive, and of others.
const MAX_PERMISSIVE: usize = 200;
const MAX_STRICTER: usize = 60;
/// Maximum number of kinds of one pair of deciding rules.
const MAX_KINDS_OF_PAIR: usize = 24;

/// A kind of abstract action on which two policies differ.
#[derive(Debug, Clone)]
pub(crate) struct AbstractDifference {
    pub(crate) base: Effect,
    pub(crate) head: Effect,
    /// The rule of the base that decides; none when its default does.
    pub(crate) base_rule: Option<usize>,
    pub(crate) head_rule: Option<usize>,
    /// The type of action, and the alternatives of both rules that it meets.
    pub(crate) class: String,
    /// An action of this kind, as far as the analysis knows it.
    pub(crate) sketch: Sketch,
    /// Whether it stands for all further classes of its pair of rules.
    pub(crate) is_rest: bool,
    /// Holds for the actions of this kind.
    formula: FormulaId,
    /// Separates it from the other kinds of its pair of deciding rules.
    separates: FormulaId,
    /// The facts that `separates` is about.
    facts: BTreeSet<FactId>,
}

impl AbstractDifference {
    /// Whether the head is more permissive.
    pub(crate) fn is_more_permissive(&self) -> bool {
        self.head < self.base
    }
}

/// How a decision changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    Permissive,
    Stricter,
}

/// The next kind of action that two policies decide differently.
pub(crate) enum NextKind {
    /// It is the last one of the list now.
    Listed,
    /// There is none but those that are listed.
    None,
    /// The analysis reached its bounds.
    Unknown,
}

/// What the analysis proves about two policies.
pub(crate) struct Proof<'p> {
    /// The kinds of actions that they decide differently: first those that become more permissive.
    pub(crate) kinds: Vec<AbstractDifference>,
    /// Whether the list has each pair of rules by which actions become more permissive.
    pub(crate) complete: bool,
    /// Whether the list has each pair of rules by which actions become stricter.
    pub(crate) stricter_complete: bool,
    /// The rules that decide about more kinds than are listed, by their ids.
    pub(crate) further: BTreeSet<String>,
    /// Globs that can't be analysed.
    opaque: BTreeSet<String>,
    /// None if the policies can't be analysed together.
    analysis: Option<DifferenceSearch<'p>>,
}

impl<'p> Proof<'p> {
    /// The analysis of two policies, with no kind listed yet.
    pub(crate) fn begin(base: &'p Policy, head: &'p Policy, shared: Arc<Shared>) -> Self {
        let workdir = &base.surroundings.context().workdir;
        // Each policy classifies paths by its own directory.
        if *workdir != head.surroundings.context().workdir {
            return Proof {
                kinds: Vec::new(),
                complete: false,
                stricter_complete: false,
                further: BTreeSet::new(),
                opaque: BTreeSet::new(),
                analysis: None,
            };
        }
        let vocabulary = Vocabulary::new([base, head]);
        let mut encoder = Encoder::sharing(shared);
        let [base, head] = [base, head].map(|policy| Encoded::new(policy, &mut encoder));
        let [base_effects, head_effects] =
            [&base, &head].map(|policy| policy.decisions(&mut encoder.formulas));
        let differs = |encoder: &mut Encoder, wanted: fn(Effect, Effect) -> bool| {
            let mut any = Vec::new();
            for (old, before) in Effect::ALL.into_iter().zip(base_effects) {
                for (new, after) in Effect::ALL.into_iter().zip(head_effects) {
                    if wanted(old, new) {
                        any.push(encoder.all([before, after]));
                    }
                }
            }
            encoder.any(any)
        };
        let permissive = differs(&mut encoder, |old, new| new < old);
        let restrictive = differs(&mut encoder, |old, new| new > old);
        let types = TYPES.map(|kind| encoder.kinds(type_bit(kind)));
        let plain = encoder.plain();
        let (axioms, parts) = (encoder.axioms(), encoder.part_axioms(workdir));
        let globs = encoder.glob_order(&vocabulary);
        let opaque = std::mem::take(&mut encoder.opaque);
        let (solver, stated) = encoder.into_solver(parts, globs);
        let mut found = Search::new();
        let [shell, ..] = types;
        found.prefer(&solver, shell);
        found.require(&solver, axioms);
        let analysis = DifferenceSearch {
            solver,
            stated,
            search: found,
            axioms,
            plain,
            types,
            base,
            head,
            vocabulary,
            differs: [permissive, restrictive],
            pairs: BTreeMap::new(),
        };
        Self {
            kinds: Vec::new(),
            complete: false,
            stricter_complete: false,
            further: BTreeSet::new(),
            opaque,
            analysis: Some(analysis),
        }
    }

    /// Lists one more kind.
    pub(crate) fn next(&mut self, direction: Direction) -> NextKind {
        self.next_at(direction, None)
    }

    /// Lists one more kind; if a place is given, one where it decides.
    fn next_at(&mut self, direction: Direction, place: Option<Place>) -> NextKind {
        let Some(analysis) = &mut self.analysis else {
            return NextKind::Unknown;
        };
        let wanted = analysis.wanted(direction, place);
        match analysis.find(&wanted) {
            Answer::None => NextKind::None,
            Answer::Unknown => NextKind::Unknown,
            Answer::Object(object) => {
                let kind = analysis.kind(direction, &object);
                self.kinds.push(kind);
                NextKind::Listed
            }
        }
    }

    /// Lists kinds; whether each pair of rules that differs is among them.
    fn list(&mut self, direction: Direction, changed: &[Place], most: usize) -> bool {
        let end = self.kinds.len().saturating_add(most);
        // First one of each rule that changed, so that none is missing where there are too many.
        for place in changed {
            if self.kinds.len() < end {
                self.next_at(direction, Some(*place));
            }
        }
        while self.kinds.len() < end {
            match self.next(direction) {
                NextKind::Listed => {}
                NextKind::None => return true,
                NextKind::Unknown => return false,
            }
        }
        let Some(analysis) = &mut self.analysis else {
            return false;
        };
        let wanted = analysis.wanted(direction, None);
        analysis.solver.find(&mut analysis.search, &wanted) == Answer::None
    }

    /// Finds the changed rules that allow more than is listed.
    fn name_further(&mut self, base: &Policy, head: &Policy, changed: &[Place]) {
        let Some(analysis) = &mut self.analysis else {
            return;
        };
        for place in changed {
            let policy = if place.in_head { head } else { base };
            let id = place.rule.and_then(|at| policy.rules.get(at));
            let id = id.map_or("default", |rule| rule.id.as_str());
            if self.further.contains(id) {
                continue;
            }
            let wanted = analysis.wanted(Direction::Permissive, Some(*place));
            if analysis.solver.find(&mut analysis.search, &wanted) != Answer::None {
                self.further.insert(id.to_owned());
            }
        }
    }

    /// Reaches the bound on work.
    #[cfg(test)]
    pub(super) fn tire(&self) {
        let languages = self.analysis.iter().map(|one| &one.solver.languages);
        languages.for_each(Languages::tire);
    }

    /// Work so far, in steps of automata.
    #[cfg(test)]
    pub(super) fn work(&self) -> u64 {
        let languages = self.analysis.iter().map(|one| &one.solver.languages);
        languages.map(Languages::steps).sum()
    }

    /// The patterns that can't be analysed, of those that matter.
    pub(crate) fn opaque(&self) -> BTreeSet<String> {
        let languages = self.analysis.iter().map(|one| &one.solver.languages);
        let regexes = languages.flat_map(Languages::unknown);
        self.opaque.iter().cloned().chain(regexes).collect()
    }

    /// Whether some pattern can't be analysed.
    fn has_opaque(&self) -> bool {
        let languages = self.analysis.as_ref().map(|one| &one.solver.languages);
        !self.opaque.is_empty() || languages.is_some_and(Languages::has_unknown)
    }

    /// Whether both policies read an action alike: they have the same work tree.
    pub(crate) const fn is_possible(&self) -> bool {
        self.analysis.is_some()
    }

    /// Sketches of a kind, one for each type of action: plain ones, where there are any.
    pub(crate) fn sketches(&mut self, kind: usize) -> Vec<Sketch> {
        let found = self.kinds.get(kind).zip(self.analysis.as_mut());
        let Some((kind, analysis)) = found else {
            return Vec::new();
        };
        let solver = &mut analysis.solver;
        let whole = solver.formulas.and([analysis.axioms, kind.formula]);
        let objects = solver.one_of_each(whole, &analysis.types, analysis.plain);
        let sketches = objects
            .iter()
            .map(|object| Sketch::new(object, &analysis.stated));
        sketches.collect()
    }

    /// The first of some kinds that a question is of, as far as the analysis can tell. They have
    /// the same deciding rules, which decide about the question.
    pub(crate) fn kind_of(&self, question: &Question, kinds: &[usize]) -> Option<usize> {
        let analysis = self.analysis.as_ref()?;
        let listed = kinds.iter().filter_map(|at| self.kinds.get(*at));
        let facts: BTreeSet<FactId> = listed.flat_map(|kind| kind.facts.iter().copied()).collect();
        let object = analysis.object(question, &facts);
        let mut evaluation = analysis.solver.evaluation(&object);
        // Nothing is known of a text that can't be analysed.
        let mut is_of =
            |kind: &AbstractDifference| evaluation.holds(kind.separates) || self.has_opaque();
        let mut kinds = kinds.iter().copied();
        kinds.find(|at| self.kinds.get(*at).is_some_and(&mut is_of))
    }
}

/// A policy as formulas.
pub(super) struct Encoded<'p> {
    policy: &'p Policy,
    rules: Vec<EncodedRule>,
    verdicts: Vec<Verdicts>,
    alternatives: Vec<Alternatives>,
}

/// Proves how the decisions of two policies differ.
pub(crate) fn prove<'p>(base: &'p Policy, head: &'p Policy) -> Proof<'p> {
    list_all(Proof::begin(base, head, Arc::default()), base, head)
}

/// Lists the kinds of both directions, within the bounds.
pub(super) fn list_all<'p>(mut proof: Proof<'p>, base: &Policy, head: &Policy) -> Proof<'p> {
    let changed = changed_places(base, head);
    proof.complete = proof.list(Direction::Permissive, &changed, MAX_PERMISSIVE);
    if !proof.complete {
        proof.name_further(base, head, &changed);
    }
    proof.stricter_complete = proof.list(Direction::Stricter, &changed, MAX_STRICTER);
    proof
}

/// A rule of one of two policies, or its default.
#[derive(Debug, Clone, Copy)]
struct Place {
    in_head: bool,
    rule: Option<usize>,
}

/// The rules and defaults that differ between two policies.
fn changed_places(base: &Policy, head: &Policy) -> Vec<Place> {
    let changed = changed_rules(base, head);
    let is_changed =
        |rule: &Rule| base.combine != head.combine || changed.iter().any(|(id, _)| *id == rule.id);
    let mut places = Vec::new();
    for (in_head, policy) in [(false, base), (true, head)] {
        let rules = policy.rules.iter().enumerate();
        let own = rules
            .filter(|(_, rule)| is_changed(rule))
            .map(|(at, _)| Some(at));
        let default = (base.default.effect != head.default.effect).then_some(None);
        places.extend(own.chain(default).map(|rule| Place { in_head, rule }));
    }
    places
}

/// Whether one condition certainly holds wherever another does, as properties read them.
/// `workdir` is the work tree of both.
pub(crate) fn implies(one: &Condition, other: &Condition, workdir: &str) -> bool {
    let mut encoder = Encoder::new();
    let [one, other] = [one, other].map(|when| encoder.condition(when, false).yes);
    let fails = encoder.not(other);
    let (axioms, parts) = (encoder.axioms(), encoder.part_axioms(workdir));
    let broken = encoder.all([one, fails, axioms]);
    let (mut solver, _) = encoder.into_solver(parts, GlobOrder::default());
    solver.solve(broken) == Answer::None
}

struct DifferenceSearch<'p> {
    solver: Solver,
    stated: FactIndex,
    search: Search,
    /// What simple actions have in common.
    plain: FormulaId,
    /// What holds for every action.
    axioms: FormulaId,
    /// The types of actions.
    types: [FormulaId; 5],
    base: Encoded<'p>,
    head: Encoded<'p>,
    vocabulary: Vocabulary<'p>,
    /// What becomes more permissive, and what becomes stricter.
    differs: [FormulaId; 2],
    /// Number of kinds of each pair of deciding rules.
    pairs: BTreeMap<(Direction, Option<usize>, Option<usize>), usize>,
}

impl DifferenceSearch<'_> {
    /// What an action of a direction meets, and where it is decided.
    fn wanted(&mut self, direction: Direction, place: Option<Place>) -> Vec<FormulaId> {
        let [permissive, stricter] = self.differs;
        let mut wanted = vec![match direction {
            Direction::Permissive => permissive,
            Direction::Stricter => stricter,
        }];
        if let Some(Place { in_head, rule }) = place {
            let policy = if in_head { &self.head } else { &self.base };
            let formulas = &mut self.solver.formulas;
            let effects = Effect::ALL.map(|effect| policy.decides(formulas, rule, effect));
            wanted.push(formulas.or(effects));
        }
        wanted
    }

    /// The kind of an abstract action. From now on no action of this kind is found.
    fn kind(&mut self, direction: Direction, object: &Object) -> AbstractDifference {
        let mut evaluation = self.solver.evaluation(object);
        let (base, base_rule) = self.base.decide(&mut evaluation);
        let (head, head_rule) = self.head.decide(&mut evaluation);
        let of_pair = self.pairs.entry((direction, base_rule, head_rule));
        let of_pair = of_pair.or_default();
        *of_pair += 1;
        let is_rest = *of_pair >= MAX_KINDS_OF_PAIR;
        let (mut same, mut labels) = (Vec::new(), Vec::new());
        let alternatives = self.base.alternatives(base_rule).iter();
        for list in alternatives.chain(self.head.alternatives(head_rule)) {
            let met = list.iter().find(|(_, formula)| evaluation.holds(*formula));
            if let Some((label, formula)) = met {
                if !labels.contains(label) {
                    labels.push(label.clone());
                }
                if !is_rest {
                    same.push(*formula);
                }
            }
        }
        let formulas = &mut self.solver.formulas;
        let separates = formulas.and(same.iter().copied());
        same.push(self.base.decides(formulas, base_rule, base));
        same.push(self.head.decides(formulas, head_rule, head));
        let same = formulas.and(same);
        let others = formulas.not(same);
        self.search.require(&self.solver, others);
        AbstractDifference {
            base,
            head,
            base_rule,
            head_rule,
            class: labels.join(" "),
            sketch: Sketch::new(object, &self.stated),
            is_rest,
            formula: same,
            separates,
            facts: self.solver.formulas.facts(separates),
        }
    }

    /// The abstract object of a question, with some facts.
    fn object(&self, question: &Question, wanted: &BTreeSet<FactId>) -> Object {
        let of = |id: &FactId| self.stated.get(*id).cloned();
        let wanted: Vec<(Fact, FactId)> = wanted.iter().filter_map(of).collect();
        let history = question.history();
        let request = question.context.request(&question.action, &history);
        let facts = Facts::new(
            &question.action,
            question.context.risk,
            &self.base.policy.surroundings,
        );
        self.vocabulary.object(&wanted, &facts, &request)
    }

    /// An object for which some formulas hold: a plain one of a familiar type, if there is one.
    fn find(&mut self, wanted: &[FormulaId]) -> Answer {
        let plain = [wanted, &[self.plain]].concat();
        let found = self.solver.find(&mut self.search, &plain);
        if matches!(found, Answer::Object(_)) {
            return found;
        }
        self.solver.find(&mut self.search, wanted)
    }
}

/// When a rule decides, if nothing stricter does.
#[derive(Debug, Clone, Copy)]
struct Verdicts {
    /// It matches, and its effect is the one at the index.
    certain: [FormulaId; 3],
    /// It may match, so a human is asked.
    doubtful: FormulaId,
}

impl<'p> Encoded<'p> {
    pub(super) fn new(policy: &'p Policy, encoder: &mut Encoder) -> Self {
        let rules = encoder.rules(policy);
        let alternatives = policy
            .rules
            .iter()
            .map(|rule| encoder.alternatives(&rule.when))
            .collect();
        Self {
            verdicts: verdicts(policy, &rules, &mut encoder.formulas),
            policy,
            rules,
            alternatives,
        }
    }

    /// The policy with one more rule at its end.
    pub(super) fn with(policy: &'p Policy, encoder: &mut Encoder, rule: EncodedRule) -> Self {
        let mut rules = encoder.rules(policy);
        rules.push(rule);
        Self {
            verdicts: verdicts(policy, &rules, &mut encoder.formulas),
            policy,
            rules,
            alternatives: Vec::new(),
        }
    }

    /// When a rule matches, and when it may.
    pub(super) fn matches(&self, index: usize) -> Option<Truth> {
        self.rules.get(index).map(|rule| rule.matches)
    }

    /// When a rule matches, or may.
    pub(super) fn possible(&self, index: usize) -> Option<FormulaId> {
        self.matches(index).map(|matches| matches.possible)
    }

    /// When a rule decides and no later rule does.
    pub(super) fn takes(&self, index: usize) -> Option<FormulaId> {
        let rule = self.rules.get(index)?;
        let ends = self.policy.combine == Combine::FirstMatch || rule.effect == Effect::Deny;
        ends.then_some(rule.matches.yes)
    }

    /// The alternatives of a rule.
    fn alternatives(&self, rule: Option<usize>) -> &[Vec<(String, FormulaId)>] {
        let of = |index| self.alternatives.get(index).map(Vec::as_slice);
        rule.and_then(of).unwrap_or_default()
    }

    /// When some rule certainly has this effect.
    fn some_certain(&self, formulas: &mut Formulas, effect: Effect) -> FormulaId {
        let all: Vec<FormulaId> = self.verdicts.iter().map(|v| v.of(effect)).collect();
        formulas.or(all)
    }

    fn some_doubtful(&self, formulas: &mut Formulas) -> FormulaId {
        formulas.or(self.verdicts.iter().map(|v| v.doubtful))
    }

    /// When the policy allows, asks and denies.
    pub(super) fn decisions(&self, formulas: &mut Formulas) -> [FormulaId; 3] {
        let certain = Effect::ALL.map(|effect| self.some_certain(formulas, effect));
        let settled = formulas.or(certain);
        let open = formulas.not(settled);
        let [_, mut ask, mut deny] = certain;
        // The default decides if nothing is settled; a doubtful rule only makes it stricter.
        match self.policy.default.effect {
            Effect::Allow => {}
            Effect::RequireApproval => ask = formulas.or([ask, open]),
            Effect::Deny => deny = formulas.or([deny, open]),
        }
        let doubtful = self.some_doubtful(formulas);
        let asked = formulas.or([ask, doubtful]);
        let strict = formulas.or([deny, asked]);
        let not_deny = formulas.not(deny);
        [formulas.not(strict), formulas.and([not_deny, asked]), deny]
    }

    /// When a rule, or the default, decides with this effect.
    pub(super) fn decides(
        &self,
        formulas: &mut Formulas,
        rule: Option<usize>,
        effect: Effect,
    ) -> FormulaId {
        let mut all = Vec::new();
        let asks = Effect::RequireApproval;
        if rule.is_none() || effect < asks {
            // A doubtful rule decides before anything more permissive.
            let doubtful = self.some_doubtful(formulas);
            if effect <= asks {
                all.push(formulas.not(doubtful));
            }
        }
        for other in Effect::ALL {
            if rule.is_none() || other > effect {
                let some = self.some_certain(formulas, other);
                all.push(formulas.not(some));
            }
        }
        if let Some((index, own)) = rule.and_then(|at| Some((at, self.verdicts.get(at)?))) {
            let before = self.verdicts.get(..index).unwrap_or_default();
            let earlier = formulas.or(before.iter().map(|v| v.of(effect)));
            let first = formulas.not(earlier);
            let mut either = vec![formulas.and([own.of(effect), first])];
            if effect == asks {
                let earlier = formulas.or(before.iter().map(|v| v.doubtful));
                let certain = self.some_certain(formulas, effect);
                let (first, unsure) = (formulas.not(earlier), formulas.not(certain));
                // A stricter default decides unless some rule matches.
                let settled = if self.policy.default.effect > asks {
                    self.some_certain(formulas, Effect::Allow)
                } else {
                    TRUE
                };
                either.push(formulas.and([own.doubtful, first, unsure, settled]));
            }
            all.push(formulas.or(either));
        }
        formulas.and(all)
    }

    /// What the policy decides on an abstract action, and by which rule.
    pub(super) fn decide(&self, object: &mut Evaluation<'_>) -> (Effect, Option<usize>) {
        let mut rules = self.rules.iter();
        let decision = self.policy.decide_by(0..self.rules.len(), |rule| {
            let Some(encoded) = rules.next() else {
                return (Tristate::No, None);
            };
            let holds = if object.holds(encoded.matches.yes) {
                Tristate::Yes
            } else {
                let may = object.holds(encoded.matches.possible);
                if may { Tristate::Maybe } else { Tristate::No }
            };
            let used_up = object.holds(encoded.used_up);
            let limit = rule.limits.first().filter(|_| used_up);
            (holds, limit.map(|limit| (*limit, 0)))
        });
        (decision.effect, decision.index)
    }
}

/// When each rule decides, if nothing stricter does.
fn verdicts(policy: &Policy, rules: &[EncodedRule], formulas: &mut Formulas) -> Vec<Verdicts> {
    let mut reached = TRUE;
    let mut verdicts = Vec::new();
    for rule in rules {
        let free = formulas.not(rule.used_up);
        let matched = formulas.both(reached, rule.matches.yes);
        let certain = Effect::ALL.map(|effect| {
            let when = match (effect, rule.effect) {
                (Effect::Deny, Effect::Deny) => TRUE,
                (Effect::Deny, _) => rule.used_up,
                (effect, own) if effect == own => free,
                _ => formulas.never(),
            };
            formulas.both(matched, when)
        });
        // A doubtful rule that allows says nothing, unless its limit is used up.
        let restricts = if rule.effect == Effect::Allow {
            rule.used_up
        } else {
            TRUE
        };
        let unsure = formulas.not(rule.matches.yes);
        let may = formulas.and([rule.matches.possible, unsure, restricts]);
        let doubtful = formulas.both(reached, may);
        verdicts.push(Verdicts { certain, doubtful });
        let [_, _, denies] = certain;
        let ends = match policy.combine {
            Combine::FirstMatch => matched,
            Combine::DenyOverrides => denies,
        };
        let goes_on = formulas.not(ends);
        reached = formulas.both(reached, goes_on);
    }
    verdicts
}

impl Verdicts {
    fn of(&self, effect: Effect) -> FormulaId {
        let [allow, ask, deny] = self.certain;
        match effect {
            Effect::Allow => allow,
            Effect::RequireApproval => ask,
            Effect::Deny => deny,
        }
    }
}
