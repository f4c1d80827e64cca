//! Reads a policy as formulas over abstract actions.
//!
//! This mirrors [`Condition::holds`] and its neighbours, key by key. A test asks the engine and the
//! formulas about the same actions.

use super::fact::Fact;
use super::formula::{CollectionId, FactId, FormulaId, Formulas, TRUE, TextSlot};
use super::glob_order::GlobOrder;
use super::language::{LanguageId, Languages, Pattern};
use super::options::{OptionTable, OptionVocabulary};
use super::shared::Shared;
use super::solver::Solver;
use crate::action::type_bit;
use crate::condition::{CommandTest, Condition, PathTest, Predicate, TurnRange, risk_bit};
use crate::effect::Effect;
use crate::facts::{CATEGORY_BITS, Category, HIDDEN, bit};
use crate::limit::Limit;
use crate::model::{Policy, Rule};
use crate::name::Name;
use crate::path::{Access, PathGlob};
use governance::{ActionType, RiskLevel};
use regex::Regex;
use rustc_hash::FxHashMap;
use shell_effects::EffectKind;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The texts of an action.
pub(super) const AGENT: TextSlot = 0;
pub(super) const MODE: TextSlot = 1;
pub(super) const LINE: TextSlot = 2;
pub(super) const PAYLOAD: TextSlot = 3;
/// The text of a part: its name, path or host.
pub(super) const NAME: TextSlot = 0;
/// The text of a request, in the part of its host.
pub(super) const REQUEST: TextSlot = 1;
/// The text of a step as written, and its words.
pub(super) const WRITTEN: TextSlot = 1;
pub(super) const WORDS: TextSlot = 2;

/// The collections of an action.
pub(super) const TOOLS: CollectionId = 0;
pub(super) const PATHS: CollectionId = 1;
pub(super) const HOSTS: CollectionId = 2;
pub(super) const STEPS: CollectionId = 3;
pub(super) const LINE_PARTS: CollectionId = 4;
pub(super) const PAYLOAD_PARTS: CollectionId = 5;
/// The arguments of a step.
pub(super) const ARGUMENTS: CollectionId = 6;

/// The family of the turn's number, next to those of limits.
pub(super) const TURN: &str = "turn";

/// Whether something holds: certainly, and possibly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Truth {
    pub(super) yes: FormulaId,
    pub(super) possible: FormulaId,
}

impl Truth {
    pub(super) const fn known(formula: FormulaId) -> Self {
        Self {
            yes: formula,
            possible: formula,
        }
    }
}

/// A rule as formulas.
#[derive(Debug, Clone, Copy)]
pub(super) struct EncodedRule {
    pub(super) matches: Truth,
    /// One of its limits is used up.
    pub(super) used_up: FormulaId,
    pub(super) effect: Effect,
}

/// What formulas state.
#[derive(Debug)]
pub(super) struct FactIndex {
    /// The facts, by their ids.
    facts: Vec<(Fact, FactId)>,
    ids: FxHashMap<Fact, FactId>,
    options: OptionVocabulary,
}

impl FactIndex {
    /// A fact with its id.
    pub(super) fn get(&self, id: FactId) -> Option<&(Fact, FactId)> {
        self.facts.get(usize::try_from(id).ok()?)
    }

    /// Whether formulas state a fact.
    pub(super) fn contains(&self, fact: &Fact) -> bool {
        self.ids.contains_key(fact)
    }

    /// What the table of programs says about the options of a program.
    pub(super) fn option_table(&self, program: &str) -> Option<&OptionTable> {
        self.options.table(program)
    }
}

/// Builds the formulas of policies.
#[derive(Debug)]
pub(super) struct Encoder {
    pub(super) formulas: Formulas,
    pub(super) languages: Languages,
    pub(super) shared: Arc<Shared>,
    facts: FxHashMap<Fact, FactId>,
    /// The limits that appear, and the turns, by family.
    limits: BTreeMap<&'static str, BTreeSet<u64>>,
    /// The globs that can't be analysed.
    pub(super) opaque: BTreeSet<String>,
    /// The names of programs that appear, and whether texts of commands do.
    pub(super) programs: BTreeSet<String>,
    pub(super) has_texts: bool,
    /// The options that appear.
    pub(super) options: OptionVocabulary,
    /// Whether patterns of requests appear.
    pub(super) has_requests: bool,
    /// Whether templates appear, which grant remotes.
    pub(super) has_remotes: bool,
}

