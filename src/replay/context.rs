//! Context that an execution's thoughts were given, and references to it.

use super::budget::Budget;
use super::context_overlap::Sources;
use super::truncation;
use crate::trace::action::{self, plain_path};
use crate::trace::formats::FormatRecord;
use crate::trace::injected::{self, SnapshotMetadata};
use crate::trace::record::{ContextDiff, ContextSnapshot, Payload, SnapshotItem, Turn};
use crate::trace::recover::Recovered;
use crate::trace::typed_reference::{Declared, TypedReference, is_among};
use crate::trace::v1::Record;
use governance::ActionType;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use strict_json::Str;

/// A contradiction in what is recorded about the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextBreak {
    /// A thought refers to a path that isn't in its context.
    UnknownReference {
        path: String,
        /// Whether `usedContext` names it, rather than a text.
        declared: bool,
    },
    /// A diff doesn't match the snapshots before and after it.
    DiffMismatch {
        /// The mismatch, as a clause.
        what: String,
        /// Key of the claim and its path, independent of the wording.
        about: String,
    },
    /// An output looks truncated, but isn't marked as truncated.
    SilentCut { why: String },
    /// An action repeats the text of an item that its turn doesn't declare.
    Undeclared {
        /// Path of the item.
        path: String,
        /// The repeated text.
        text: String,
        /// Number of consecutive repeated tokens.
        tokens: usize,
    },
    /// The sections of an injected message aren't in the order of their confidence.
    SectionOrder {
        /// The heading that comes too late.
        section: &'static str,
        /// The less certain one before it.
        before: &'static str,
    },
    /// The context exceeds its budget.
    OverBudget {
        /// Tokens of its items, as recorded.
        recorded: u64,
        /// Tokens counted in the messages' text; `None` when there is none.
        counted: Option<u64>,
        /// The budget in tokens.
        limit: u64,
        /// Name of the tokenizer that counted.
        tokenizer: &'static str,
    },
}

/// Hashes of items by path. `None` means that only a diff names the item, so its hash is unknown.
type Items = BTreeMap<String, Option<String>>;

/// The items of the last context (`None` until a record lists them), and outputs that followed.
#[derive(Debug, Default)]
pub(crate) struct ContextTracker {
    items: Option<Items>,
    /// Presence of paths according to diffs, while no record lists the items.
    presence: BTreeMap<String, bool>,
    /// Whether a diff had no snapshot to be compared with.
    unchecked: bool,
    /// Why the last output looks truncated; its observation may still mark it as truncated.
    cut: Option<String>,
    sources: Sources,
    budget: Budget,
}

impl ContextTracker {
    /// Returns an estimate of the heap bytes that it owns.
    pub(super) fn weight(&self) -> usize {
        let items: usize = self
            .items
            .iter()
            .flatten()
            .map(|(path, hash)| path.len() + hash.as_ref().map_or(0, String::len) + 96)
            .sum();
        let told: usize = self.presence.keys().map(|path| path.len() + 96).sum();
        items + told + self.sources.weight()
    }

    /// Drops the texts of items. Undeclared use is no longer found; no other check needs them.
    pub(super) fn drop_texts(&mut self) {
        self.sources = Sources::default();
    }

