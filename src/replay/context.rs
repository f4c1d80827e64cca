//! What an execution's thoughts were shown, and what they refer to.

use super::budget::Budget;
use super::context_overlap::Sources;
use super::truncation;
use crate::trace::action::{self, plain_path};
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

/// The items that were last shown, hashes by path (`None` until a record lists them), and what came
/// back.
#[derive(Debug, Default)]
pub(crate) struct ContextTracker {
    items: Option<BTreeMap<String, String>>,
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
            .map(|(path, hash)| path.len() + hash.len() + 96)
            .sum();
        items + self.sources.weight()
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

    /// A record can't be read: what was shown, and whether an output was said to be cut, isn't
    /// known any more.
    pub(crate) fn lose(&mut self) {
        self.items = None;
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
        if let Some(items) = snapshot.items.as_deref() {
            match diff {
                Some(diff) => self.changed(diff, items, breaks),
                None => self.items = Some(by_path(items)),
            }
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

    /// Holds a diff against the snapshots before, where one is known, and after it.
    fn changed(
        &mut self,
        diff: &ContextDiff<'_>,
        items: &[SnapshotItem<'_>],
        breaks: &mut Vec<ContextBreak>,
    ) {
        let after = by_path(items);
        let said = |paths: &[Str<'_>]| {
            paths
                .iter()
                .map(|p| plain_path(&p.distinct()).into_owned())
                .collect::<BTreeSet<String>>()
        };
        let (added, removed, changed) =
            (said(&diff.added), said(&diff.removed), said(&diff.changed));
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
            let really = [
                ("added", &added, real(&|p| !before.contains_key(p))),
                ("removed", &removed, real(&|p| !after.contains_key(p))),
                (
                    "changed",
                    &changed,
                    real(&|p| before.get(p).zip(after.get(p)).is_some_and(|(a, b)| a != b)),
                ),
            ];
            for (word, said, real) in really {
                wrong.extend(said.difference(&real).map(|p| {
                    (
                        format!("`{p}` is said to be {word}, and isn't"),
                        format!("not {word} {p}"),
                    )
                }));
                wrong.extend(real.difference(said).map(|p| {
                    (
                        format!("`{p}` was {word}, and the diff doesn't say so"),
                        format!("{word} {p}"),
                    )
                }));
            }
        } else {
            let absent = added
                .iter()
                .chain(&changed)
                .filter(|p| !after.contains_key(*p));
            wrong.extend(absent.map(|p| {
                (
                    format!("`{p}` is said to be added or changed, and isn't in the snapshot"),
                    format!("absent {p}"),
                )
            }));
            let left = removed.iter().filter(|p| after.contains_key(*p));
            wrong.extend(left.map(|p| {
                (
                    format!("`{p}` is said to be removed, and is in the snapshot"),
                    format!("present {p}"),
                )
            }));
        }
        breaks.extend(
            wrong
                .into_iter()
                .map(|(what, about)| ContextBreak::DiffMismatch { what, about }),
        );
        self.items = Some(after);
    }

    /// Looks up what a thought says it used, and what its texts refer to. Where no record lists the
    /// items, nothing can be said.
    fn references(
        &self,
        used: Option<&[Str<'_>]>,
        reasoning: Str<'_>,
        answer: Option<&str>,
        breaks: &mut Vec<ContextBreak>,
    ) {
        let Some(items) = &self.items else { return };
        let mut seen = BTreeSet::new();
        let mut look = |path: &str, declared: bool| {
            let path = plain_path(path).into_owned();
            if !items.contains_key(&path) && seen.insert(path.clone()) {
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

fn by_path(items: &[SnapshotItem<'_>]) -> BTreeMap<String, String> {
    items
        .iter()
        .map(|i| {
            (
                plain_path(&i.path.distinct()).into_owned(),
                i.hash.distinct().into_owned(),
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