/// Orders the counts of a limit: costs are positive floats, whose bits have the order of values.
fn threshold(limit: &Limit) -> u64 {
    match *limit {
        Limit::PerMinute(most)
        | Limit::PerHour(most)
        | Limit::PerExecution(most)
        | Limit::AllPerHour(most)
        | Limit::Busy(most) => most,
        Limit::Cost(most) => most.max(0.0).to_bits(),
    }
}

impl Encoder {
    pub(super) fn new() -> Self {
        Self::sharing(Arc::default())
    }

    /// An encoder that shares with others what is expensive.
    pub(super) fn sharing(shared: Arc<Shared>) -> Self {
        Self {
            formulas: Formulas::new(),
            languages: Languages::new(Arc::clone(&shared.automata)),
            shared,
            facts: FxHashMap::default(),
            limits: BTreeMap::new(),
            opaque: BTreeSet::new(),
            programs: BTreeSet::new(),
            has_texts: false,
            options: OptionVocabulary::default(),
            has_requests: false,
            has_remotes: false,
        }
    }

    pub(super) fn id(&mut self, fact: Fact) -> FactId {
        let next = FactId::try_from(self.facts.len()).unwrap_or(FactId::MAX);
        *self.facts.entry(fact).or_insert(next)
    }

    /// Whether a fact appears in formulas.
    pub(super) fn states(&self, fact: &Fact) -> bool {
        self.facts.contains_key(fact)
    }

    /// The facts that appear in formulas, with their ids.
    #[cfg(test)]
    pub(super) fn facts(&self) -> Vec<(Fact, FactId)> {
        self.facts
            .iter()
            .map(|(fact, id)| (fact.clone(), *id))
            .collect()
    }

    /// A solver for the formulas, and what they state.
    pub(super) fn into_solver(
        self,
        parts: Vec<(CollectionId, FormulaId)>,
        globs: GlobOrder,
    ) -> (Solver, FactIndex) {
        let mut solver = Solver::new(self.formulas, self.languages, globs);
        for (collection, axiom) in parts {
            solver.assume(collection, axiom);
        }
        let ids = self.facts;
        let mut facts: Vec<(Fact, FactId)> = ids.iter().map(|(f, id)| (f.clone(), *id)).collect();
        facts.sort_unstable_by_key(|(_, id)| *id);
        let options = self.options;
        let stated = FactIndex {
            facts,
            ids,
            options,
        };
        (solver, stated)
    }

    pub(super) fn fact(&mut self, fact: Fact) -> FormulaId {
        let id = self.id(fact);
        self.formulas.fact(id)
    }

    pub(super) fn any(&mut self, parts: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.formulas.or(parts)
    }

    pub(super) fn all(&mut self, parts: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.formulas.and(parts)
    }

    pub(super) fn not(&mut self, of: FormulaId) -> FormulaId {
        self.formulas.not(of)
    }

    /// The rules of a policy, in its order.
    pub(super) fn rules(&mut self, policy: &Policy) -> Vec<EncodedRule> {
        policy.rules.iter().map(|rule| self.rule(rule)).collect()
    }

    fn rule(&mut self, rule: &Rule) -> EncodedRule {
        let allows = rule.effect == Effect::Allow;
        let mut matches = self.condition(&rule.when, allows);
        if allows {
            let covered = self.covered(&rule.when);
            let not_yes = self.not(matches.yes);
            let maybe = self.all([matches.possible, not_yes]);
            matches.yes = self.all([matches.yes, covered]);
            matches.possible = self.any([maybe, matches.yes]);
        }
        let limits: Vec<FormulaId> = rule.limits.iter().map(|l| self.used_up(l)).collect();
        EncodedRule {
            matches,
            used_up: self.any(limits),
            effect: rule.effect,
        }
    }

