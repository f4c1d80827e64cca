//! Finds an object for which a formula holds, or proves that there is none.
//!
//! A satisfiability solver chooses which atoms hold. Its choices for texts and parts are then
//! checked: is there a text in these languages, is there a part like this? If not, the solver
//! learns why and goes on. Only atoms that the formula needs are checked, so few automata meet.

use super::formula::{Atom, CollectionId, Evaluation, FormulaId, Formulas, Node, Object, TextSlot};
use super::glob_order::GlobOrder;
use super::language::{Found, LanguageId, Languages};
use batsat::{Callbacks, ClauseKind, Lit, SolverInterface, SolverOpts, lbool};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Work that one analysis may take, in checks of texts and parts.
const MAX_CHECKS: usize = 200_000;
/// Work of one analysis, in steps of automata. Each takes about ten nanoseconds.
const MAX_STEPS: u64 = 600_000_000;
/// Languages of one text that are compared with each other by how their texts begin.
const MAX_PREFIXED: usize = 400;
/// Number of parts that the absence of some has to exclude one by one until all are searched that
/// it excludes: at first, and once that was worth it.
const MIN_EXCLUSIONS: u32 = 64;
const MIN_FURTHER_EXCLUSIONS: u32 = 4;
/// Number of searches for parts that aren't excluded, in order to learn which ones are.
const MAX_PART_SEARCHES: usize = 4;
/// Conflicts that one run of the satisfiability solver may take.
const MAX_CONFLICTS: u64 = 100_000;
/// Decisions that one run of it may take.
const MAX_DECISIONS: u64 = 20_000_000;
/// Work of a decision, of a propagation and of a formula that is taken in, in steps of automata.
const DECISION_STEPS: u64 = 20;
const PROPAGATION_STEPS: u64 = 10;
const FORMULA_STEPS: u64 = 50;

/// The answer of a solver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// The formula holds for this object.
    Object(Object),
    /// It holds for none.
    None,
    /// The search reached its bound.
    Unknown,
}

/// Why some choices can't hold together, as places in the list of choices.
enum Check<T> {
    Holds(T),
    Conflict(Vec<usize>),
    Unknown,
}

/// A solver for the formulas of one analysis.
pub(super) struct Solver {
    pub(super) formulas: Formulas,
    pub(super) languages: Languages,
    /// What holds for every part of a collection.
    axioms: BTreeMap<CollectionId, FormulaId>,
    /// Parts that were found, by the formula that they meet.
    known: FxHashMap<(CollectionId, FormulaId), Answer>,
    /// Searches for parts of a collection.
    searches: BTreeMap<CollectionId, Search>,
    /// Languages that no text is in together.
    conflicts: FxHashMap<Vec<(LanguageId, bool)>, Option<Vec<usize>>>,
    checks: usize,
    globs: GlobOrder,
}

impl Solver {
    pub(super) fn new(formulas: Formulas, languages: Languages, globs: GlobOrder) -> Self {
        Self {
            formulas,
            languages,
            axioms: BTreeMap::new(),
            known: FxHashMap::default(),
            searches: BTreeMap::new(),
            conflicts: FxHashMap::default(),
            checks: 0,
            globs,
        }
    }

    /// States what holds for every part of a collection.
    pub(super) fn assume(&mut self, collection: CollectionId, axiom: FormulaId) {
        self.axioms.insert(collection, axiom);
    }

    /// Whether the formula holds for an object.
    pub(super) fn holds(&self, formula: FormulaId, object: &Object) -> bool {
        self.evaluation(object).holds(formula)
    }

    /// Evaluates several formulas for one object.
    pub(super) fn evaluation<'a>(&'a self, object: &'a Object) -> Evaluation<'a> {
        Evaluation::new(&self.formulas, &self.languages, object)
    }

    /// Finds an object for which the formula holds.
    pub(super) fn solve(&mut self, formula: FormulaId) -> Answer {
        let mut search = Search::new();
        search.require(self, formula);
        self.find(&mut search, &[])
    }

