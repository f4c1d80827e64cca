//! Two policies beside each other: which actions does the newer one treat milder, which stricter?
//!
//! A search, and no proof: what is asked about are given actions and ones made from the words of both.

use super::action::Action;
use super::effect::Effect;
use super::fuzz::{Effort, strategy, test_runner};
use super::model::{Policy, Rule};
use super::request::{History, Request};
use proptest::strategy::{Strategy, ValueTree};
use serde::Serialize;
use std::collections::BTreeMap;

/// Kinds of difference that are kept; each is shrunk, which takes time.
const MAX_KINDS: usize = 100;
/// Steps of shrinking for one difference.
const MAX_STEPS: usize = 400;

/// A kind of difference: what one rule of each policy says of the same actions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Kind {
    /// What the base says.
    pub base: Effect,
    /// What the head says.
    pub head: Effect,
    /// The rule of the base; `default` when none matched.
    pub base_rule: String,
    /// The rule of the head.
    pub head_rule: String,
}

impl Kind {
    /// Whether the head is milder.
    #[must_use]
    pub fn is_milder(&self) -> bool {
        self.head < self.base
    }
}

/// The actions of one kind of difference.
#[derive(Debug, Clone)]
pub struct Difference {
    /// How many of the actions that were asked about.
    pub count: u64,
    /// The smallest of them that was found.
    pub witness: Action,
    /// What the head says of it, and why.
    pub reason: String,
}

/// How a rule changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Only the head has it.
    Added,
    /// Only the base has it.
    Removed,
    /// Both have it, and these parts differ.
    Changed(Vec<&'static str>),
}

/// What a comparison came to.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Actions that were made and asked about.
    pub made: u64,
    /// Actions that were given and asked about.
    pub given: u64,
    /// The differences, by kind.
    pub differences: BTreeMap<Kind, Difference>,
    /// Actions that differ in kinds beyond those that are kept.
    pub left_out: u64,
    /// The rules that changed, by id: those of the head in its order, then the removed ones.
    pub rules: Vec<(String, Change)>,
}

struct Search<'p> {
    base: &'p Policy,
    head: &'p Policy,
    history: History,
    found: Comparison,
}

/// Compares two policies on the given actions and on made ones.
#[must_use]
pub fn compare(base: &Policy, head: &Policy, given: &[Action], effort: &Effort) -> Comparison {
    let rules = changes(base, head);
    let found = Comparison { made: 0, given: 0, differences: BTreeMap::new(), left_out: 0, rules };
    let mut search = Search { base, head, history: History::default(), found };
    for action in given {
        search.found.given += 1;
        if let Some(kind) = search.differ(action) {
            search.keep(kind, action);
        }
    }
    for (number, words) in [head, base].into_iter().enumerate() {
        let mut runner = test_runner(effort.seed, number as u64, effort.cases);
        let strategy = strategy::actions(words, given);
        for _ in 0..effort.cases / 2 {
            let Ok(mut tree) = strategy.new_tree(&mut runner) else { continue };
            search.found.made += 1;
            let Some(kind) = search.differ(&tree.current()) else { continue };
            let new = !search.found.differences.contains_key(&kind) && search.found.differences.len() < MAX_KINDS;
            let witness = if new { search.shrink(&mut tree, &kind) } else { tree.current() };
            search.keep(kind, &witness);
        }
    }
    search.found
}

impl Search<'_> {
    fn differ(&self, action: &Action) -> Option<Kind> {
        let request = Request::new(action, &self.history);
        let (base, head) = (self.base.decide(&request), self.head.decide(&request));
        (base.effect != head.effect).then(|| Kind {
            base: base.effect,
            head: head.effect,
            base_rule: base.rule_id().to_owned(),
            head_rule: head.rule_id().to_owned(),
        })
    }

    /// The smallest action of the same kind that simplifying leads to.
    fn shrink(&self, tree: &mut impl ValueTree<Value = Action>, kind: &Kind) -> Action {
        let mut best = tree.current();
        for _ in 0..MAX_STEPS {
            if !tree.simplify() {
                break;
            }
            let smaller = tree.current();
            if self.differ(&smaller).as_ref() == Some(kind) {
                best = smaller;
            } else if !tree.complicate() {
                break;
            }
        }
        best
    }

    fn keep(&mut self, kind: Kind, action: &Action) {
        let size = |a: &Action| a.payload.to_string().len();
        let reason = self.head.decide(&Request::new(action, &self.history)).reason().into_owned();
        if let Some(known) = self.found.differences.get_mut(&kind) {
            known.count += 1;
            if size(action) < size(&known.witness) {
                known.witness = action.clone();
                known.reason = reason;
            }
        } else if self.found.differences.len() < MAX_KINDS {
            self.found.differences.insert(kind, Difference { count: 1, witness: action.clone(), reason });
        } else {
            self.found.left_out += 1;
        }
    }
}

/// The rules that changed, without asking what that does.
fn changes(base: &Policy, head: &Policy) -> Vec<(String, Change)> {
    let mut all = Vec::new();
    for (index, rule) in head.rules.iter().enumerate() {
        match base.rules.iter().position(|r| r.id == rule.id) {
            None => all.push((rule.id.clone(), Change::Added)),
            Some(before) => {
                let parts = base.rules.get(before).map(|old| parts(old, rule)).unwrap_or_default();
                let moved = base.combine == super::Combine::FirstMatch && before_of(base, before) != before_of(head, index);
                let parts: Vec<&'static str> = parts.into_iter().chain(moved.then_some("order")).collect();
                if !parts.is_empty() {
                    all.push((rule.id.clone(), Change::Changed(parts)));
                }
            }
        }
    }
    let gone = base.rules.iter().filter(|r| head.rule(&r.id).is_none());
    all.extend(gone.map(|r| (r.id.clone(), Change::Removed)));
    all
}

/// The rule before one: when that is another, the rule has moved.
fn before_of(policy: &Policy, index: usize) -> Option<&str> {
    index.checked_sub(1).and_then(|i| policy.rules.get(i)).map(|r| r.id.as_str())
}

fn parts(old: &Rule, new: &Rule) -> Vec<&'static str> {
    let same_when = format!("{:?}", old.when) == format!("{:?}", new.when);
    [
        ("when", !same_when),
        ("limits", old.limits != new.limits),
        ("effect", old.effect != new.effect),
        ("reason", old.reason != new.reason),
        ("description", old.description != new.description),
    ]
    .into_iter()
    .filter_map(|(part, differs)| differs.then_some(part))
    .collect()
}
