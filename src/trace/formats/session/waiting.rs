//! Calls that wait for their results.

use super::{CallStatus, Change, Question, given};
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use hashbrown::HashMap;
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use strict_json::{Raw, canonical_eq};

/// A call without a result, or with a result that may still turn out to be a rejection.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) session: Box<str>,
    pub(super) line: u64,
    /// Number of prompts and results before it. Calls with the same number were requested together.
    pub(super) asked: u64,
    pub(super) time: Option<Timestamp>,
    pub(super) id: Option<Box<str>>,
    pub(super) tool: Box<str>,
    pub(super) input: Box<str>,
    /// Whether a hook replaced the arguments.
    pub(super) is_updated: bool,
    pub(super) cwd: Option<Box<str>>,
    /// The agent's text before the call.
    pub(super) said: Option<String>,
    /// Whether it was allowed, and by whom.
    pub(super) decision: Option<(bool, DecidedBy)>,
    pub(super) contradicted: bool,
    pub(super) began: bool,
    /// A question about it without an answer so far.
    pub(super) question: Option<Question>,
    /// How it changes a file.
    pub(super) change: Option<Change>,
    pub(super) result: Option<CallResult>,
}

/// Result of a call.
#[derive(Debug)]
pub(super) struct CallResult {
    pub(super) how: CallStatus,
    pub(super) output: String,
    pub(super) exit_code: Option<i64>,
    pub(super) change: Option<Change>,
    pub(super) time: Option<Timestamp>,
}

impl Waiting {
    /// Applies a decision. If two decisions contradict each other, the rejection applies.
    pub(super) fn decide(&mut self, decision: Option<(bool, DecidedBy)>) {
        match (self.decision, decision) {
            (_, None) => {}
            (None, _) => self.decision = decision,
            (Some((before, _)), Some((allowed, _))) if before != allowed => {
                self.contradicted = true;
                if before {
                    self.decision = decision;
                }
            }
            (Some(_), Some(_)) => {}
        }
    }

    fn weight(&self) -> usize {
        let ids = self.id.as_ref().map_or(0, |id| id.len()) + self.session.len();
        size_of::<Self>()
            + 2 * ids
            + self.input.len()
            + self.tool.len()
            + self.said.as_ref().map_or(0, String::len)
            + self.result.as_ref().map_or(0, |r| r.output.len())
    }
}

/// Maximum number of calls without ids that are searched for one of a certain tool.
const TOOLS: usize = 256;

/// Key by which a result finds its call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Id(Box<str>),
    /// Calls without ids get their results in order.
    Session(Box<str>),
}

fn key(waiting: &Waiting) -> Key {
    match &waiting.id {
        Some(id) => Key::Id(id.clone()),
        None => Key::Session(waiting.session.clone()),
    }
}

/// Calls in their order, with indexes by id.
#[derive(Debug, Default)]
pub(super) struct Queue {
    all: BTreeMap<u64, Waiting>,
    next: u64,
    /// Calls without a result.
    open: HashMap<Key, VecDeque<u64>>,
    /// Calls whose result may still turn out to be a rejection.
    doubtful: HashMap<Key, VecDeque<u64>>,
    held: usize,
}

/// Removes a number from a list, usually from one of its ends.
fn remove(lists: &mut HashMap<Key, VecDeque<u64>>, key: &Key, number: u64) {
    let Some(list) = lists.get_mut(key) else {
        return;
    };
    if list.back() == Some(&number) {
        list.pop_back();
    } else if list.front() == Some(&number) {
        list.pop_front();
    } else {
        list.retain(|n| *n != number);
    }
    if list.is_empty() {
        lists.remove(key);
    }
}

impl Queue {
    /// Returns the bytes that it owns.
    pub(super) const fn held(&self) -> usize {
        self.held
    }

    pub(super) fn push(&mut self, waiting: Waiting) {
        self.held += waiting.weight();
        let list = self.open.entry(key(&waiting)).or_default();
        list.push_back(self.next);
        self.all.insert(self.next, waiting);
        self.next += 1;
    }

    /// Returns the last call of an id without a result: a result belongs to it even if the id
    /// repeats.
    pub(super) fn last_open(&self, id: &str) -> Option<u64> {
        self.open.get(&Key::Id(id.into()))?.back().copied()
    }

    /// Returns the last calls of an id without a result, the latest first.
    pub(super) fn open(&self, id: &str) -> impl Iterator<Item = u64> {
        let list = self.open.get(&Key::Id(id.into())).into_iter().flatten();
        list.rev().take(TOOLS).copied()
    }

    /// Like [`Self::last_open`], but prefers a call of this session among the last ones. A session
    /// that continues another one contains results of its calls.
    pub(super) fn last_open_in(&self, id: &str, session: &str) -> Option<u64> {
        let list = self.open.get(&Key::Id(id.into()))?;
        let own = |n: &&u64| self.all.get(n).is_some_and(|w| *w.session == *session);
        let mine = list.iter().rev().take(TOOLS).find(own);
        mine.or_else(|| list.back()).copied()
    }

    /// Returns the first call of a session with neither an id nor a result.
    pub(super) fn first_open(&self, session: &str) -> Option<u64> {
        self.open
            .get(&Key::Session(session.into()))?
            .front()
            .copied()
    }

    /// Returns the last call of an id whose result may be a rejection.
    pub(super) fn last_doubtful(&self, id: &str) -> Option<u64> {
        self.doubtful.get(&Key::Id(id.into()))?.back().copied()
    }