    /// Finds an object for which everything that the search requires holds, and these formulas.
    pub(super) fn find(&mut self, search: &mut Search, assumed: &[FormulaId]) -> Answer {
        if self.is_over() {
            return Answer::Unknown;
        }
        let literals: Vec<Lit> = assumed
            .iter()
            .map(|formula| search.literal(self, *formula))
            .collect();
        loop {
            let satisfiable = search.sat.solve_limited(&literals);
            self.languages.count(search.work());
            if satisfiable == lbool::FALSE {
                return Answer::None;
            }
            if satisfiable != lbool::TRUE {
                return Answer::Unknown;
            }
            let choice = search.choice(&self.formulas, assumed);
            match self.check(&choice) {
                Check::Holds(object) => return Answer::Object(object),
                Check::Unknown => return Answer::Unknown,
                Check::Conflict(atoms) => {
                    let wrong: Vec<(Atom, bool)> = atoms
                        .into_iter()
                        .filter_map(|at| choice.atoms.get(at).copied())
                        .collect();
                    search.refuse(wrong.iter().copied());
                    self.refuse_excluded(search, &wrong);
                }
            }
        }
    }

    /// Learns all parts that the absence of some excludes, where that excluded one part after the
    /// other: most rules of a large policy are about other paths than one rule, and a run of the
    /// satisfiability solver for each is slow.
    fn refuse_excluded(&mut self, search: &mut Search, wrong: &[(Atom, bool)]) {
        let present = wrong.iter().find_map(|(atom, holds)| match *atom {
            Atom::Some(collection, _) if *holds => Some(collection),
            _ => None,
        });
        let Some(collection) = present else {
            return;
        };
        let mut absent = Vec::new();
        for (atom, holds) in wrong {
            match *atom {
                Atom::Some(own, of) if own == collection => {
                    absent.extend((!holds).then_some(of));
                }
                // Something else than absent parts excludes it.
                _ => return,
            }
        }
        absent.sort_unstable();
        if absent.is_empty() || wrong.len() > absent.len() + 1 {
            return;
        }
        let known = search.excluding.entry((collection, absent.clone()));
        let known = known.or_insert(Some(0));
        let Some(times) = known.as_mut() else {
            return;
        };
        *times += 1;
        if *times < search.min_exclusions {
            return;
        }
        *known = None;
        let mut excluded = search.parts_of(collection);
        excluded.retain(|of| !absent.contains(of));
        let mut parts = Search::new();
        if let Some(axioms) = self.axioms.get(&collection) {
            parts.require(self, *axioms);
        }
        for of in &absent {
            let none = self.formulas.not(*of);
            parts.require(self, none);
        }
        // Each part that is found shows some that aren't excluded. If there is no further part,
        // that is a proof for all that are left.
        for _ in 0..MAX_PART_SEARCHES {
            if !self.pay() {
                return;
            }
            let any = self.formulas.or(excluded.iter().copied());
            parts.require(self, any);
            match self.find(&mut parts, &[]) {
                Answer::Object(part) => {
                    let mut evaluation = self.evaluation(&part);
                    excluded.retain(|of| !evaluation.holds(*of));
                }
                Answer::None => {
                    let none = absent.iter().map(|of| (Atom::Some(collection, *of), false));
                    for of in excluded {
                        let some = (Atom::Some(collection, of), true);
                        search.refuse(none.clone().chain([some]));
                    }
                    search.min_exclusions = MIN_FURTHER_EXCLUSIONS;
                    return;
                }
                Answer::Unknown => return,
            }
        }
    }

    /// Objects for which a formula holds, one for each alternative: a preferred one, if there is
    /// one.
    pub(super) fn one_of_each(
        &mut self,
        formula: FormulaId,
        alternatives: &[FormulaId],
        preferred: FormulaId,
    ) -> Vec<Object> {
        let mut objects = Vec::new();
        if self.is_over() {
            return objects;
        }
        let mut search = Search::new();
        search.require(self, formula);
        for one in alternatives {
            for assumed in [&[*one, preferred][..], &[*one]] {
                if let Answer::Object(object) = self.find(&mut search, assumed) {
                    objects.push(object);
                    break;
                }
            }
        }
        objects
    }