    /// A condition; `strict` is the interpretation for rules that allow.
    pub(super) fn condition(&mut self, when: &Condition, strict: bool) -> Truth {
        match when {
            Condition::All(list) => {
                let all: Vec<Truth> = list.iter().map(|c| self.condition(c, strict)).collect();
                self.both(&all)
            }
            Condition::Any(list) => {
                let all: Vec<Truth> = list.iter().map(|c| self.condition(c, strict)).collect();
                self.either(&all)
            }
            Condition::Not(inner) => {
                let inner = self.condition(inner, !strict);
                self.opposite(inner)
            }
            Condition::Is(predicate, _) => self.predicate(predicate, strict),
        }
    }

    pub(super) fn both(&mut self, all: &[Truth]) -> Truth {
        Truth {
            yes: self.all(all.iter().map(|t| t.yes)),
            possible: self.all(all.iter().map(|t| t.possible)),
        }
    }

    fn either(&mut self, all: &[Truth]) -> Truth {
        Truth {
            yes: self.any(all.iter().map(|t| t.yes)),
            possible: self.any(all.iter().map(|t| t.possible)),
        }
    }

    fn opposite(&mut self, of: Truth) -> Truth {
        Truth {
            yes: self.not(of.possible),
            possible: self.not(of.yes),
        }
    }

    pub(super) fn predicate(&mut self, predicate: &Predicate, strict: bool) -> Truth {
        match predicate {
            Predicate::Type(bits) => Truth::known(self.kinds(*bits)),
            Predicate::Tool(names) => {
                let fits = self.names(names, strict);
                Truth::known(self.over(TOOLS, fits, strict))
            }
            Predicate::Category(bits) => self.categories(*bits, strict),
            Predicate::Effects(bits) => {
                let others = EffectKind::ALL
                    .into_iter()
                    .filter(|k| bit(*k) & bits == 0)
                    .map(bit);
                let (found, others) = (self.effects(*bits), self.effects(others.sum()));
                self.set(found, others, TRUE, strict)
            }
            Predicate::Risk(bits) => Truth::known(self.risk(*bits, strict)),
            Predicate::Agent(names) => {
                Truth::known(self.optional(Fact::HasAgent, AGENT, names, strict))
            }
            Predicate::Mode(names) => {
                Truth::known(self.optional(Fact::HasMode, MODE, names, strict))
            }
            Predicate::Production(production) => {
                let fact = self.fact(Fact::Production);
                Truth::known(if *production { fact } else { self.not(fact) })
            }
            Predicate::Pattern(regexes) => {
                let whole = self.regexes(PAYLOAD, regexes);
                let part = self.regexes(NAME, regexes);
                let parts = self.formulas.every(PAYLOAD_PARTS, part);
                Truth::known(if strict {
                    self.all([whole, parts])
                } else {
                    whole
                })
            }
            Predicate::Command(test) => self.command(test, strict),
            Predicate::Path(test) => self.path(test, strict),
            Predicate::Host(names) => {
                let fits = self.names(names, strict);
                self.contacts(Fact::Known, fits, strict)
            }
            Predicate::Network(patterns) => {
                let fits = self.requests(patterns, strict);
                self.contacts(Fact::KnownRequest, fits, strict)
            }
            Predicate::Turn(ranges) => self.turn(ranges),
            Predicate::ApprovedBefore => Truth::known(self.fact(Fact::ApprovedBefore)),
            Predicate::Granted(grants) => Truth::known(self.granted(grants)),
            Predicate::UsedUp(limit) => Truth::known(self.used_up(limit)),
        }
    }

    /// A formula for all parts, of which there is one, or for any of them.
    fn over(&mut self, collection: CollectionId, of: FormulaId, strict: bool) -> FormulaId {
        if strict {
            let (some, every) = (
                self.formulas.some(collection, TRUE),
                self.formulas.every(collection, of),
            );
            self.all([some, every])
        } else {
            self.formulas.some(collection, of)
        }
    }

    fn over_truth(&mut self, collection: CollectionId, of: Truth, strict: bool) -> Truth {
        Truth {
            yes: self.over(collection, of.yes, strict),
            possible: self.over(collection, of.possible, strict),
        }
    }

