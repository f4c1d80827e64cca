//! Decisions about calls: before they begin, when they end, or in other records.

use super::{
    Call, CallEnd, CallParts, CallStatus, DecidedBy, End, Event, EventKind, Pairing, Question,
    REMEMBERED, RecordKind, RoutedRecord, Timestamp, Waiting, feed, hash_of_end, write,
};
use crate::trace::formats::session::given::is_blank;
use std::borrow::Cow;
use strict_json::{Raw, canonical_eq};
use util::keyed_hash;

/// Formats whose records of one call all contain its arguments: with others, it is another call.
const REPEATED: [&str; 2] = ["codex-exec", "codex-log"];

/// Of these, those whose resumed sessions count their calls from 0 again.
const RECOUNTED: [&str; 1] = ["codex-exec"];

/// Maximum number of questions among which that of an answer is looked for.
const OPEN: usize = 1_000;

impl Pairing {
    /// Finds the waiting call that a record of its progress is about.
    pub(super) fn begun(&self, key: &str, call: &Call<'_>) -> Option<u64> {
        let last = self.mentioned(key, call)?;
        if !self.is_another(last, call) {
            return Some(last);
        }
        let mut open = self.waiting.open(call.id.as_deref()?);
        open.find(|n| {
            let own = |waiting: &Waiting| *waiting.session == *key;
            self.waiting.get(*n).is_some_and(own) && !self.is_another(*n, call)
        })
    }

    /// Records the end of a call whose record says what the call was.
    pub(super) fn done(
        &mut self,
        (key, line, time): (&str, u64, Option<Timestamp>),
        call: &Call<'_>,
        decision: Option<(bool, DecidedBy)>,
        ended: &CallEnd<'_>,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        let own = self.begun(key, call);
        let known = own.or_else(|| self.of_mixed_thread(key, call));
        // The arguments show whether it is one more result of a call that is over.
        let again = known.is_none()
            && REPEATED.contains(&self.format)
            && !RECOUNTED.contains(&self.format)
            && self.is_over(key, call)
            && self.asked.contains(&keyed_hash(call));
        if again {
            self.ended(key, line, time, ended, on);
        } else if let Some(n) = known.or_else(|| self.call(key, line, time, call, on)) {
            self.begin(n, call, decision);
            self.result(n, time, ended, on);
        }
    }

    /// Finds a waiting call of another thread that ends here. Lines of several threads may be
    /// mixed, and the ids of all begin with the same number. So this holds only if the thread
    /// itself has another call with this id.
    fn of_mixed_thread(&self, key: &str, call: &Call<'_>) -> Option<u64> {
        let taken = self.mentioned(key, call).is_some() || self.is_over(key, call);
        if !taken || !RECOUNTED.contains(&self.format) {
            return None;
        }
        let mut open = self.waiting.open(call.id.as_deref()?);
        open.find(|n| {
            let same = |w: &Waiting| w.began && *w.session != *key && !self.is_another(*n, call);
            self.waiting.get(*n).is_some_and(same)
        })
    }

    /// Returns whether a waiting call that began, or that a person was asked about, is another one
    /// than this, whose id it has.
    fn is_another(&self, n: u64, call: &Call<'_>) -> bool {
        let is_settled = |waiting: &&Waiting| {
            waiting.began || waiting.question.is_some() || waiting.decision.is_some()
        };
        let settled = self.waiting.get(n).filter(is_settled);
        REPEATED.contains(&self.format)
            && settled.is_some_and(|waiting| {
                let known = !is_blank(&waiting.input) && !is_blank(&call.input);
                let (before, now) = (Raw::trusted(&waiting.input), Raw::trusted(&call.input));
                *waiting.tool != *call.tool || known && !canonical_eq(before, now)
            })
    }