    /// Checks chosen atoms, and builds the object.
    fn check(&mut self, choice: &Choice) -> Check<Object> {
        let mut object = Object::default();
        let mut texts: BTreeMap<TextSlot, Vec<(usize, LanguageId, bool)>> = BTreeMap::new();
        let mut absent: BTreeMap<CollectionId, Vec<(usize, FormulaId)>> = BTreeMap::new();
        let mut present = Vec::new();
        for (at, (atom, holds)) in choice.atoms.iter().enumerate() {
            match (*atom, *holds) {
                (Atom::Fact(fact), true) => {
                    object.facts.insert(fact);
                }
                (Atom::Fact(_), false) => {}
                (Atom::Text(slot, language), true) if !self.languages.is_known(language) => {
                    object.opaque.insert((slot, language));
                }
                (Atom::Text(slot, language), holds) => {
                    texts.entry(slot).or_default().push((at, language, holds));
                }
                (Atom::Some(collection, of), true) => present.push((at, collection, of)),
                (Atom::Some(collection, of), false) => {
                    absent.entry(collection).or_default().push((at, of));
                }
            }
        }
        if let Some(conflict) = self.add_wider_globs(&mut object, choice) {
            return Check::Conflict(conflict);
        }
        for (slot, wanted) in texts {
            let languages: Vec<(LanguageId, bool)> = wanted
                .iter()
                .map(|(_, language, holds)| (*language, *holds))
                .collect();
            match self.text(&languages) {
                Check::Holds(text) => {
                    object.texts.insert(slot, text);
                }
                Check::Unknown => return Check::Unknown,
                Check::Conflict(core) => {
                    let atoms = core
                        .into_iter()
                        .filter_map(|n| wanted.get(n).map(|(at, _, _)| *at));
                    return Check::Conflict(atoms.collect());
                }
            }
        }
        for (at, collection, of) in &present {
            if self.has_part(&object, *collection, *of) {
                continue;
            }
            let none = absent
                .get(collection)
                .map(Vec::as_slice)
                .unwrap_or_default();
            match self.part(*collection, *of, none) {
                Check::Holds(part) => object.parts.entry(*collection).or_default().push(part),
                Check::Unknown => return Check::Unknown,
                Check::Conflict(mut core) => {
                    core.push(*at);
                    return Check::Conflict(core);
                }
            }
        }
        self.drop_parts(&mut object, &present);
        Check::Holds(object)
    }

    /// Whether every glob may match of which a narrower one may.
    #[cfg(test)]
    pub(super) fn has_wider_globs(&mut self, object: &Object) -> bool {
        object.facts.iter().all(|fact| {
            let wider = self.globs.wider(*fact, &mut self.languages);
            wider.iter().all(|fact| object.facts.contains(fact))
        })
    }

    /// What may match a glob may match each wider one. Returns two choices that contradict that.
    fn add_wider_globs(&mut self, object: &mut Object, choice: &Choice) -> Option<Vec<usize>> {
        let place = |atom: Atom| choice.atoms.binary_search_by_key(&atom, |(atom, _)| *atom);
        let matched = object.facts.clone();
        for fact in matched {
            for wider in self.globs.wider(fact, &mut self.languages) {
                // What is chosen to be false.
                if !object.facts.contains(wider)
                    && let Ok(at) = place(Atom::Fact(*wider))
                {
                    return Some(vec![place(Atom::Fact(fact)).ok()?, at]);
                }
                object.facts.insert(*wider);
            }
        }
        None
    }

    fn has_part(&self, object: &Object, collection: CollectionId, of: FormulaId) -> bool {
        let parts = object.parts.get(&collection).map(Vec::as_slice);
        let mut parts = parts.unwrap_or_default().iter();
        parts.any(|part| self.holds(of, part))
    }

    /// Drops parts without which everything that has to be present is.
    fn drop_parts(&self, object: &mut Object, present: &[(usize, CollectionId, FormulaId)]) {
        for (collection, parts) in &mut object.parts {
            if parts.len() < 2 {
                continue;
            }
            let wanted: Vec<FormulaId> = present
                .iter()
                .filter(|(_, own, _)| own == collection)
                .map(|(_, _, of)| *of)
                .collect();
            let shows: Vec<Vec<bool>> = parts
                .iter()
                .map(|part| {
                    let mut evaluation = self.evaluation(part);
                    wanted.iter().map(|of| evaluation.holds(*of)).collect()
                })
                .collect();
            let mut kept: Vec<bool> = vec![true; parts.len()];
            for at in (0..kept.len()).rev() {
                let others: Vec<&Vec<bool>> = shows
                    .iter()
                    .zip(&kept)
                    .enumerate()
                    .filter(|(other, (_, kept))| *other != at && **kept)
                    .map(|(_, (shows, _))| shows)
                    .collect();
                let needed = (0..wanted.len())
                    .any(|of| !others.iter().any(|shows| shows.get(of) == Some(&true)));
                if let Some(kept) = kept.get_mut(at) {
                    *kept = needed;
                }
            }
            let mut kept = kept.into_iter();
            parts.retain(|_| kept.next().unwrap_or(true));
        }
    }