    pub(super) fn kinds(&mut self, bits: u8) -> FormulaId {
        use ActionType::{Answer, CodeDiff, ShellCmd, ToolCall};
        let known = [ToolCall, ShellCmd, CodeDiff, Answer].map(|k| type_bit(Some(k)));
        let facts = known.map(|kind| self.fact(Fact::Kind(kind)));
        let some = known
            .iter()
            .zip(facts)
            .filter(|(kind, _)| *kind & bits != 0)
            .map(|(_, fact)| fact);
        let mut any: Vec<FormulaId> = some.collect();
        if bits & type_bit(None) != 0 {
            let none = facts.map(|fact| self.not(fact));
            any.push(self.all(none));
        }
        self.any(any)
    }

    pub(super) fn effects(&mut self, bits: u32) -> FormulaId {
        let found: Vec<FormulaId> = EffectKind::ALL
            .into_iter()
            .filter(|kind| bit(*kind) & bits != 0)
            .map(|kind| self.fact(Fact::Effect(bit(kind))))
            .collect();
        self.any(found)
    }

    /// The action may do more than its effects say.
    pub(super) fn hides(&mut self) -> FormulaId {
        let (effects, cut) = (self.effects(HIDDEN), self.fact(Fact::Cut));
        self.any([effects, cut])
    }

    /// A test of a set: `found` is among the wanted ones, `others` aren't.
    fn set(&mut self, found: FormulaId, others: FormulaId, some: FormulaId, strict: bool) -> Truth {
        if strict {
            let (others, cut) = (self.not(others), self.fact(Fact::Cut));
            let whole = self.not(cut);
            return Truth::known(self.all([others, some, whole]));
        }
        let hides = self.hides();
        Truth {
            yes: found,
            possible: self.any([found, hides]),
        }
    }

    fn category(&mut self, part: u32) -> FormulaId {
        let kinds = EffectKind::ALL
            .into_iter()
            .filter(|kind| Category::bits_of(*kind) & part != 0)
            .map(bit);
        let effects = self.effects(kinds.sum());
        if part != Category::Execute.bit() {
            return effects;
        }
        let (shell, unparsed, steps) = (
            self.kinds(type_bit(Some(ActionType::ShellCmd))),
            self.fact(Fact::Unparsed),
            self.formulas.some(STEPS, TRUE),
        );
        self.any([effects, shell, unparsed, steps])
    }

    fn categories(&mut self, bits: u32, strict: bool) -> Truth {
        let mut found = Vec::new();
        let mut others = Vec::new();
        for part in CATEGORY_BITS {
            let formula = self.category(part);
            let list = if part & bits == 0 {
                &mut others
            } else {
                &mut found
            };
            list.push(formula);
        }
        let (found, others) = (self.any(found), self.any(others));
        let some = self.any([found, others]);
        self.set(found, others, some, strict)
    }

    fn risk(&mut self, bits: u8, strict: bool) -> FormulaId {
        const LEVELS: [RiskLevel; 3] = [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High];
        let wanted = LEVELS.map(risk_bit).into_iter().filter(|l| l & bits != 0);
        let wanted: Vec<FormulaId> = wanted.map(|level| self.fact(Fact::Risk(level))).collect();
        let whole = self.any(wanted);
        if !strict || matches!(bits, 1 | 3 | 7) {
            return whole;
        }
        let others = LEVELS.map(risk_bit).into_iter().filter(|l| l & bits == 0);
        let others: Vec<FormulaId> = others.map(|l| self.fact(Fact::PartRisk(l))).collect();
        let other = self.any(others);
        let each = self.not(other);
        self.all([whole, each])
    }

    fn optional(&mut self, has: Fact, slot: TextSlot, names: &[Name], strict: bool) -> FormulaId {
        let (has, fits) = (self.fact(has), self.names_in(slot, names, strict));
        self.all([has, fits])
    }

    /// The text of a part matches one of the names.
    pub(super) fn names(&mut self, names: &[Name], strict: bool) -> FormulaId {
        self.names_in(NAME, names, strict)
    }