    pub(super) fn first(&self) -> Option<(u64, &Waiting)> {
        self.all.first_key_value().map(|(n, w)| (*n, w))
    }

    /// Returns the number of the first call, if it has a result.
    pub(super) fn first_ended(&self) -> Option<u64> {
        self.first()
            .and_then(|(n, waiting)| waiting.result.is_some().then_some(n))
    }

    /// Returns the last call.
    pub(super) fn last(&self) -> Option<&Waiting> {
        self.all.last_key_value().map(|(_, w)| w)
    }

    /// Returns the number of the last call.
    pub(super) fn last_number(&self) -> Option<u64> {
        self.all.last_key_value().map(|(n, _)| *n)
    }

    pub(super) fn get(&self, number: u64) -> Option<&Waiting> {
        self.all.get(&number)
    }

    /// Returns the first call of a session and a tool with neither an id nor a result.
    pub(super) fn first_open_of(&self, session: &str, tool: &str) -> Option<u64> {
        let list = self.open.get(&Key::Session(session.into()))?;
        let mut list = list.iter().take(TOOLS).copied();
        list.find(|n| self.all.get(n).is_some_and(|w| &*w.tool == tool))
    }

    /// Returns the id of the only call of a session with neither a result nor a decision.
    pub(super) fn only_open(&self, session: &str) -> Option<Box<str>> {
        let near = self.all.values().rev().take(TOOLS);
        let mut open =
            near.filter(|w| *w.session == *session && w.result.is_none() && w.decision.is_none());
        let only = open.next()?;
        open.next().is_none().then(|| only.id.clone())?
    }

    /// Returns a call to change it, except its keys and texts.
    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut Waiting> {
        self.all.get_mut(&number)
    }

    /// Sets tool and arguments of a call. If they differ from those that were approved, that is a
    /// contradiction, and the executed ones apply.
    pub(super) fn fill(&mut self, number: u64, tool: &str, input: &str) {
        let Some(waiting) = self.all.get_mut(&number) else {
            return;
        };
        self.held = self.held.saturating_sub(waiting.weight());
        if !tool.is_empty() && *waiting.tool != *tool {
            waiting.contradicted |= !waiting.tool.is_empty();
            waiting.tool = tool.into();
        }
        if input != "{}" && !canonical_eq(Raw::trusted(&waiting.input), Raw::trusted(input)) {
            waiting.contradicted |= &*waiting.input != "{}";
            waiting.input = input.into();
        }
        self.held += waiting.weight();
    }

    /// Sets the result of a call. The call waits on in case another record shows that it was
    /// rejected.
    pub(super) fn end(&mut self, number: u64, result: CallResult) {
        let Some(waiting) = self.all.get_mut(&number) else {
            return;
        };
        self.held += result.output.len();
        waiting.result = Some(result);
        let key = key(waiting);
        remove(&mut self.open, &key, number);
        self.doubtful.entry(key).or_default().push_back(number);
    }

    /// Replaces the arguments of a call. If they were replaced before, all of them count, since it
    /// is unknown which were used.
    pub(super) fn update(&mut self, number: u64, input: &str) {
        let Some(waiting) = self.all.get_mut(&number) else {
            return;
        };
        self.held = self.held.saturating_sub(waiting.weight());
        if waiting.is_updated {
            let mut all = Cow::Borrowed(&*waiting.input);
            given::add(&mut all, Cow::Borrowed(input));
            waiting.input = all.into();
        } else {
            waiting.input = input.into();
            waiting.is_updated = true;
        }
        self.held += waiting.weight();
    }

    /// Removes a call.
    pub(super) fn take(&mut self, number: u64) -> Option<Waiting> {
        let waiting = self.all.remove(&number)?;
        self.held = self.held.saturating_sub(waiting.weight());
        let key = key(&waiting);
        let lists = if waiting.result.is_some() {
            &mut self.doubtful
        } else {
            &mut self.open
        };
        remove(lists, &key, number);
        Some(waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: Option<&str>) -> Waiting {
        Waiting {
            session: "s".into(),
            line: 1,
            asked: 0,
            time: None,
            id: id.map(Into::into),
            tool: "t".into(),
            is_updated: false,
            input: "{}".into(),
            cwd: None,
            said: None,
            decision: None,
            contradicted: false,
            began: false,
            question: None,
            change: None,
            result: None,
        }
    }

    fn result() -> CallResult {
        CallResult {
            how: CallStatus::RejectedByText,
            output: "no".to_owned(),
            exit_code: None,
            change: None,
            time: None,
        }
    }

    #[test]
    fn calls_are_found_by_id_or_by_order_and_leave_nothing_behind() {
        let mut queue = Queue::default();
        for id in [Some("a"), None, Some("a"), None] {
            queue.push(call(id));
        }
        assert_eq!(queue.last_open("a"), Some(2));
        assert_eq!(queue.first_open("s"), Some(1));
        queue.end(2, result());
        assert_eq!(
            (queue.last_open("a"), queue.last_doubtful("a")),
            (Some(0), Some(2))
        );
        assert_eq!(queue.first().map(|(n, _)| n), Some(0));
        for number in [1, 0, 2, 3] {
            assert!(queue.take(number).is_some());
        }
        assert!(queue.take(3).is_none());
        assert_eq!(
            (queue.held(), queue.open.len(), queue.doubtful.len()),
            (0, 0, 0)
        );
    }
}