    /// Finds a text that is in each language as wished. Starts with few languages, and takes in
    /// those that a text turns out to break.
    fn text(&mut self, wanted: &[(LanguageId, bool)]) -> Check<String> {
        if let Some(Some(core)) = self.conflicts.get(wanted) {
            return Check::Conflict(core.clone());
        }
        let mut used: Vec<usize> = Vec::new();
        let mut text = String::new();
        loop {
            if !self.pay() {
                return Check::Unknown;
            }
            let breaks = |(language, wish): &(LanguageId, bool)| {
                self.languages
                    .contains(*language, &text)
                    .is_some_and(|is| is != *wish)
            };
            // What must match says more than what mustn't.
            let broken = wanted
                .iter()
                .position(|one| one.1 && breaks(one))
                .or_else(|| wanted.iter().position(breaks));
            let Some(broken) = broken else {
                return Check::Holds(text);
            };
            used.push(broken);
            match self.shortest(wanted, &used) {
                Found::Text(found) => text = found,
                Found::Unknown => return Check::Unknown,
                Found::None => {
                    let core =
                        self.smallest(used, |me, some| me.shortest(wanted, some) == Found::None);
                    self.conflicts.insert(wanted.to_vec(), Some(core.clone()));
                    return Check::Conflict(core);
                }
            }
        }
    }

    fn shortest(&mut self, wanted: &[(LanguageId, bool)], used: &[usize]) -> Found {
        let some: Vec<(LanguageId, bool)> = used
            .iter()
            .filter_map(|at| wanted.get(*at).copied())
            .collect();
        self.languages.shortest(&some)
    }

    /// Finds a part for which `of` holds, and none of the formulas that hold for no part.
    fn part(
        &mut self,
        collection: CollectionId,
        of: FormulaId,
        absent: &[(usize, FormulaId)],
    ) -> Check<Object> {
        let mut used: Vec<usize> = Vec::new();
        loop {
            if !self.pay() {
                return Check::Unknown;
            }
            match self.part_without(collection, of, absent, &used) {
                Answer::Object(part) => {
                    let mut evaluation = self.evaluation(&part);
                    let broken = absent
                        .iter()
                        .position(|(_, formula)| evaluation.holds(*formula));
                    match broken {
                        None => return Check::Holds(part),
                        Some(broken) => used.push(broken),
                    }
                }
                Answer::Unknown => return Check::Unknown,
                Answer::None => {
                    let core = self.smallest(used, |me, some| {
                        me.part_without(collection, of, absent, some) == Answer::None
                    });
                    let atoms = core
                        .into_iter()
                        .filter_map(|n| absent.get(n).map(|(at, _)| *at));
                    return Check::Conflict(atoms.collect());
                }
            }
        }
    }

    fn part_without(
        &mut self,
        collection: CollectionId,
        of: FormulaId,
        absent: &[(usize, FormulaId)],
        used: &[usize],
    ) -> Answer {
        let mut wanted = vec![of];
        for (_, formula) in used.iter().filter_map(|at| absent.get(*at)) {
            wanted.push(self.formulas.not(*formula));
        }
        let whole = self.formulas.and(wanted.iter().copied());
        if let Some(known) = self.known.get(&(collection, whole)) {
            return known.clone();
        }
        let known = self.searches.remove(&collection);
        let mut search = known.unwrap_or_else(|| {
            let mut search = Search::new();
            if let Some(axioms) = self.axioms.get(&collection) {
                search.require(self, *axioms);
            }
            search
        });
        let answer = self.find(&mut search, &wanted);
        self.searches.insert(collection, search);
        self.known.insert((collection, whole), answer.clone());
        answer
    }

    /// Leaves out what a conflict doesn't need.
    fn smallest(
        &mut self,
        mut core: Vec<usize>,
        conflicts: impl Fn(&mut Self, &[usize]) -> bool,
    ) -> Vec<usize> {
        let mut at = 0;
        while at < core.len() && core.len() > 1 {
            let mut fewer = core.clone();
            fewer.remove(at);
            if conflicts(self, &fewer) {
                core = fewer;
            } else {
                at += 1;
            }
        }
        core
    }

