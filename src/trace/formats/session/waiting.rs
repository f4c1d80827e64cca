//! Calls that wait for their results.

use super::{Change, How, Question};
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use hashbrown::HashMap;
use std::collections::{BTreeMap, VecDeque};
use strict_json::{Raw, canonical_eq};

/// A call that has no result yet, or one that only a text takes for a rejection.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) session: Box<str>,
    pub(super) line: u64,
    /// How many prompts and results came before it: calls with the same number were asked for
    /// together.
    pub(super) asked: u64,
    pub(super) time: Option<Timestamp>,
    pub(super) id: Option<Box<str>>,
    pub(super) tool: Box<str>,
    pub(super) input: Box<str>,
    pub(super) cwd: Option<Box<str>>,
    /// What the agent said before.
    pub(super) said: Option<String>,
    /// Whether it was allowed, and by whom.
    pub(super) decision: Option<(bool, DecidedBy)>,
    pub(super) contradicted: bool,
    /// It has begun.
    pub(super) began: bool,
    /// A question about it that has no answer yet.
    pub(super) question: Option<Question>,
    /// How it changes a file.
    pub(super) change: Option<Change>,
    pub(super) result: Option<Kept>,
}

/// The result of a call.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) how: How,
    pub(super) output: String,
    pub(super) exit_code: Option<i64>,
    pub(super) change: Option<Change>,
    pub(super) time: Option<Timestamp>,
}

impl Waiting {
    /// Takes note of a decision. Where two say the opposite, the rejection stays.
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

/// Calls without ids of which one of a certain tool is looked for.
const TOOLS: usize = 256;

/// What a result finds its call by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Id(Box<str>),
    /// Calls without ids are answered in their order.
    Session(Box<str>),
}

fn key(waiting: &Waiting) -> Key {
    match &waiting.id {
        Some(id) => Key::Id(id.clone()),
        None => Key::Session(waiting.session.clone()),
    }
}

/// The calls in their order, found by their ids.
#[derive(Debug, Default)]
pub(super) struct Queue {
    all: BTreeMap<u64, Waiting>,
    next: u64,
    /// Those without a result.
    open: HashMap<Key, VecDeque<u64>>,
    /// Those with one, that only a text takes for a rejection.
    doubtful: HashMap<Key, VecDeque<u64>>,
    held: usize,
}

/// Takes a number out of a list, at one of whose ends it stands.
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
    /// Bytes that it holds.
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

    /// The last call of an id that has no result: where ids repeat, that is meant.
    pub(super) fn last_open(&self, id: &str) -> Option<u64> {
        self.open.get(&Key::Id(id.into()))?.back().copied()
    }

    /// The same, of this session if one is among the last of them: a session that goes on with
    /// another one answers calls of that.
    pub(super) fn last_open_in(&self, id: &str, session: &str) -> Option<u64> {
        let list = self.open.get(&Key::Id(id.into()))?;
        let own = |n: &&u64| self.all.get(n).is_some_and(|w| *w.session == *session);
        let mine = list.iter().rev().take(TOOLS).find(own);
        mine.or_else(|| list.back()).copied()
    }

    /// The first call of a session that has neither an id nor a result.
    pub(super) fn first_open(&self, session: &str) -> Option<u64> {
        self.open
            .get(&Key::Session(session.into()))?
            .front()
            .copied()
    }

    /// The last call of an id that only a text takes for a rejection.
    pub(super) fn last_doubtful(&self, id: &str) -> Option<u64> {
        self.doubtful.get(&Key::Id(id.into()))?.back().copied()
    }

    pub(super) fn first(&self) -> Option<(u64, &Waiting)> {
        self.all.first_key_value().map(|(n, w)| (*n, w))
    }

    /// The number of the first call, if it has a result.
    pub(super) fn first_ended(&self) -> Option<u64> {
        self.first()
            .and_then(|(n, waiting)| waiting.result.is_some().then_some(n))
    }

    /// The last call.
    pub(super) fn last(&self) -> Option<&Waiting> {
        self.all.last_key_value().map(|(_, w)| w)
    }

    /// Its number.
    pub(super) fn last_number(&self) -> Option<u64> {
        self.all.last_key_value().map(|(n, _)| *n)
    }

    pub(super) fn get(&self, number: u64) -> Option<&Waiting> {
        self.all.get(&number)
    }

    /// The first call of a session and a tool that has neither an id nor a result.
    pub(super) fn first_open_of(&self, session: &str, tool: &str) -> Option<u64> {
        let list = self.open.get(&Key::Session(session.into()))?;
        let mut list = list.iter().take(TOOLS).copied();
        list.find(|n| self.all.get(n).is_some_and(|w| &*w.tool == tool))
    }

    /// The id of the only call of a session that has neither a result nor a decision.
    pub(super) fn only_open(&self, session: &str) -> Option<Box<str>> {
        let near = self.all.values().rev().take(TOOLS);
        let mut open =
            near.filter(|w| *w.session == *session && w.result.is_none() && w.decision.is_none());
        let only = open.next()?;
        open.next().is_none().then(|| only.id.clone())?
    }

    /// Changes a call; not what it is found by or what it holds.
    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut Waiting> {
        self.all.get_mut(&number)
    }

    /// Says what a call is, and what it is given. What was on record before and is another thing
    /// was asked about in vain: that is a contradiction, and what runs counts.
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

    /// Gives a call its result. It waits on, in case something else shows that it was rejected.
    pub(super) fn end(&mut self, number: u64, result: Kept) {
        let Some(waiting) = self.all.get_mut(&number) else {
            return;
        };
        self.held += result.output.len();
        waiting.result = Some(result);
        let key = key(waiting);
        remove(&mut self.open, &key, number);
        self.doubtful.entry(key).or_default().push_back(number);
    }

    /// Takes a call out.
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

    fn result() -> Kept {
        Kept {
            how: How::RejectedByText,
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
