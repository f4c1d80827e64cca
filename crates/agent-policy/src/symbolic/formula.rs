//! Boolean formulas over the facts of an abstract object, shared as a graph.
//!
//! An object is an action, or one of its parts: a path, a host, a step. It has yes-or-no facts,
//! texts, and collections of parts, which are objects again. So a formula about an action can say
//! "some path is written and matches `*.pem`".

use super::language::{LanguageId, Languages};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A formula of a [`Formulas`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FormulaId(u32);

impl FormulaId {
    /// Its place among all formulas.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A yes-or-no fact of an object.
pub(super) type FactId = u32;

/// A text of an object, by its place in it.
pub(super) type TextSlot = u8;

/// A collection of parts of an object.
pub(super) type CollectionId = u8;

/// What a formula can say about an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Atom {
    Fact(FactId),
    /// A text of the object is in the language.
    Text(TextSlot, LanguageId),
    /// The formula holds for some part in the collection.
    Some(CollectionId, FormulaId),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Node {
    True,
    Atom(Atom),
    Not(FormulaId),
    And(Vec<FormulaId>),
}

/// An object with all its facts. What isn't listed is false, empty or missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) facts: BTreeSet<FactId>,
    pub(super) texts: BTreeMap<TextSlot, String>,
    pub(super) parts: BTreeMap<CollectionId, Vec<Object>>,
    /// Languages that can't be analysed, and that the texts are taken to be in.
    pub(super) opaque: BTreeSet<(TextSlot, LanguageId)>,
}

/// All formulas of an analysis. Equal formulas have the same id.
#[derive(Debug)]
pub(super) struct Formulas {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, FormulaId>,
}

/// The formula that always holds.
pub(super) const TRUE: FormulaId = FormulaId(0);

impl Formulas {
    pub(super) fn new() -> Self {
        let mut all = Self {
            nodes: Vec::new(),
            ids: FxHashMap::default(),
        };
        all.intern(Node::True);
        all
    }

    fn intern(&mut self, node: Node) -> FormulaId {
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = FormulaId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    pub(super) fn node(&self, id: FormulaId) -> &Node {
        self.nodes.get(id.0 as usize).unwrap_or(&Node::True)
    }

    /// The formula that never holds.
    pub(super) fn never(&mut self) -> FormulaId {
        self.not(TRUE)
    }

    pub(super) fn fact(&mut self, fact: FactId) -> FormulaId {
        self.intern(Node::Atom(Atom::Fact(fact)))
    }

    pub(super) fn text(&mut self, slot: TextSlot, language: LanguageId) -> FormulaId {
        self.intern(Node::Atom(Atom::Text(slot, language)))
    }

    /// The formula holds for some part.
    pub(super) fn some(&mut self, collection: CollectionId, of: FormulaId) -> FormulaId {
        if of == self.never() {
            return of;
        }
        self.intern(Node::Atom(Atom::Some(collection, of)))
    }

    /// The formula holds for every part; it does if there is none.
    pub(super) fn every(&mut self, collection: CollectionId, of: FormulaId) -> FormulaId {
        let other = self.not(of);
        let some = self.some(collection, other);
        self.not(some)
    }

    pub(super) fn not(&mut self, of: FormulaId) -> FormulaId {
        match self.node(of) {
            Node::Not(inner) => *inner,
            _ => self.intern(Node::Not(of)),
        }
    }

    pub(super) fn and(&mut self, parts: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        let never = self.never();
        let mut all = BTreeSet::new();
        for part in parts {
            match self.node(part) {
                Node::True => {}
                Node::And(inner) => all.extend(inner.iter().copied()),
                _ => {
                    all.insert(part);
                }
            }
        }
        let contradicts = all
            .iter()
            .any(|part| matches!(self.node(*part), Node::Not(inner) if all.contains(inner)));
        if contradicts || all.contains(&never) {
            return never;
        }
        match all.len() {
            0 => TRUE,
            1 => all.first().copied().unwrap_or(TRUE),
            _ => self.intern(Node::And(all.into_iter().collect())),
        }
    }

    /// Both formulas hold. A long chain of these takes a node for each link, where [`Self::and`]
    /// lists all links before it in each.
    pub(super) fn both(&mut self, one: FormulaId, other: FormulaId) -> FormulaId {
        let never = self.never();
        let not = self.not(one);
        if one == never || other == never || not == other {
            return never;
        }
        match (one, other) {
            (TRUE, rest) | (rest, TRUE) => rest,
            (one, other) if one == other => one,
            (one, other) => self.intern(Node::And(vec![one.min(other), one.max(other)])),
        }
    }

    pub(super) fn or(&mut self, parts: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        let none: Vec<FormulaId> = parts.into_iter().map(|part| self.not(part)).collect();
        let none = self.and(none);
        self.not(none)
    }

    pub(super) fn implies(&mut self, one: FormulaId, other: FormulaId) -> FormulaId {
        let not = self.not(one);
        self.or([not, other])
    }

    /// The facts that a formula is about, of the object and of its parts.
    pub(super) fn facts(&self, formula: FormulaId) -> BTreeSet<FactId> {
        let (mut facts, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![formula]);
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            match self.node(next) {
                Node::True | Node::Atom(Atom::Text(..)) => {}
                Node::Atom(Atom::Fact(fact)) => {
                    facts.insert(*fact);
                }
                Node::Not(inner) | Node::Atom(Atom::Some(_, inner)) => open.push(*inner),
                Node::And(parts) => open.extend(parts),
            }
        }
        facts
    }

    /// The formula with other facts of the object in place of some. Parts stay as they are.
    pub(super) fn rename(
        &mut self,
        formula: FormulaId,
        facts: &HashMap<FactId, FactId>,
    ) -> FormulaId {
        self.renamed(formula, facts, &mut HashMap::new())
    }

    fn renamed(
        &mut self,
        formula: FormulaId,
        facts: &HashMap<FactId, FactId>,
        known: &mut HashMap<FormulaId, FormulaId>,
    ) -> FormulaId {
        if let Some(new) = known.get(&formula) {
            return *new;
        }
        let new = match self.node(formula).clone() {
            Node::Atom(Atom::Fact(fact)) => {
                let fact = facts.get(&fact).copied().unwrap_or(fact);
                self.fact(fact)
            }
            Node::True | Node::Atom(_) => formula,
            Node::Not(inner) => {
                let inner = self.renamed(inner, facts, known);
                self.not(inner)
            }
            Node::And(parts) => {
                let parts: Vec<FormulaId> = parts
                    .into_iter()
                    .map(|part| self.renamed(part, facts, known))
                    .collect();
                self.and(parts)
            }
        };
        known.insert(formula, new);
        new
    }
}

/// Evaluates formulas for one object, each of them once.
pub(super) struct Evaluation<'a> {
    formulas: &'a Formulas,
    languages: &'a Languages,
    object: &'a Object,
    known: FxHashMap<FormulaId, bool>,
    /// The parts of the object, by collection.
    parts: Vec<(CollectionId, Vec<Evaluation<'a>>)>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(
        formulas: &'a Formulas,
        languages: &'a Languages,
        object: &'a Object,
    ) -> Self {
        let part = |part| Evaluation::new(formulas, languages, part);
        let parts = object.parts.iter();
        Self {
            formulas,
            languages,
            object,
            known: FxHashMap::default(),
            parts: parts
                .map(|(collection, all)| (*collection, all.iter().map(part).collect()))
                .collect(),
        }
    }

    /// Whether the formula holds for the object.
    pub(super) fn holds(&mut self, formula: FormulaId) -> bool {
        let node = self.formulas.node(formula);
        match node {
            Node::True => return true,
            Node::Not(inner) => return !self.holds(*inner),
            Node::Atom(Atom::Fact(fact)) => return self.object.facts.contains(fact),
            Node::And(_) | Node::Atom(_) => {}
        }
        if let Some(holds) = self.known.get(&formula) {
            return *holds;
        }
        self.languages.count(1);
        let holds = match node {
            Node::And(parts) => parts.iter().all(|part| self.holds(*part)),
            Node::Atom(Atom::Text(slot, language)) => {
                let text = self.object.texts.get(slot).map_or("", String::as_str);
                self.object.opaque.contains(&(*slot, *language))
                    || self.languages.contains(*language, text).unwrap_or(false)
            }
            Node::Atom(Atom::Some(collection, of)) => {
                let parts = self.parts.iter_mut().find(|(own, _)| own == collection);
                parts.is_some_and(|(_, parts)| parts.iter_mut().any(|part| part.holds(*of)))
            }
            Node::True | Node::Not(_) | Node::Atom(Atom::Fact(_)) => false,
        };
        self.known.insert(formula, holds);
        holds
    }
}
