//! What an execution's thoughts were shown, and what they refer to.

use super::budget::Budget;
use super::context_overlap::Sources;
use super::truncation;
use crate::trace::action::{self, plain_path};
use crate::trace::formats::FormatRecord;
use crate::trace::injected::{self, SnapshotMetadata};
use crate::trace::record::{ContextDiff, ContextSnapshot, Payload, SnapshotItem, Turn};
use crate::trace::recover::Recovered;
use crate::trace::v1::Record;
use governance::ActionType;
use std::collections::{BTreeMap, BTreeSet};
use strict_json::Str;

/// Something about the context that can't be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextBreak {
    /// A thought refers to a path that isn't among what it was shown.
    UnknownReference {
        /// The path.
        path: String,
        /// Whether `usedContext` says it, and not a text.
        declared: bool,
    },
    /// A diff says something else than the snapshots before and after it.
    DiffMismatch {
        /// What, as a clause.
        what: String,
        /// Which claim and which path, whatever the words.
        about: String,
    },
    /// An output looks cut, and nothing says so.
    SilentCut {
        /// Why it looks cut.
        why: String,
    },
    /// An action repeats an item that its turn doesn't declare.
    Undeclared {
        /// The item.
        path: String,
        /// What is repeated.
        text: String,
        /// How many tokens in a row.
        tokens: usize,
    },
    /// The context is over its budget.
    OverBudget {
        /// Tokens of its items, as recorded.
        recorded: u64,
        /// Tokens of the text that messages carried; `None` when no message did.
        counted: Option<u64>,
        /// Tokens that it may have.
        limit: u64,
        /// Who counted.
        tokenizer: &'static str,
    },
}

/// Hashes of items by path. `None`: a diff names the item, and no snapshot has its hash.
type Items = BTreeMap<String, Option<String>>;

/// The items that were last shown (`None` until a record lists them), and what came back.
#[derive(Debug, Default)]
pub(crate) struct ContextTracker {
    items: Option<Items>,
    /// Where no record lists items: whether a path is there, as far as diffs say so.
    told: BTreeMap<String, bool>,
    /// Whether a diff had no snapshot to be compared with.
    unchecked: bool,
    /// Why the last output looks cut: its observation may still say that it is.
    cut: Option<String>,
    sources: Sources,
    budget: Budget,
}

impl ContextTracker {
    /// Bytes that it holds, roughly.
    pub(super) fn weight(&self) -> usize {
        let items: usize = self
            .items
            .iter()
            .flatten()
            .map(|(path, hash)| path.len() + hash.as_ref().map_or(0, String::len) + 96)
            .sum();
        let told: usize = self.told.keys().map(|path| path.len() + 96).sum();
        items + told + self.sources.weight()
    }

    /// Forgets the texts of items: use that isn't declared is no longer found, and nothing else
    /// rests on them.
    pub(super) fn lighten(&mut self) {
        self.sources = Sources::default();
    }