    fn pay(&mut self) -> bool {
        self.checks += 1;
        !self.is_over()
    }

    /// Whether the work reached its bound.
    fn is_over(&self) -> bool {
        self.checks > MAX_CHECKS || self.languages.steps() > MAX_STEPS
    }
}

/// Ends a run of the satisfiability solver at a bound on work.
#[derive(Debug, Default)]
struct Bound {
    conflicts: u64,
    /// Decisions of this run.
    decisions: Cell<u64>,
}

impl Callbacks for Bound {
    fn on_start(&mut self) {
        self.conflicts = 0;
        self.decisions.set(0);
    }

    fn on_new_clause(&mut self, _clause: &[Lit], kind: ClauseKind) {
        self.conflicts += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        // It is asked before each decision.
        self.decisions.set(self.decisions.get().saturating_add(1));
        self.conflicts > MAX_CONFLICTS || self.decisions.get() > MAX_DECISIONS
    }
}

/// The atoms that make a formula hold.
struct Choice {
    atoms: Vec<(Atom, bool)>,
}

/// A search for objects that keeps what it learns.
pub(super) struct Search {
    sat: batsat::Solver<Bound>,
    /// The literals of formulas, by their index.
    literals: Vec<Option<Lit>>,
    /// Whether a formula holds for an object without anything, by its index. The solver tries this
    /// first: then little that isn't needed holds for an answer.
    empty: Vec<bool>,
    atoms: FxHashMap<Atom, Lit>,
    /// The languages of each text whose texts all begin alike.
    prefixed: FxHashMap<TextSlot, Vec<(LanguageId, Lit)>>,
    required: Vec<FormulaId>,
    /// How often the absence of parts excluded another part; `None` once all parts were
    /// searched that it excludes.
    excluding: FxHashMap<(CollectionId, Vec<FormulaId>), Option<u32>>,
    /// How often it has to until they are searched.
    min_exclusions: u32,
    /// Work of the satisfiability solver that was counted.
    counted: u64,
}

impl Search {
    pub(super) fn new() -> Self {
        Self {
            // What isn't needed stays false, whatever an earlier answer was: answers are simpler.
            sat: batsat::Solver::new(
                SolverOpts {
                    phase_saving: 0,
                    ..SolverOpts::default()
                },
                Bound::default(),
            ),
            literals: Vec::new(),
            empty: Vec::new(),
            atoms: FxHashMap::default(),
            prefixed: FxHashMap::default(),
            required: Vec::new(),
            excluding: FxHashMap::default(),
            min_exclusions: MIN_EXCLUSIONS,
            counted: 0,
        }
    }

    /// Tries first what makes the formula hold. Has to come before everything that is required.
    pub(super) fn prefer(&mut self, solver: &Solver, formula: FormulaId) {
        let preferred = Lit::new(self.sat.new_var(lbool::TRUE, true), true);
        let literal = self.literal(solver, formula);
        self.sat.add_clause_reuse(&mut vec![!preferred, literal]);
    }

    /// From now on, the formula holds for everything that is found.
    pub(super) fn require(&mut self, solver: &Solver, formula: FormulaId) {
        let whole = self.literal(solver, formula);
        self.sat.add_clause_reuse(&mut vec![whole]);
        self.required.push(formula);
    }

    /// The literal of a formula, with the clauses that define it.
    fn literal(&mut self, solver: &Solver, formula: FormulaId) -> Lit {
        if let Some(Some(literal)) = self.literals.get(formula.index()) {
            return *literal;
        }
        let mut empty = false;
        let literal = match solver.formulas.node(formula) {
            Node::Not(inner) => {
                let inner_literal = self.literal(solver, *inner);
                empty = !self.holds_empty(*inner);
                !inner_literal
            }
            Node::True => {
                empty = true;
                let always = Lit::new(self.sat.new_var_default(), true);
                self.sat.add_clause_reuse(&mut vec![always]);
                always
            }
            Node::Atom(atom) => {
                let literal = Lit::new(self.sat.new_var_default(), true);
                self.atoms.insert(*atom, literal);
                if let Atom::Text(slot, language) = *atom {
                    self.exclude(&solver.languages, slot, language, literal);
                }
                literal
            }
            Node::And(own) => {
                let parts: Vec<Lit> = own.iter().map(|part| self.literal(solver, *part)).collect();
                empty = own.iter().all(|part| self.holds_empty(*part));
                let first = if empty { lbool::TRUE } else { lbool::FALSE };
                let all = Lit::new(self.sat.new_var(first, true), true);
                for part in &parts {
                    self.sat.add_clause_reuse(&mut vec![!all, *part]);
                }
                let mut clause: Vec<Lit> = parts.iter().map(|part| !*part).collect();
                clause.push(all);
                self.sat.add_clause_reuse(&mut clause);
                all
            }
        };
        solver.languages.count(FORMULA_STEPS);
        if self.literals.len() <= formula.index() {
            self.literals.resize(formula.index() + 1, None);
            self.empty.resize(formula.index() + 1, false);
        }
        if let Some(slot) = self.empty.get_mut(formula.index()) {
            *slot = empty;
        }
        if let Some(slot) = self.literals.get_mut(formula.index()) {
            *slot = Some(literal);
        }
        literal
    }