    /// Applies what a record contains about the context. `budget` is the caller's budget.
    pub(crate) fn note(&mut self, record: &Record<'_>, budget: Option<u64>) -> Vec<ContextBreak> {
        let mut breaks = Vec::new();
        match record {
            Record::ExecutionStarted(r) => self.sources.asked(&r.root_intent.decode()),
            Record::ThoughtGenerated(r) => {
                self.apply_snapshot(r.context_snapshot.as_ref(), None, budget, &mut breaks);
                let action = r.thought.action.as_ref().map(|a| (a.kind, a.payload));
                self.thought(
                    r.used_context.as_deref(),
                    r.thought.reasoning,
                    action,
                    &mut breaks,
                );
            }
            Record::ActionProposed(r) => {
                self.before_execution(Some((r.action.kind, r.action.payload)));
            }
            Record::GovernanceDecided(r) => {
                self.before_execution(
                    r.decision
                        .modified_action
                        .as_ref()
                        .map(|a| (a.kind, a.payload)),
                );
            }
            Record::ExecutionFinished(r) => {
                let marked = r.result.truncated == Some(true);
                self.cut = if marked {
                    None
                } else {
                    truncation::written_looks_cut(r.result.output)
                };
                self.before_execution(r.action.as_ref().map(|a| (a.kind, a.payload)));
                self.after_execution(r.result.success, r.result.output);
            }
            Record::ObservationRecorded(r) => self.observed(r.observation.truncated, &mut breaks),
            Record::ContextChanged(r) => {
                self.changed(&r.diff, &r.snapshot.items, &mut breaks);
                self.check_budget(
                    r.snapshot.metadata,
                    &r.snapshot.items,
                    &[],
                    budget,
                    &mut breaks,
                );
            }
            Record::Turn(turn) => self.turn(turn, budget, &mut breaks),
            Record::Execution(execution) => {
                self.sources.asked(&execution.root_intent.decode());
                for turn in &execution.turns {
                    self.turn(turn, budget, &mut breaks);
                }
            }
            _ => {}
        }
        breaks
    }

    /// Like [`Self::note`], for a record that violates its schema.
    pub(crate) fn note_recovered(
        &mut self,
        record: &Recovered<'_>,
        budget: Option<u64>,
    ) -> Vec<ContextBreak> {
        let mut breaks = Vec::new();
        for turn in record.turns() {
            match turn {
                Some(turn) => self.turn(turn, budget, &mut breaks),
                None => self.lose(),
            }
        }
        breaks
    }

    /// Like [`Self::note`], for a record of another format. A turn without a context diff may not
    /// have been compared with the turn before.
    pub(crate) fn note_native(&mut self, record: &dyn FormatRecord<'_>) -> Vec<ContextBreak> {
        let mut breaks = Vec::new();
        match record.context_diff() {
            Some(diff) => self.apply_diff(&diff, &mut breaks),
            None => self.presence.clear(),
        }
        breaks
    }

    /// Handles an unreadable record: the context's items and the marks of outputs are no longer
    /// known.
    pub(crate) fn lose(&mut self) {
        self.items = None;
        self.presence.clear();
        self.cut = None;
    }

    fn turn(&mut self, turn: &Turn<'_>, budget: Option<u64>, breaks: &mut Vec<ContextBreak>) {
        self.apply_snapshot(
            Some(&turn.context_snapshot),
            turn.context_diff.as_ref(),
            budget,
            breaks,
        );
        if let Some(result) = turn
            .execution_result
            .as_ref()
            .filter(|r| r.truncated != Some(true))
        {
            self.cut = truncation::written_looks_cut(result.output);
            self.observed(turn.observation.as_ref().and_then(|o| o.truncated), breaks);
        }
        let mut thoughts = turn
            .thought
            .iter()
            .chain(turn.thoughts.iter().flatten())
            .peekable();
        let proposed = turn.proposed_action.as_ref().map(|a| (a.kind, a.payload));
        if thoughts.peek().is_none() {
            self.thought(
                turn.used_context.as_deref(),
                Str::plain(""),
                proposed,
                breaks,
            );
        }
        for thought in thoughts {
            let action = thought.action.as_ref().map(|a| (a.kind, a.payload));
            let used = thought
                .used_context
                .as_deref()
                .or(turn.used_context.as_deref());
            self.thought(used, thought.reasoning, action, breaks);
        }
        self.before_execution(proposed);
        self.before_execution(
            turn.governance
                .as_ref()
                .and_then(|g| g.modified_action.as_ref())
                .map(|a| (a.kind, a.payload)),
        );
        if let Some(result) = &turn.execution_result {
            self.before_execution(result.action.as_ref().map(|a| (a.kind, a.payload)));
            self.after_execution(result.success, result.output);
        }
    }