    /// Takes note of what a record says of the context. `budget` is one that the caller has set.
    pub(crate) fn note(&mut self, record: &Record<'_>, budget: Option<u64>) -> Vec<ContextBreak> {
        let mut breaks = Vec::new();
        match record {
            Record::ExecutionStarted(r) => self.sources.asked(&r.root_intent.decode()),
            Record::ThoughtGenerated(r) => {
                self.shown(r.context_snapshot.as_ref(), None, budget, &mut breaks);
                let action = r.thought.action.as_ref().map(|a| (a.kind, a.payload));
                self.thought(
                    r.used_context.as_deref(),
                    r.thought.reasoning,
                    action,
                    &mut breaks,
                );
            }
            Record::ActionProposed(r) => self.about_to_run(Some((r.action.kind, r.action.payload))),
            Record::GovernanceDecided(r) => {
                self.about_to_run(
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
                self.about_to_run(r.action.as_ref().map(|a| (a.kind, a.payload)));
                self.came_back(r.result.success, r.result.output);
            }
            Record::ObservationRecorded(r) => self.observed(r.observation.truncated, &mut breaks),
            Record::ContextChanged(r) => {
                self.changed(&r.diff, &r.snapshot.items, &mut breaks);
                self.weighed(
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

    /// As [`Self::note`], of a record that breaks its schema.
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

    /// As [`Self::note`], of a record of another format. A turn that says nothing of the context
    /// may not have been compared with the one before.
    pub(crate) fn note_native(&mut self, record: &dyn FormatRecord<'_>) -> Vec<ContextBreak> {
        let mut breaks = Vec::new();
        match record.context_diff() {
            Some(diff) => self.told(&diff, &mut breaks),
            None => self.told.clear(),
        }
        breaks
    }

    /// A record can't be read: what was shown, and whether an output was said to be cut, isn't
    /// known any more.
    pub(crate) fn lose(&mut self) {
        self.items = None;
        self.told.clear();
        self.cut = None;
    }

    fn turn(&mut self, turn: &Turn<'_>, budget: Option<u64>, breaks: &mut Vec<ContextBreak>) {
        self.shown(
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
        self.about_to_run(proposed);
        self.about_to_run(
            turn.governance
                .as_ref()
                .and_then(|g| g.modified_action.as_ref())
                .map(|a| (a.kind, a.payload)),
        );
        if let Some(result) = &turn.execution_result {
            self.about_to_run(result.action.as_ref().map(|a| (a.kind, a.payload)));
            self.came_back(result.success, result.output);
        }
    }

    /// What runs may bring back the text of an item. Where no record lists items there is none.
    fn about_to_run(&mut self, action: Option<(ActionType, Payload<'_>)>) {
        if let Some((kind, payload)) = action.filter(|_| self.items.is_some()) {
            self.sources.about_to_run(kind, payload);
        }
    }

    fn came_back(&mut self, success: bool, output: Str<'_>) {
        if self.items.is_some() {
            self.sources.came_back(success, &output.decode());
        }
    }

    /// An observation is the last that can say that an output was cut.
    fn observed(&mut self, truncated: Option<bool>, breaks: &mut Vec<ContextBreak>) {
        if let Some(why) = self.cut.take().filter(|_| truncated != Some(true)) {
            breaks.push(ContextBreak::SilentCut { why });
        }
    }

    fn shown(
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
                self.told.clear();
                self.items = Some(by_path(items));
            }
            (None, Some(diff)) => self.told(&[&diff.added, &diff.removed, &diff.changed], breaks),
            (None, None) => {}
        }
        if items.is_some() {
            for message in carrying {
                self.sources.carried(&message.decode());
            }
        }
        self.weighed(
            snapshot.metadata,
            snapshot.items.as_deref().unwrap_or_default(),
            carrying,
            budget,
            breaks,
        );
    }

    /// Holds what is shown against its budget.
    fn weighed(
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

    /// A thought: what it refers to, and what its action repeats.
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
        let mut declared: BTreeSet<String> = used
            .unwrap_or_default()
            .iter()
            .map(|p| plain(&p.distinct()))
            .collect();
        declared.extend(injected::references(&reasoning.decode()).map(plain));
        if let Some(answer) = &answer {
            declared.extend(injected::declared(answer).iter().map(|p| plain(p)));
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

    /// Compares a diff with the snapshots before it, where one is known, and after it.
    fn changed(
        &mut self,
        diff: &ContextDiff<'_>,
        items: &[SnapshotItem<'_>],
        breaks: &mut Vec<ContextBreak>,
    ) {
        let after = by_path(items);
        let said = Lists::from([&*diff.added, &diff.removed, &diff.changed]);
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
            // Where a hash isn't known, the diff is believed.
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
                wrong.extend(said.difference(&real).map(|p| isnt(p, word)));
                wrong.extend(real.difference(said).map(|p| silent(p, word)));
            }
        } else {
            let present = said.added.iter().chain(&said.changed);
            wrong.extend(present.filter(|p| !after.contains_key(*p)).map(|p| {
                mismatch(
                    format!("`{p}` is said to be added or changed, and isn't in the snapshot"),
                    format!("absent {p}"),
                )
            }));
            let left = said.removed.iter().filter(|p| after.contains_key(*p));
            wrong.extend(left.map(|p| {
                mismatch(
                    format!("`{p}` is said to be removed, and is in the snapshot"),
                    format!("present {p}"),
                )
            }));
            self.contradict_told(&said, &mut wrong);
            said.contradictions(&mut wrong);
            for (path, there) in &self.told {
                let (word, said) = if *there {
                    ("removed", &said.removed)
                } else {
                    ("added", &said.added)
                };
                if after.contains_key(path) != *there && !said.contains(path) {
                    wrong.push(silent(path, word));
                }
            }
        }
        breaks.append(&mut wrong);
        self.told.clear();
        self.items = Some(after);
    }

    /// Takes in a diff (added, removed, changed) that has no snapshot beside it. It can only be
    /// compared with itself and with what was said before.
    pub(crate) fn told(&mut self, diff: &[&[Str<'_>]; 3], breaks: &mut Vec<ContextBreak>) {
        let said = Lists::from(*diff);
        self.unchecked |= diff.iter().any(|list| !list.is_empty());
        said.contradictions(breaks);
        let Some(items) = &mut self.items else {
            self.contradict_told(&said, breaks);
            self.told.extend(said.presence());
            return;
        };
        let there = said.added.iter().filter(|p| items.contains_key(*p));
        breaks.extend(there.map(|p| isnt(p, "added")));
        for (word, said) in [("removed", &said.removed), ("changed", &said.changed)] {
            let gone = said.iter().filter(|p| !items.contains_key(*p));
            breaks.extend(gone.map(|p| isnt(p, word)));
        }
        for (path, present) in said.presence() {
            if present {
                items.insert(path, None);
            } else {
                items.remove(&path);
            }
        }
    }

    /// Compares a diff with those before it.
    fn contradict_told(&self, said: &Lists, wrong: &mut Vec<ContextBreak>) {
        let told = |p: &String, present| self.told.get(p) == Some(&present);
        let there = said.added.iter().filter(|p| told(p, true));
        wrong.extend(there.map(|p| isnt(p, "added")));
        for (word, said) in [("removed", &said.removed), ("changed", &said.changed)] {
            let gone = said.iter().filter(|p| told(p, false));
            wrong.extend(gone.map(|p| isnt(p, word)));
        }
    }

    /// Whether a diff had no snapshot to be compared with.
    pub(crate) const fn has_unchecked_diff(&self) -> bool {
        self.unchecked
    }

    /// Looks up what a thought says it used, and what its texts refer to. Where no record lists the
    /// items, only what a diff has removed is known to be absent.
    fn references(
        &self,
        used: Option<&[Str<'_>]>,
        reasoning: Str<'_>,
        answer: Option<&str>,
        breaks: &mut Vec<ContextBreak>,
    ) {
        let absent = |path: &String| match &self.items {
            Some(items) => !items.contains_key(path),
            None => self.told.get(path) == Some(&false),
        };
        if self.items.is_none() && self.told.is_empty() {
            return;
        }
        let mut seen = BTreeSet::new();
        let mut look = |path: &str, declared: bool| {
            let path = plain_path(path).into_owned();
            if absent(&path) && seen.insert(path.clone()) {
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

/// The lists of a diff, by their paths.
struct Lists {
    added: BTreeSet<String>,
    removed: BTreeSet<String>,
    changed: BTreeSet<String>,
}

impl From<[&[Str<'_>]; 3]> for Lists {
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

impl Lists {
    /// Whether each path is there afterwards.
    fn presence(&self) -> impl Iterator<Item = (String, bool)> {
        let gone = self.removed.iter().map(|p| (p.clone(), false));
        let there = self.added.iter().chain(&self.changed);
        gone.chain(there.map(|p| (p.clone(), true)))
    }

    /// Paths that are in two of the lists.
    fn contradictions(&self, wrong: &mut Vec<ContextBreak>) {
        let pairs = [
            (("added", &self.added), ("removed", &self.removed)),
            (("added", &self.added), ("changed", &self.changed)),
            (("removed", &self.removed), ("changed", &self.changed)),
        ];
        for ((word, one), (other_word, other)) in pairs {
            wrong.extend(one.intersection(other).map(|p| {
                mismatch(
                    format!("`{p}` is said to be {word} and {other_word}"),
                    format!("{word} {other_word} {p}"),
                )
            }));
        }
    }
}

const fn mismatch(what: String, about: String) -> ContextBreak {
    ContextBreak::DiffMismatch { what, about }
}

/// A path of which a diff doesn't say what is so.
fn silent(path: &str, word: &str) -> ContextBreak {
    mismatch(
        format!("`{path}` was {word}, and the diff doesn't say so"),
        format!("{word} {path}"),
    )
}

/// A path of which a diff says something that isn't so.
fn isnt(path: &str, word: &str) -> ContextBreak {
    mismatch(
        format!("`{path}` is said to be {word}, and isn't"),
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

fn plain(path: &str) -> String {
    plain_path(path).into_owned()
}