    /// Completes a call with data that wasn't known when it first came.
    pub(super) fn begin(&mut self, n: u64, call: &Call<'_>, decision: Option<(bool, DecidedBy)>) {
        self.waiting.fill(n, &call.tool, &call.input);
        let Some(waiting) = self.waiting.get_mut(n) else {
            return;
        };
        waiting.began = true;
        waiting.decide(decision);
        // A rejection of this id belongs to a call that has already been emitted.
        let session = self.sessions.get(&*waiting.session);
        let denied = |id: &str| session.is_some_and(|s| s.denied_ids.contains(&keyed_hash(id)));
        if waiting.id.as_deref().is_some_and(denied) {
            waiting.decide(Some((false, DecidedBy::Human)));
        }
    }

    /// Records the end of a call. If no call has its id, it belongs to the oldest call of the tool
    /// without one.
    pub(super) fn responded(
        &mut self,
        (key, line, time): (&str, u64, Option<Timestamp>),
        tool: &str,
        ended: &CallEnd<'_>,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        let named = ended.id.as_deref();
        let named = named.is_some_and(|id| self.waiting.last_open(id).is_some());
        let same = if tool.is_empty() {
            self.waiting.first_open(key)
        } else {
            self.waiting.first_open_of(key, tool)
        };
        let same = same.filter(|_| !named);
        match (same, self.sessions.get_mut(key)) {
            (Some(n), Some(session)) => {
                session.answers += 1;
                self.result(n, time, ended, on);
            }
            _ => self.ended(key, line, time, ended, on),
        }
    }

