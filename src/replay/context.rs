//! What an execution's thoughts were shown, and what they refer to.

use super::cut;
use crate::json::Str;
use crate::trace::action::{self, plain_path};
use crate::trace::record::{ActionType, ContextDiff, ContextSnapshot, Payload, SnapshotItem, Turn};
use crate::trace::v1::Record;
use std::collections::{BTreeMap, BTreeSet};

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
    },
    /// An output looks cut, and nothing says so.
    SilentCut {
        /// Why it looks cut.
        why: String,
    },
}

/// The items that were last shown, hashes by path (`None` until a record lists them), and what came back.
#[derive(Debug, Default)]
pub(super) struct ContextBook {
    items: Option<BTreeMap<String, String>>,
    /// Why the last output looks cut: its observation may still say that it is.
    cut: Option<String>,
}

impl ContextBook {
    /// Takes note of what a record says of the context.
    pub(super) fn note(&mut self, record: &Record<'_>) -> Vec<ContextBreak> {
        let mut breaks = Vec::new();
        match record {
            Record::ThoughtGenerated(r) => {
                self.shown(r.context_snapshot.as_ref(), None, &mut breaks);
                let answer = r.thought.action.as_ref().and_then(|a| answer(a.kind, &a.payload));
                self.references(r.used_context.as_deref(), r.thought.reasoning, answer.as_deref(), &mut breaks);
            }
            Record::ExecutionFinished(r) => {
                let marked = r.result.truncated == Some(true);
                self.cut = if marked { None } else { cut::written_looks_cut(r.result.output) };
            }
            Record::ObservationRecorded(r) => self.observed(r.observation.truncated, &mut breaks),
            Record::ContextChanged(r) => self.changed(&r.diff, &r.snapshot.items, &mut breaks),
            Record::Turn(turn) => self.turn(turn, &mut breaks),
            Record::Execution(execution) => {
                for turn in &execution.turns {
                    self.turn(turn, &mut breaks);
                }
            }
            _ => {}
        }
        breaks
    }

    fn turn(&mut self, turn: &Turn<'_>, breaks: &mut Vec<ContextBreak>) {
        self.shown(Some(&turn.context_snapshot), turn.context_diff.as_ref(), breaks);
        let thoughts = turn.thought.iter().chain(turn.thoughts.iter().flatten());
        if let Some(result) = turn.execution_result.as_ref().filter(|r| r.truncated != Some(true)) {
            self.cut = cut::written_looks_cut(result.output);
            self.observed(turn.observation.as_ref().and_then(|o| o.truncated), breaks);
        }
        let mut used = turn.used_context.as_deref();
        for thought in thoughts {
            let answer = thought.action.as_ref().and_then(|a| answer(a.kind, &a.payload));
            self.references(used.take(), thought.reasoning, answer.as_deref(), breaks);
        }
    }

    /// An observation is the last that can say that an output was cut.
    fn observed(&mut self, truncated: Option<bool>, breaks: &mut Vec<ContextBreak>) {
        if let Some(why) = self.cut.take().filter(|_| truncated != Some(true)) {
            breaks.push(ContextBreak::SilentCut { why });
        }
    }

    fn shown(&mut self, snapshot: Option<&ContextSnapshot<'_>>, diff: Option<&ContextDiff<'_>>, breaks: &mut Vec<ContextBreak>) {
        if let Some(items) = snapshot.and_then(|s| s.items.as_deref()) {
            match diff {
                Some(diff) => self.changed(diff, items, breaks),
                None => self.items = Some(by_path(items)),
            }
        }
    }

    /// Holds a diff against the snapshots before, where one is known, and after it.
    fn changed(&mut self, diff: &ContextDiff<'_>, items: &[SnapshotItem<'_>], breaks: &mut Vec<ContextBreak>) {
        let after = by_path(items);
        let said = |paths: &[Str<'_>]| paths.iter().map(|p| plain_path(&p.decode()).into_owned()).collect::<BTreeSet<String>>();
        let (added, removed, changed) = (said(&diff.added), said(&diff.removed), said(&diff.changed));
        let mut wrong = Vec::new();
        if let Some(before) = &self.items {
            let real = |keep: &dyn Fn(&String) -> bool| {
                before.keys().chain(after.keys()).filter(|p| keep(p)).cloned().collect::<BTreeSet<String>>()
            };
            let really = [
                ("added", &added, real(&|p| !before.contains_key(p))),
                ("removed", &removed, real(&|p| !after.contains_key(p))),
                ("changed", &changed, real(&|p| before.get(p).zip(after.get(p)).is_some_and(|(a, b)| a != b))),
            ];
            for (word, said, real) in really {
                wrong.extend(said.difference(&real).map(|p| format!("`{p}` is said to be {word}, and isn't")));
                wrong.extend(real.difference(said).map(|p| format!("`{p}` was {word}, and the diff doesn't say so")));
            }
        } else {
            let absent = added.iter().chain(&changed).filter(|p| !after.contains_key(*p));
            wrong.extend(absent.map(|p| format!("`{p}` is said to be added or changed, and isn't in the snapshot")));
            let left = removed.iter().filter(|p| after.contains_key(*p));
            wrong.extend(left.map(|p| format!("`{p}` is said to be removed, and is in the snapshot")));
        }
        breaks.extend(wrong.into_iter().map(|what| ContextBreak::DiffMismatch { what }));
        self.items = Some(after);
    }

    /// Looks up what a thought says it used, and what its texts refer to. Where no record lists the items, nothing can be said.
    fn references(&self, used: Option<&[Str<'_>]>, reasoning: Str<'_>, answer: Option<&str>, breaks: &mut Vec<ContextBreak>) {
        let Some(items) = &self.items else { return };
        let mut seen = BTreeSet::new();
        let mut look = |path: &str, declared: bool| {
            let path = plain_path(path).into_owned();
            if !items.contains_key(&path) && seen.insert(path.clone()) {
                breaks.push(ContextBreak::UnknownReference { path, declared });
            }
        };
        for path in used.unwrap_or_default() {
            look(&path.decode(), true);
        }
        marked(&reasoning.decode()).for_each(|path| look(path, false));
        marked(answer.unwrap_or_default()).for_each(|path| look(path, false));
    }
}

fn by_path(items: &[SnapshotItem<'_>]) -> BTreeMap<String, String> {
    items.iter().map(|i| (plain_path(&i.path.decode()).into_owned(), i.hash.decode().into_owned())).collect()
}

fn answer(kind: ActionType, payload: &Payload<'_>) -> Option<String> {
    (kind == ActionType::Answer).then(|| action::answer(payload.0))?
}

/// The paths of references in a text: `[Reference] TYPE: NAME (PATH)`, each on a line of its own.
fn marked(text: &str) -> impl Iterator<Item = &str> {
    text.split("[Reference] ").skip(1).filter_map(|rest| {
        let line = rest.lines().next()?;
        let (kind, named) = line.split_once(": ")?;
        let word = !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let (_, path) = named.split_once(" (").filter(|_| word)?;
        path.split_once(')').map(|(path, _)| path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_told_from_talk() {
        let text = "x [Reference] FILE: add.ts (src/add.ts)\n[Reference] is a word (no/path)\n[Reference] DIR: src (src/a b/) y";
        assert_eq!(marked(text).collect::<Vec<_>>(), ["src/add.ts", "src/a b/"]);
    }
}