    pub(super) fn names_in(&mut self, slot: TextSlot, names: &[Name], strict: bool) -> FormulaId {
        let mut fits = Vec::new();
        for name in names {
            match name {
                Name::Exact(text) => {
                    let language = self.languages.exactly(text, !strict);
                    fits.push(self.text(slot, language));
                }
                Name::Star(pattern) => {
                    let parts: Vec<String> = pattern.split('*').map(regex_syntax::escape).collect();
                    let language = self.languages.of(Pattern {
                        regex: format!("(?s)^(?:{})$", parts.join(".*")),
                        ignore_case: !strict,
                        unicode: false,
                    });
                    fits.push(self.text(slot, language));
                }
                Name::Regex(exact, blind) => {
                    fits.push(self.regexes(slot, std::slice::from_ref(exact)));
                    if !strict {
                        fits.push(self.regexes(slot, std::slice::from_ref(blind)));
                    }
                }
            }
        }
        self.any(fits)
    }

    /// The text matches one of the expressions.
    pub(super) fn regexes(&mut self, slot: TextSlot, regexes: &[Regex]) -> FormulaId {
        let mut fits = Vec::new();
        for regex in regexes {
            let language = self.languages.of(Pattern {
                regex: regex.as_str().to_owned(),
                ignore_case: false,
                unicode: true,
            });
            fits.push(self.text(slot, language));
        }
        self.any(fits)
    }

    pub(super) fn text(&mut self, slot: TextSlot, language: LanguageId) -> FormulaId {
        self.formulas.text(slot, language)
    }

    fn command(&mut self, test: &CommandTest, strict: bool) -> Truth {
        let mut raw = TRUE;
        if !test.raw.is_empty() {
            raw = self.regexes(LINE, &test.raw);
            if strict {
                let part = self.regexes(NAME, &test.raw);
                let each = self.formulas.every(LINE_PARTS, part);
                raw = self.all([raw, each]);
            }
        }
        let mut whole = Truth::known(raw);
        if !test.text.is_empty() {
            let texts = self.command_texts(&test.text, strict);
            whole = self.both(&[whole, texts]);
        }
        if !test.names_programs() {
            return whole;
        }
        let step = self.step(test, strict);
        let known = self.over_truth(STEPS, step, strict);
        let (hides, steps, unparsed, command) = (
            self.hides(),
            self.formulas.some(STEPS, TRUE),
            self.fact(Fact::Unparsed),
            self.fact(Fact::HasCommand),
        );
        let runs = self.any([steps, unparsed, command]);
        let unknown = self.all([hides, runs]);
        let without = self.fact(Fact::WithoutStep);
        let programs = self.known_or_hidden(known, TRUE, unknown, without, strict);
        self.both(&[programs, whole])
    }

    /// What is known of the parts, where others may be hidden, or a command may have none.
    fn known_or_hidden(
        &mut self,
        known: Truth,
        raw: FormulaId,
        hidden: FormulaId,
        without: FormulaId,
        strict: bool,
    ) -> Truth {
        if strict {
            let lacks = self.any([hidden, without]);
            let whole = self.not(lacks);
            return Truth {
                yes: self.all([known.yes, raw, whole]),
                possible: self.all([known.possible, raw, whole]),
            };
        }
        let possible = self.any([known.possible, hidden]);
        Truth {
            yes: self.all([known.yes, raw]),
            possible: self.all([possible, raw]),
        }
    }

    /// The text contains something that isn't known.
    pub(super) fn open(&mut self) -> FormulaId {
        self.open_in(NAME)
    }

    /// The words of a step contain something that isn't known.
    pub(super) fn unknown_words(&mut self) -> FormulaId {
        self.open_in(WORDS)
    }

    fn open_in(&mut self, slot: TextSlot) -> FormulaId {
        let hole = self.languages.of(Pattern {
            regex: regex_syntax::escape("$…"),
            ignore_case: false,
            unicode: true,
        });
        self.formulas.text(slot, hole)
    }

    /// All hosts, or one, fit where they are known.
    fn contacts(&mut self, known: Fact, fits: FormulaId, strict: bool) -> Truth {
        let known = self.fact(known);
        let fits = self.all([known, fits]);
        let unknown = self.not(known);
        let one = Truth {
            yes: fits,
            possible: if strict {
                fits
            } else {
                self.any([fits, unknown])
            },
        };
        let found = self.over_truth(HOSTS, one, strict);
        let (hides, without) = (self.hides(), self.fact(Fact::WithoutHost));
        self.known_or_hidden(found, TRUE, hides, without, strict)
    }