    /// Handles an action about to be executed, which may read an item's file. Does nothing until a
    /// record lists items.
    fn before_execution(&mut self, action: Option<(ActionType, Payload<'_>)>) {
        if let Some((kind, payload)) = action.filter(|_| self.items.is_some()) {
            self.sources.before_execution(kind, payload);
        }
    }

    fn after_execution(&mut self, success: bool, output: Str<'_>) {
        if self.items.is_some() {
            self.sources.after_execution(success, &output.decode());
        }
    }

    /// Reports a truncated output, unless its observation marks it. No later record can mark it.
    fn observed(&mut self, truncated: Option<bool>, breaks: &mut Vec<ContextBreak>) {
        if let Some(why) = self.cut.take().filter(|_| truncated != Some(true)) {
            breaks.push(ContextBreak::SilentCut { why });
        }
    }

    fn apply_snapshot(
        &mut self,
        snapshot: Option<&ContextSnapshot<'_>>,
        diff: Option<&ContextDiff<'_>>,
        budget: Option<u64>,
        breaks: &mut Vec<ContextBreak>,
    ) {
        let Some(snapshot) = snapshot else { return };
        let carrying = snapshot
            .recent_messages
            .as_ref()
            .map_or(&[][..], |m| &m.carrying);
        let items = snapshot.items.as_deref();
        match (items, diff) {
            (Some(items), Some(diff)) => self.changed(diff, items, breaks),
            (Some(items), None) => {
                self.presence.clear();
                self.items = Some(by_path(items));
            }
            (None, Some(diff)) => {
                self.apply_diff(&[&diff.added, &diff.removed, &diff.changed], breaks);
            }
            (None, None) => {}
        }
        let misplaced = carrying
            .iter()
            .find_map(|message| injected::misplaced_section(&message.decode()));
        if let Some((section, before)) = misplaced {
            breaks.push(ContextBreak::SectionOrder { section, before });
        }
        if items.is_some() {
            for message in carrying {
                self.sources.carried(&message.decode());
            }
        }
        self.check_budget(
            snapshot.metadata,
            snapshot.items.as_deref().unwrap_or_default(),
            carrying,
            budget,
            breaks,
        );
    }

    /// Compares a context with its budget.
    fn check_budget(
        &mut self,
        metadata: Option<SnapshotMetadata<'_>>,
        items: &[SnapshotItem<'_>],
        messages: &[Str<'_>],
        budget: Option<u64>,
        breaks: &mut Vec<ContextBreak>,
    ) {
        self.budget.stated(metadata);
        breaks.extend(self.budget.check(
            budget,
            items,
            messages.iter().map(|m| m.decode().into_owned()),
        ));
    }

    /// Checks the references of a thought and the items that its action repeats.
    fn thought(
        &mut self,
        used: Option<&[Str<'_>]>,
        reasoning: Str<'_>,
        action: Option<(ActionType, Payload<'_>)>,
        breaks: &mut Vec<ContextBreak>,
    ) {
        let answer = action.and_then(|(kind, payload)| answer(kind, &payload));
        self.references(used, reasoning, answer.as_deref(), breaks);
        let (Some(items), Some((kind, payload))) = (&self.items, action) else {
            return;
        };
        let mut declared = Declared::default();
        for path in used.unwrap_or_default() {
            declared.add(&path.distinct());
        }
        injected::references(&reasoning.decode()).for_each(|path| declared.add(path));
        if let Some(answer) = &answer {
            for path in injected::declared(answer) {
                declared.add(&path);
            }
        }
        let undeclared =
            self.sources
                .undeclared(kind, payload, &|path| items.contains_key(path), &declared);
        breaks.extend(undeclared.into_iter().map(|u| ContextBreak::Undeclared {
            path: u.path,
            text: u.text,
            tokens: u.tokens,
        }));
    }

    /// Compares a diff with the snapshot after it, and with the one before if that is known.
    fn changed(
        &mut self,
        diff: &ContextDiff<'_>,
        items: &[SnapshotItem<'_>],
        breaks: &mut Vec<ContextBreak>,
    ) {
        let after = by_path(items);
        let said = DiffPaths::from([&*diff.added, &diff.removed, &diff.changed]);
        let mut wrong = Vec::new();
        if let Some(before) = &self.items {
            let real = |keep: &dyn Fn(&String) -> bool| {
                before
                    .keys()
                    .chain(after.keys())
                    .filter(|p| keep(p))
                    .cloned()
                    .collect::<BTreeSet<String>>()
            };
            // If a hash is unknown, the diff is trusted.
            let differs = |p: &String| match (before.get(p), after.get(p)) {
                (Some(Some(a)), Some(Some(b))) => a != b,
                (Some(_), Some(_)) => said.changed.contains(p),
                _ => false,
            };
            let really = [
                ("added", &said.added, real(&|p| !before.contains_key(p))),
                ("removed", &said.removed, real(&|p| !after.contains_key(p))),
                ("changed", &said.changed, real(&differs)),
            ];
            for (word, said, real) in really {
                wrong.extend(said.difference(&real).map(|p| false_claim(p, word)));
                wrong.extend(real.difference(said).map(|p| missing_claim(p, word)));
            }
        } else {
            let present = said.added.iter().chain(&said.changed);
            wrong.extend(present.filter(|p| !after.contains_key(*p)).map(|p| {
                mismatch(
                    format!("the diff lists `{p}` as added or changed, but the snapshot lacks it"),
                    format!("absent {p}"),
                )
            }));
            let left = said.removed.iter().filter(|p| after.contains_key(*p));
            wrong.extend(left.map(|p| {
                mismatch(
                    format!("the diff lists `{p}` as removed, but the snapshot contains it"),
                    format!("present {p}"),
                )
            }));
            self.contradict_presence(&said, &mut wrong);
            said.contradictions(&mut wrong);
            for (path, there) in &self.presence {
                let (word, said) = if *there {
                    ("removed", &said.removed)
                } else {
                    ("added", &said.added)
                };
                if after.contains_key(path) != *there && !said.contains(path) {
                    wrong.push(missing_claim(path, word));
                }
            }
        }
        breaks.append(&mut wrong);
        self.presence.clear();
        self.items = Some(after);
    }

    /// Applies a diff (added, removed, changed) without a snapshot. It can be compared only with
    /// itself and with earlier diffs.
    pub(crate) fn apply_diff(&mut self, diff: &[&[Str<'_>]; 3], breaks: &mut Vec<ContextBreak>) {
        let said = DiffPaths::from(*diff);
        self.unchecked |= diff.iter().any(|list| !list.is_empty());
        said.contradictions(breaks);
        let Some(items) = &mut self.items else {
            self.contradict_presence(&said, breaks);
            self.presence.extend(said.presence());
            return;
        };
        let there = said.added.iter().filter(|p| items.contains_key(*p));
        breaks.extend(there.map(|p| false_claim(p, "added")));
        for (word, said) in [("removed", &said.removed), ("changed", &said.changed)] {
            let gone = said.iter().filter(|p| !items.contains_key(*p));
            breaks.extend(gone.map(|p| false_claim(p, word)));
        }
        for (path, present) in said.presence() {
            if present {
                items.insert(path, None);
            } else {
                items.remove(&path);
            }
        }
    }

    /// Compares a diff with earlier ones.
    fn contradict_presence(&self, said: &DiffPaths, wrong: &mut Vec<ContextBreak>) {
        let told = |p: &String, present| self.presence.get(p) == Some(&present);
        let there = said.added.iter().filter(|p| told(p, true));
        wrong.extend(there.map(|p| false_claim(p, "added")));
        for (word, said) in [("removed", &said.removed), ("changed", &said.changed)] {
            let gone = said.iter().filter(|p| told(p, false));
            wrong.extend(gone.map(|p| false_claim(p, word)));
        }
    }

    /// Returns whether a diff had no snapshot to be compared with.
    pub(crate) const fn has_unchecked_diff(&self) -> bool {
        self.unchecked
    }

    /// Checks the paths that a thought declares and those that its texts refer to. While no record
    /// lists the items, only a path that a diff removed is known to be absent.
    fn references(
        &self,
        used: Option<&[Str<'_>]>,
        reasoning: Str<'_>,
        answer: Option<&str>,
        breaks: &mut Vec<ContextBreak>,
    ) {
        let absent = |reference: &str| {
            if let Some(items) = &self.items {
                return !is_among(reference, |text| {
                    let from = (Bound::Included(text), Bound::Unbounded);
                    let mut items = items.range::<str, _>(from);
                    items.next().map(|(path, _)| path.as_str())
                });
            }
            let told = |path: &str| self.presence.get(path);
            let typed = || told(&TypedReference::parse(reference)?.path);
            told(&plain_path(reference)).or_else(typed) == Some(&false)
        };
        if self.items.is_none() && self.presence.is_empty() {
            return;
        }
        let mut seen = BTreeSet::new();
        let mut look = |path: &str, declared: bool| {
            let is_absent = absent(path);
            let path = plain_path(path).into_owned();
            if is_absent && seen.insert(path.clone()) {
                breaks.push(ContextBreak::UnknownReference { path, declared });
            }
        };
        for path in used.unwrap_or_default() {
            look(&path.distinct(), true);
        }
        injected::references(&reasoning.decode()).for_each(|path| look(path, false));
        injected::references(answer.unwrap_or_default()).for_each(|path| look(path, false));
    }
}

/// Paths of the three lists of a diff.
struct DiffPaths {
    added: BTreeSet<String>,
    removed: BTreeSet<String>,
    changed: BTreeSet<String>,
}

impl From<[&[Str<'_>]; 3]> for DiffPaths {
    fn from(lists: [&[Str<'_>]; 3]) -> Self {
        let [added, removed, changed] = lists.map(|list| {
            list.iter()
                .map(|p| plain_path(&p.distinct()).into_owned())
                .collect()
        });
        Self {
            added,
            removed,
            changed,
        }
    }
}

impl DiffPaths {
    /// Returns each path and whether it is present after the diff.
    fn presence(&self) -> impl Iterator<Item = (String, bool)> {
        let gone = self.removed.iter().map(|p| (p.clone(), false));
        let there = self.added.iter().chain(&self.changed);
        gone.chain(there.map(|p| (p.clone(), true)))
    }

    /// Reports paths that are in two of the lists.
    fn contradictions(&self, wrong: &mut Vec<ContextBreak>) {
        let pairs = [
            (("added", &self.added), ("removed", &self.removed)),
            (("added", &self.added), ("changed", &self.changed)),
            (("removed", &self.removed), ("changed", &self.changed)),
        ];
        for ((word, one), (other_word, other)) in pairs {
            wrong.extend(one.intersection(other).map(|p| {
                mismatch(
                    format!("the diff lists `{p}` as {word} and as {other_word}"),
                    format!("{word} {other_word} {p}"),
                )
            }));
        }
    }
}

const fn mismatch(what: String, about: String) -> ContextBreak {
    ContextBreak::DiffMismatch { what, about }
}

/// Reports a change that the diff doesn't list.
fn missing_claim(path: &str, word: &str) -> ContextBreak {
    mismatch(
        format!("`{path}` was {word}, but the diff doesn't list it"),
        format!("{word} {path}"),
    )
}

/// Reports a change that the diff lists but that didn't happen.
fn false_claim(path: &str, word: &str) -> ContextBreak {
    mismatch(
        format!("the diff lists `{path}` as {word}, but it wasn't {word}"),
        format!("not {word} {path}"),
    )
}

fn by_path(items: &[SnapshotItem<'_>]) -> Items {
    items
        .iter()
        .map(|i| {
            (
                plain_path(&i.path.distinct()).into_owned(),
                Some(i.hash.distinct().into_owned()),
            )
        })
        .collect()
}

fn answer(kind: ActionType, payload: &Payload<'_>) -> Option<String> {
    (kind == ActionType::Answer).then(|| action::answer(payload.0))?
}