    /// Replaces the arguments of a call by those that a hook gave. If the call doesn't wait, they
    /// are those of a call whose result isn't recorded.
    pub(super) fn updated(
        &mut self,
        (key, line, time): (&str, u64, Option<Timestamp>),
        id: &str,
        call: &Call<'_>,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        match self.waiting.last_open_in(id, key) {
            Some(n) => self.waiting.update(n, &call.input),
            None => self.wanted(key, line, time, (call, None), on),
        }
    }

    /// Applies a rejection to a call that waits, has a result already or is yet to come. `call` is
    /// the call's content, if the rejection contains it.
    pub(super) fn rejected(
        &mut self,
        place: (&str, u64, Option<Timestamp>),
        id: &str,
        by: DecidedBy,
        call: Option<&Call<'_>>,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        let open = self.waiting.last_open_in(id, place.0);
        if let Some(n) = open.or_else(|| self.waiting.last_doubtful(id)) {
            if let Some(waiting) = self.waiting.get_mut(n) {
                waiting.decide(Some((false, by)));
            }
            if open.is_none() && !self.in_doubt {
                self.emit_call(n, false, on);
            }
        } else if !self.over.contains_key(&keyed_hash(id)) {
            self.refused.add(place, id, by, call);
        } else if self.ran.contains(&keyed_hash(id)) {
            // A call that ended with an error may have failed because of the rejection.
            self.rejected_and_ran(place.0, place.1, id, by, "", on);
        }
    }

    /// Compares another result of a call with the first: a rejection and a success contradict each
    /// other. Returns whether the result adds nothing or has been reported.
    pub(super) fn contradicts(
        &mut self,
        key: &str,
        line: u64,
        id: &str,
        ended: &CallEnd<'_>,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) -> bool {
        let hash = keyed_hash(id);
        let by = match ended.how {
            CallStatus::Rejected(by) if self.ran.contains(&hash) => Some(by),
            // The rejection is already known.
            CallStatus::Rejected(_) => {
                let session = self.sessions.get(key);
                return session.is_some_and(|session| session.denied_ids.contains(&hash));
            }
            _ if ended.shows_execution() => self.rejected.get(&hash).copied(),
            _ => None,
        };
        let Some(by) = by else {
            return false;
        };
        if self.over.len() < REMEMBERED {
            self.over.insert(hash, hash_of_end(ended));
        }
        self.rejected_and_ran(key, line, id, by, &ended.output, on);
        true
    }

    /// Emits evidence that a rejected call was executed. The call itself has been emitted.
    fn rejected_and_ran(
        &mut self,
        key: &str,
        line: u64,
        id: &str,
        by: DecidedBy,
        output: &str,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        let Some(session) = self.next_turn(key, on) else {
            return;
        };
        let text = write::call(&CallParts {
            execution: key,
            turn: session.turns,
            id,
            time: None,
            tool: None,
            reasoning: None,
            action: None,
            decision: Some((false, by)),
            contradicted: false,
            end: End::Result {
                how: CallStatus::Ok,
                output,
                exit_code: None,
                time: None,
            },
            again: false,
            rejected_before: None,
        });
        feed(RecordKind::Call, key, line, &text, on);
    }

    pub(super) fn answered(
        &mut self,
        key: &str,
        id: Option<&str>,
        to: Question,
        allowed: Option<bool>,
    ) {
        let Some(session) = self.sessions.get_mut(key) else {
            return;
        };
        let waiting = &self.waiting;
        let open = |n: &u64| {
            let waiting = waiting.get(*n);
            waiting.is_some_and(|w| w.question == Some(to) && *w.session == *key)
        };
        let mut n = id.and_then(|id| waiting.last_open_in(id, key)).filter(open);
        let turn = id.map(keyed_hash);
        let questions = session.questions_of(to);
        while questions.front().is_some_and(|(n, _)| !open(n)) {
            questions.pop_front();
        }
        // An answer that names its turn is to no question of another one.
        let is_asked = |(n, of): &(u64, Option<u64>)| {
            (of.is_none() || turn.is_none() || *of == turn) && open(n)
        };
        if n.is_none()
            && let Some(at) = questions.iter().take(OPEN).position(is_asked)
        {
            n = questions.remove(at).map(|(n, _)| n);
        }
        let Some(n) = n else {
            return;
        };
        let Some(waiting) = self.waiting.get_mut(n) else {
            return;
        };
        waiting.question = None;
        waiting.decide(allowed.map(|allowed| (allowed, DecidedBy::Human)));
        if allowed == Some(false) && !waiting.began {
            session.denied.push(n);
            if let Some(id) = waiting.id.as_deref()
                && session.denied_ids.len() < REMEMBERED
            {
                session.denied_ids.insert(keyed_hash(id));
            }
        }
    }

    /// Sets the directory of the following calls. Without a work tree, paths stay as written.
    pub(super) fn moved(&mut self, key: &str, directory: &str) {
        let session = self.sessions.get_mut(key);
        if let Some(session) = session.filter(|session| session.root.is_some()) {
            session.cwd = Some(directory.into());
        }
    }

    /// Records which call a request is about. A request without a call's id is about the only
    /// waiting call, if there is exactly one.
    pub(super) fn requested(&mut self, key: &str, request: &str, id: Option<&str>) {
        let id = id.map(Into::into).or_else(|| self.waiting.only_open(key));
        if let (Some(id), Some(session)) = (id, self.sessions.get_mut(key))
            && session.requests.len() < REMEMBERED
        {
            session.requests.insert(keyed_hash(request), id);
        }
    }

    pub(super) fn request_decided(
        &mut self,
        key: &str,
        line: u64,
        event: &Event<'_>,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        let EventKind::RequestDecided {
            request,
            allowed,
            by,
        } = &event.what
        else {
            return;
        };
        if let Some(id) = self.call_of_request(key, request.as_deref(), *allowed) {
            let (id, by) = (Cow::Borrowed(&*id), *by);
            let what = if *allowed {
                EventKind::Approved { id, by }
            } else {
                EventKind::Rejected { id, by }
            };
            self.event(key, line, &Event { what, ..*event }, on);
        }
    }

    /// Returns the call of a request that was decided. A denied request that isn't known is that of
    /// the only open call.
    fn call_of_request(&self, key: &str, request: Option<&str>, allowed: bool) -> Option<Box<str>> {
        let session = self.sessions.get(key)?;
        let named = request.and_then(|request| session.requests.get(&keyed_hash(request)));
        named
            .cloned()
            .or_else(|| self.waiting.only_open(key).filter(|_| !allowed))
    }
}