    fn path(&mut self, test: &PathTest, strict: bool) -> Truth {
        let one = self.one_path(test, strict);
        let found = self.over_truth(PATHS, one, strict);
        let (hides, without) = (self.hides(), self.fact(Fact::WithoutPath));
        self.known_or_hidden(found, TRUE, hides, without, strict)
    }

    fn one_path(&mut self, test: &PathTest, strict: bool) -> Truth {
        let mut all = Vec::new();
        if !test.access.is_empty() {
            all.push(Truth::known(self.access(&test.access)));
        }
        if !test.glob.is_empty() {
            all.push(self.globs(&test.glob, strict));
        }
        if !test.except.is_empty() {
            let except = self.globs(&test.except, !strict);
            all.push(self.opposite(except));
        }
        if let Some(outside) = test.outside {
            let (inside, not_inside) = (self.fact(Fact::Inside), self.fact(Fact::NotInside));
            let inside = Truth {
                yes: inside,
                possible: self.not(not_inside),
            };
            all.push(if outside {
                self.opposite(inside)
            } else {
                inside
            });
        }
        if let Some((wanted, globs)) = &test.protected {
            let listed = self.globs(globs, *wanted == strict);
            all.push(if *wanted {
                listed
            } else {
                self.opposite(listed)
            });
        }
        self.both(&all)
    }

    pub(super) fn access(&mut self, access: &[Access]) -> FormulaId {
        let any: Vec<FormulaId> = access.iter().map(|a| self.fact(Fact::Access(*a))).collect();
        self.any(any)
    }

    pub(super) fn globs(&mut self, globs: &[PathGlob], strict: bool) -> Truth {
        let all: Vec<Truth> = globs.iter().map(|glob| self.glob(glob, strict)).collect();
        self.either(&all)
    }

    fn glob(&mut self, glob: &PathGlob, strict: bool) -> Truth {
        let (known, wild, tree) = (
            self.fact(Fact::Known),
            self.fact(Fact::Wild),
            self.fact(Fact::Tree),
        );
        let covers = self.covers(glob, !strict, !strict || glob.is_folder());
        if strict {
            let plain = self.not(wild);
            return Truth::known(self.all([known, plain, covers]));
        }
        let may = self.fact(Fact::MayMatch(glob.key()));
        let spread = self.any([wild, tree]);
        let may = self.all([spread, may]);
        let unknown = self.not(known);
        let yes = self.all([known, covers]);
        Truth {
            yes,
            possible: self.any([unknown, yes, may]),
        }
    }

    /// The path itself matches the glob, or (`below`) a directory above it.
    fn covers(&mut self, glob: &PathGlob, blind: bool, below: bool) -> FormulaId {
        let Some(regex) = glob.expression(blind, below) else {
            self.opaque.insert(glob.text().to_owned());
            let text = format!("{} {blind} {below}", glob.text());
            return self.fact(Fact::Opaque(NAME, text));
        };
        let language = self.languages.of(Pattern {
            regex,
            ignore_case: false,
            unicode: false,
        });
        self.text(NAME, language)
    }

    fn used_up(&mut self, limit: &Limit) -> FormulaId {
        self.reached(limit.key(), threshold(limit))
    }

    /// A count of this family is at least `least`.
    fn reached(&mut self, family: &'static str, least: u64) -> FormulaId {
        if least == 0 {
            return TRUE;
        }
        self.limits.entry(family).or_default().insert(least);
        self.fact(Fact::UsedUp(family, least))
    }

    fn turn(&mut self, ranges: &[TurnRange]) -> Truth {
        let mut within = Vec::new();
        for range in ranges {
            let begun = self.reached(TURN, range.least);
            let over = range.most.checked_add(1);
            let over = match over {
                Some(next) => self.reached(TURN, next),
                None => self.not(TRUE),
            };
            let open = self.not(over);
            within.push(self.all([begun, open]));
        }
        let (has, within) = (self.fact(Fact::HasTurn), self.any(within));
        let yes = self.all([has, within]);
        let unknown = self.not(has);
        Truth {
            yes,
            possible: self.any([yes, unknown]),
        }
    }

    /// The counts of limits that appear, by family.
    pub(super) const fn limits(&self) -> &BTreeMap<&'static str, BTreeSet<u64>> {
        &self.limits
    }
}