    /// States that no text is in two languages which begin differently.
    fn exclude(&mut self, languages: &Languages, slot: TextSlot, own: LanguageId, literal: Lit) {
        let Some(required) = languages.required(own).filter(|one| one.has_prefix()) else {
            return;
        };
        let others = self.prefixed.entry(slot).or_default();
        if others.len() >= MAX_PREFIXED {
            return;
        }
        for (other, other_literal) in &*others {
            if languages
                .required(*other)
                .is_some_and(|other| other.excludes(required))
            {
                let mut clause = vec![!literal, !*other_literal];
                self.sat.add_clause_reuse(&mut clause);
            }
        }
        others.push((own, literal));
    }

    /// Work since this was last asked, in steps of automata.
    fn work(&mut self) -> u64 {
        let all = (self.sat.num_decisions().saturating_mul(DECISION_STEPS)).saturating_add(
            self.sat
                .num_propagations()
                .saturating_mul(PROPAGATION_STEPS),
        );
        let before = std::mem::replace(&mut self.counted, all);
        all.saturating_sub(before)
    }

    fn holds_empty(&self, formula: FormulaId) -> bool {
        self.empty.get(formula.index()) == Some(&true)
    }

    fn is_true(&self, formula: FormulaId) -> bool {
        let literal = self.literals.get(formula.index()).copied().flatten();
        literal.is_some_and(|literal| self.sat.value_lit(literal) == lbool::TRUE)
    }

    /// The atoms that make the formulas hold in the model: of a conjunction that fails, one part.
    fn choice(&self, formulas: &Formulas, assumed: &[FormulaId]) -> Choice {
        let mut seen = vec![false; self.literals.len()];
        let mut atoms = Vec::new();
        let mut open = [&self.required, assumed].concat();
        while let Some(next) = open.pop() {
            match seen.get_mut(next.index()) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            match formulas.node(next) {
                Node::True => {}
                Node::Atom(atom) => atoms.push((*atom, self.is_true(next))),
                Node::Not(inner) => open.push(*inner),
                Node::And(parts) if self.is_true(next) => open.extend(parts),
                Node::And(parts) => {
                    let fails = |part: &&FormulaId| !self.is_true(**part);
                    let mut failing = parts.iter().filter(fails);
                    let one = failing
                        .clone()
                        .find(|part| seen.get(part.index()) == Some(&true))
                        .or_else(|| failing.clone().find(|part| !self.holds_empty(**part)))
                        .or_else(|| failing.next());
                    open.extend(one);
                }
            }
        }
        atoms.sort_unstable();
        Choice { atoms }
    }

    /// The parts of a collection whose presence the search decides.
    fn parts_of(&self, collection: CollectionId) -> Vec<FormulaId> {
        let parts = self.atoms.keys().filter_map(|atom| match atom {
            Atom::Some(own, of) if *own == collection => Some(*of),
            _ => None,
        });
        let mut parts: Vec<FormulaId> = parts.collect();
        parts.sort_unstable();
        parts
    }

    /// Learns that these choices can't hold together.
    fn refuse(&mut self, wrong: impl Iterator<Item = (Atom, bool)>) {
        let mut clause: Vec<Lit> = wrong
            .filter_map(|(atom, holds)| {
                let literal = *self.atoms.get(&atom)?;
                Some(if holds { !literal } else { literal })
            })
            .collect();
        self.sat.add_clause_reuse(&mut clause);
    }
}
