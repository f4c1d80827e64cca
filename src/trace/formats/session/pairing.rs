//! Brings the calls of a session and their results together.

mod copies;
mod decisions;
mod feed;
mod other_format;
mod refusals;
mod refused;
mod said;
#[cfg(test)]
mod tests;
mod wanted;

use self::feed::{feed, report_limit};
use self::refusals::{Place, Refusals};
use self::refused::Refused;
use self::said::Claim;
use self::wanted::Wishes;
use super::known::{hash, hash_of, hash_of_end, told};
use super::tools::{asked, wraps_output};
use super::unread;
use super::waiting::{Kept, Queue, Waiting};
use super::write::{self, CallParts, End};
use super::{Call, DEPTH, Ended, Event, How, Question, SessionRecord, What};
use crate::trace::entry::{Entry, Record};
use crate::trace::formats::{Fed, NativeRecord, OwnCalls, Reader};
use crate::trace::record::{NotRecorded, RecordKind};
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of calls that wait for their results.
const WAITING: usize = 16 << 20;
/// Records and results that are remembered, to know them again.
const REMEMBERED: usize = 400_000;
/// Sessions of one input.
const SESSIONS: usize = if cfg!(test) { 1_000 } else { 200_000 };
/// Characters that are kept of what an agent said before a call, and of what it was asked.
const TEXT: usize = 2_000;
/// Which session a record belongs to that names none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::trace::formats) enum Sessions {
    /// The one that is named after the file.
    OfFile,
    /// The first one that the input names; what it names later is history that it was given.
    First,
    /// The one that was named last.
    Last,
}

/// Waits with calls until their results come.
#[derive(Debug)]
pub(in crate::trace::formats) struct Pairing {
    /// The execution of records that name none.
    stem: Arc<str>,
    names: Sessions,
    /// The session that was named, where that counts for more than one record.
    named: Option<Box<str>>,
    /// Where the agent works, by a record before all sessions.
    cwd: Option<Box<str>>,
    not_recorded: &'static [NotRecorded],
    sessions: HashMap<Box<str>, Session>,
    waiting: Queue,
    /// The results of calls that are over: hashes of the id and of the result.
    over: HashMap<u64, u64>,
    /// What records told that were read, by hashes of their ids.
    read: HashMap<u64, u64>,
    /// Hashes of the ids of calls that have run without an error.
    ran: HashSet<u64>,
    /// Calls that a structured mark rejected, by hashes of their ids.
    rejected: HashMap<u64, DecidedBy>,
    /// Hashes of the calls that were asked for.
    asked: HashSet<u64>,
    /// Calls that were rejected before they were asked for, if they ever were.
    refused: Refused,
    /// Calls that other inputs tell of.
    pub(in crate::trace::formats) own_calls: OwnCalls,
    /// Hashes of the ids of those that this one repeats.
    told_elsewhere: HashSet<u64>,
    /// Hashes of calls that only copies told of so far, and of their ids.
    told_by_copies: HashSet<u64>,
    /// Calls that a model asked for.
    wishes: Wishes,
    /// Rejected actions, to know them again in other parts of their sessions.
    refusals: Refusals,
    /// Whether the end of the input may show that a call with a result was rejected. What comes
    /// after that call waits with it: whether it repeats a rejected one depends on the order.
    in_doubt: bool,
    /// The format.
    format: &'static str,
    /// Whether a whole session that names none was read.
    whole: bool,
    /// The line of the last one behind the first, and how many began on it.
    unnamed: (u64, u64),
    /// The line of the first session that is one too many.
    left_out: Option<u64>,
}

/// One session, or the part of a sub-agent in it.
#[derive(Debug, Default)]
struct Session {
    started: bool,
    parent: Option<Box<str>>,
    /// Where it begins.
    line: u64,
    turns: u64,
    cwd: Option<Box<str>>,
    root: Option<Box<str>>,
    intent: Option<String>,
    /// What the agent said last.
    said: Option<String>,
    /// Prompts and results so far.
    answers: u64,
    /// Whether the agent writes its calls into what it says.
    has_calls_in_text: bool,
    /// A call that the agent claims, unless it follows.
    claim: Option<Claim>,
    /// Hashes of the ids of calls that were handed on.
    ids: HashSet<u64>,
    /// Calls that somebody was asked about, the oldest question first: commands and patches.
    questions: [VecDeque<u64>; 2],
    /// Calls that requests are about, by hashes of the ids of these.
    requests: HashMap<u64, Box<str>>,
    /// Calls that were rejected before they began, and hashes of their ids.
    denied: Vec<u64>,
    denied_ids: HashSet<u64>,
}

impl Session {
    fn questions_of(&mut self, question: Question) -> &mut VecDeque<u64> {
        let [commands, patches] = &mut self.questions;
        match question {
            Question::Command => commands,
            Question::Patch => patches,
        }
    }
}

fn first_of(text: &str) -> String {
    text.chars().take(TEXT).collect()
}

impl Pairing {
    /// For one input. `stem` names the execution of records that name none.
    pub(in crate::trace::formats) fn new(
        format: &'static str,
        stem: &str,
        not_recorded: &'static [NotRecorded],
        names: Sessions,
    ) -> Self {
        Self {
            stem: stem.into(),
            names,
            named: None,
            cwd: None,
            not_recorded,
            sessions: HashMap::new(),
            waiting: Queue::default(),
            over: HashMap::new(),
            read: HashMap::new(),
            ran: HashSet::new(),
            rejected: HashMap::new(),
            asked: HashSet::new(),
            refused: Refused::default(),
            own_calls: OwnCalls::default(),
            told_elsewhere: HashSet::new(),
            told_by_copies: HashSet::new(),
            wishes: Wishes::default(),
            refusals: Refusals::default(),
            in_doubt: false,
            format,
            whole: false,
            unnamed: (0, 0),
            left_out: None,
        }
    }

    /// The execution that a record belongs to.
    fn key(&mut self, record: &SessionRecord<'_>, line: u64) -> Box<str> {
        let own = record.session.as_deref();
        match (self.names, own) {
            (Sessions::First, Some(own)) => {
                self.named.get_or_insert_with(|| own.into());
            }
            (Sessions::Last, Some(own)) => self.named = Some(own.into()),
            _ => {}
        }
        let session = self.named.as_deref().or(own).unwrap_or(&self.stem);
        if record.whole && self.whole && record.session.is_none() {
            let (known, count) = self.unnamed;
            self.unnamed = (line, if known == line { count + 1 } else { 1 });
            return match self.unnamed {
                (_, 1) => format!("{session}:{line}").into(),
                (_, n) => format!("{session}:{line}#{n}").into(),
            };
        }
        match record.agent.as_deref() {
            Some(agent) => format!("{session}/{agent}").into(),
            None => session.into(),
        }
    }

    fn event(&mut self, key: &str, line: u64, event: &Event<'_>, on: &mut dyn FnMut(Fed<'_, '_>)) {
        self.settle_claim(key, Some(&event.what), on);
        match &event.what {
            What::Prompt(text) => {
                if let Some(session) = self.sessions.get_mut(key) {
                    session.intent.get_or_insert_with(|| first_of(text));
                    session.answers += 1;
                }
            }
            What::Said(text) => self.said(key, line, event.time, text, on),
            What::CallsInText => {
                if let Some(session) = self.sessions.get_mut(key) {
                    session.has_calls_in_text = true;
                }
            }
            What::Call(call) => {
                if !self.was_copied(call) {
                    self.call(key, line, event.time, call, on);
                }
            }
            What::Wanted { call, ended } => {
                self.wanted(key, line, event.time, (call, ended.as_ref()), on);
            }
            What::Requested { request, id } => self.requested(key, request, id.as_deref()),
            What::Denied { request, by } => {
                if let Some(id) = self.denied_call(key, request.as_deref()) {
                    let what = What::Rejected {
                        id: Cow::Borrowed(&id),
                        by: *by,
                    };
                    self.event(key, line, &Event { what, ..*event }, on);
                }
            }
            What::OfPerson(id) => {
                self.told_elsewhere.insert(hash(id));
            }
            What::Began(call) => {
                if self.is_told_elsewhere(call.id.as_deref()) {
                    return;
                }
                // The same call under its id; another one under that id is another call.
                if !self.asked.contains(&hash_of(call)) {
                    self.call(key, line, event.time, call, on);
                }
            }
            What::Ended(ended) => self.ended(key, line, event.time, ended, on),
            What::Approved { id, by } => {
                let n = self.waiting.last_open(id);
                if let Some(waiting) = n.and_then(|n| self.waiting.get_mut(n)) {
                    waiting.decide(Some((true, *by)));
                }
            }
            What::Rejected { id, by } => {
                self.rejected((key, line, event.time), id, *by, None, on);
            }
            What::Refused { call, by } => {
                let id = call.id.as_deref().unwrap_or_default();
                self.rejected((key, line, event.time), id, *by, Some(call), on);
            }
            What::Change { id, change } => {
                let n = self.waiting.last_open(id);
                if let Some(waiting) = n.and_then(|n| self.waiting.get_mut(n)) {
                    waiting.change = Some(change.clone());
                }
            }
            // The caller has chosen the session.
            What::Session(_) | What::Part(_) | What::File => {}
            What::Decided {
                call,
                decision,
                late,
            } => {
                let known = self.mentioned(key, call).filter(|_| call.id.is_some());
                if known.is_none() && *late && self.is_over(key, call) {
                    return;
                }
                if let Some(n) = known.or_else(|| self.call(key, line, event.time, call, on)) {
                    self.begin(n, call, *decision);
                }
            }
            What::Asked(call, question) => {
                let known = self.mentioned(key, call).filter(|_| call.id.is_some());
                let n = known.or_else(|| self.call(key, line, event.time, call, on));
                if let Some(waiting) = n.and_then(|n| self.waiting.get_mut(n)) {
                    waiting.question = Some(*question);
                }
                if let (Some(n), Some(session)) = (n, self.sessions.get_mut(key)) {
                    session.questions_of(*question).push_back(n);
                }
            }
            What::Answered { id, to, allowed } => {
                self.answered(key, id.as_deref(), *to, *allowed);
            }
            What::Done {
                call,
                decision,
                ended,
            } => {
                let known = self.mentioned(key, call);
                if let Some(n) = known.or_else(|| self.call(key, line, event.time, call, on)) {
                    self.begin(n, call, *decision);
                    self.result(n, event.time, ended, on);
                }
            }
        }
    }

    /// A call without a result that was mentioned before; without an id, the oldest one of that
    /// tool that has none either.
    fn mentioned(&self, key: &str, call: &Call<'_>) -> Option<u64> {
        let Some(id) = call.id.as_deref() else {
            return self.waiting.first_open_of(key, &call.tool);
        };
        let n = self.waiting.last_open(id)?;
        let same = |w: &Waiting| *w.session == *key;
        self.waiting.get(n).is_some_and(same).then_some(n)
    }

    /// Whether a call was handed on.
    fn is_over(&self, key: &str, call: &Call<'_>) -> bool {
        let session = self.sessions.get(key);
        let over = |id| session.is_some_and(|s| s.ids.contains(&hash(id)));
        call.id.as_deref().is_some_and(over)
    }

    /// A session with one call more; it starts with its first.
    fn next_turn(&mut self, key: &str, on: &mut dyn FnMut(Fed<'_, '_>)) -> Option<&mut Session> {
        self.start(key, on);
        let session = self.sessions.get_mut(key)?;
        session.turns += 1;
        Some(session)
    }

    fn call(
        &mut self,
        key: &str,
        line: u64,
        time: Option<Timestamp>,
        call: &Call<'_>,
        on: &mut dyn FnMut(Fed<'_, '_>),
    ) -> Option<u64> {
        // What was rejected before it began has no end.
        let denied = self.sessions.get_mut(key)?;
        for n in std::mem::take(&mut denied.denied) {
            if self.waiting.get(n).is_some_and(|w| !w.began) {
                self.hand_on(n, false, on);
            }
        }
        let session = self.sessions.get_mut(key)?;
        let waiting = Waiting {
            session: key.into(),
            line,
            asked: session.answers,
            time,
            id: call.id.as_deref().map(Into::into),
            tool: (*call.tool).into(),
            input: (*call.input).into(),
            cwd: session.cwd.clone().filter(|_| session.cwd != session.root),
            said: session.said.take(),
            decision: None,
            contradicted: false,
            began: false,
            question: None,
            change: None,
            result: None,
        };
        if self.asked.len() < REMEMBERED {
            self.asked.insert(hash_of(call));
        }
        self.was_made(key, call);
        let refused = call.id.as_deref().and_then(|id| self.refused.remove(id));
        self.waiting.push(waiting);
        if let (Some(by), Some(n)) = (refused, self.waiting.last_number())
            && let Some(waiting) = self.waiting.get_mut(n)
        {
            waiting.decide(Some((false, by)));
        }
        let number = self.waiting.last_number();
        while self.waiting.held() > WAITING
            && let Some((n, oldest)) = self.waiting.first()
        {
            if oldest.result.is_none() {
                let what = format!(
                    "calls that wait for their results hold more than {WAITING} bytes: the result of this one isn't searched for"
                );
                report_limit(&oldest.session, oldest.line, what, on);
            }
            self.hand_on(n, false, on);
        }
        number
    }

    fn ended(
        &mut self,
        key: &str,
        line: u64,
        time: Option<Timestamp>,
        ended: &Ended<'_>,
        on: &mut dyn FnMut(Fed<'_, '_>),
    ) {
        if let Some(session) = self.sessions.get_mut(key) {
            session.answers += 1;
        }
        let id = ended.id.as_deref();
        if self.end_was_copied(id) || self.is_told_elsewhere(id) {
            return;
        }
        let found = match ended.id.as_deref() {
            Some(id) => self.waiting.last_open_in(id, key),
            None => self.waiting.first_open(key),
        };
        if let Some(n) = found {
            self.result(n, time, ended, on);
            return;
        }
        let before = ended.id.as_deref().and_then(|id| self.over.get(&hash(id)));
        let before = before.copied();
        if before == Some(hash_of_end(ended)) {
            return;
        }
        if let Some(id) = ended.id.as_deref()
            && self.contradicts(key, line, id, ended, on)
        {
            return;
        }
        if let Some(id) = ended.id.as_deref() {
            self.refused.remove(id);
        }
        let again = before.is_some();
        let Some(session) = self.next_turn(key, on) else {
            return;
        };
        let text = write::call(&CallParts {
            execution: key,
            turn: session.turns,
            id: ended.id.as_deref().unwrap_or_default(),
            time,
            tool: None,
            reasoning: None,
            action: None,
            decision: None,
            contradicted: false,
            end: End::Result {
                how: ended.how,
                output: &ended.output,
                exit_code: ended.exit_code,
                time,
            },
            again,
            rejected_before: None,
        });
        feed(RecordKind::Call, key, line, &text, on);
    }

    /// Takes note of the result of a call.
    fn result(
        &mut self,
        n: u64,
        time: Option<Timestamp>,
        ended: &Ended<'_>,
        on: &mut dyn FnMut(Fed<'_, '_>),
    ) {
        if let Some(id) = ended.id.as_deref().filter(|_| self.over.len() < REMEMBERED) {
            self.over.insert(hash(id), hash_of_end(ended));
            if ended.how == How::Ok {
                self.ran.insert(hash(id));
            }
        }
        let tool = self.waiting.get(n).map_or("", |w| &w.tool);
        let how = match ended.how {
            How::RejectedInNote(_) if tool.starts_with("mcp__") => How::RejectedByText,
            How::RejectedInOutput(_) if !wraps_output(tool) => How::RejectedByText,
            How::RejectedInNote(by) | How::RejectedInOutput(by) => How::Rejected(by),
            how => how,
        };
        let kept = Kept {
            how,
            output: ended.output.clone().into_owned(),
            exit_code: ended.exit_code,
            change: ended.change.clone(),
            time,
        };
        self.waiting.end(n, kept);
        // A later record may show that it was rejected.
        self.in_doubt |= how == How::ErrorSoFar;
        let settled = how != How::RejectedByText && !self.in_doubt;
        let is_full = |queue: &Queue| queue.held() > WAITING;
        if settled || is_full(&self.waiting) && self.waiting.first_ended().is_none() {
            self.hand_on(n, false, on);
        }
        while is_full(&self.waiting)
            && let Some(oldest) = self.waiting.first_ended()
        {
            self.hand_on(oldest, false, on);
        }
    }

    /// Hands on the record of a call.
    fn hand_on(&mut self, n: u64, last: bool, on: &mut dyn FnMut(Fed<'_, '_>)) {
        let Some(waiting) = self.waiting.take(n) else {
            return;
        };
        let result = waiting.result.as_ref();
        let decision = match (result.map(|r| r.how), waiting.decision) {
            (Some(How::Rejected(by)), None | Some((true, _))) => Some((false, by)),
            (_, decision) => decision,
        };
        if let (Some((false, by)), Some(id)) = (decision, waiting.id.as_deref())
            && self.rejected.len() < REMEMBERED
        {
            self.rejected.insert(hash(id), by);
        }
        self.start(&waiting.session, on);
        let Some(session) = self.sessions.get_mut(&waiting.session) else {
            return;
        };
        session.turns += 1;
        let rejected = matches!(decision, Some((false, _)));
        let allowed_before = matches!(waiting.decision, Some((true, _)));
        let exit_code = result.and_then(|r| r.exit_code);
        let how = match result.map(|r| r.how) {
            // The mark shows what the text only said, and that nothing ran which could fail.
            Some(How::RejectedByText) if rejected => How::Cancelled,
            Some(How::ErrorSoFar) if rejected => How::Cancelled,
            Some(How::Error | How::NoSign) if rejected && exit_code.is_none() => How::Cancelled,
            Some(how) => how,
            None => How::Cancelled,
        };
        let change = result.and_then(|r| r.change.as_ref());
        let change = change.or(waiting.change.as_ref());
        let action = asked(
            &waiting.tool,
            &waiting.input,
            waiting.cwd.as_deref(),
            change
                .and_then(|change| change.diff(session.root.as_deref()))
                .as_deref(),
        );
        // An id that comes again is another call's: that goes by its number as well.
        let number = session.turns.to_string();
        let id = waiting.id.as_deref().unwrap_or(&number);
        let id = if session.ids.len() >= REMEMBERED || session.ids.insert(hash(id)) {
            Cow::Borrowed(id)
        } else {
            Cow::Owned(format!("{id}#{number}"))
        };
        let turn = session.turns;
        let place = Place {
            session: session.parent.as_deref().unwrap_or(&waiting.session),
            execution: &waiting.session,
            root: session.root.as_deref(),
        };
        // Calls whose arguments aren't recorded all look the same.
        let comparable = !self.not_recorded.contains(&NotRecorded::Arguments);
        let refusals = Some(&mut self.refusals).filter(|_| comparable);
        let rejected_before = match (refusals, decision) {
            (Some(refusals), Some((false, _))) => {
                refusals.add(&place, &action, &id);
                None
            }
            (Some(refusals), None) => refusals.before(&place, &action).map(str::to_owned),
            _ => None,
        };
        let end = match result {
            Some(result) => End::Result {
                how,
                output: &result.output,
                exit_code: result.exit_code,
                time: result.time,
            },
            None if rejected => End::Result {
                how,
                output: "",
                exit_code: None,
                time: None,
            },
            None => End::None { last },
        };
        let text = write::call(&CallParts {
            execution: &waiting.session,
            turn,
            id: &id,
            time: waiting.time,
            tool: Some(&waiting.tool),
            reasoning: waiting.said.as_deref(),
            action: Some(&action),
            decision,
            contradicted: waiting.contradicted || rejected && allowed_before,
            end,
            again: false,
            rejected_before: rejected_before.as_deref(),
        });
        feed(RecordKind::Call, &waiting.session, waiting.line, &text, on);
    }

    /// Takes note of a session, and of where it works.
    fn open(&mut self, key: &str, line: u64, parent: Option<&str>, cwd: Option<&str>) {
        if self.sessions.len() >= SESSIONS && !self.sessions.contains_key(key) {
            self.left_out.get_or_insert(line);
            return;
        }
        let of_parent = parent.and_then(|parent| self.sessions.get(parent)?.root.clone());
        let session = self.sessions.entry(key.into()).or_insert_with(|| Session {
            line,
            parent: parent.map(Into::into),
            root: self.cwd.clone(),
            cwd: self.cwd.clone(),
            ..Session::default()
        });
        // A sub-agent works where its session does, unless it says something else.
        if session.root.is_none() && cwd.is_none() {
            session.root.clone_from(&of_parent);
            session.cwd = of_parent;
        }
        if let Some(cwd) = cwd {
            session.root.get_or_insert_with(|| cwd.into());
            if session.cwd.as_deref() != Some(cwd) {
                session.cwd = Some(cwd.into());
            }
        }
    }

    /// Hands on what still waits when nothing more comes.
    fn hand_on_rest(&mut self, on: &mut dyn FnMut(Fed<'_, '_>)) {
        let last = self.waiting.last().map(|w| w.asked);
        while let Some((n, waiting)) = self.waiting.first() {
            let is_last = Some(waiting.asked) == last;
            self.hand_on(n, is_last, on);
        }
    }

    /// Hands on the start of a session, once.
    fn start(&mut self, key: &str, on: &mut dyn FnMut(Fed<'_, '_>)) {
        let Some(session) = self.sessions.get_mut(key).filter(|s| !s.started) else {
            return;
        };
        session.started = true;
        let text = write::start(
            key,
            session.parent.as_deref(),
            session.intent.as_deref().unwrap_or_default(),
            session.root.as_deref(),
            self.not_recorded,
        );
        feed(RecordKind::ExecutionStarted, key, session.line, &text, on);
    }
}

impl Reader for Pairing {
    fn feed(&mut self, entry: &Entry<'_>, on: &mut dyn FnMut(Fed<'_, '_>)) {
        let Record::Native(NativeRecord::Session(record)) = &entry.record else {
            on(Fed {
                execution: None,
                entry,
                problem: None,
            });
            return;
        };
        let empty = record.session.is_none() && record.events.is_empty();
        let other = empty && self.report_other_format(entry, on);
        let unread = if other || record.tells_of_calls() || !unread::may_grow(self.format) {
            Vec::new()
        } else {
            unread::calls(entry.text)
        };
        // A summary or a setting makes no session.
        if empty && self.named.is_none() && entry.problems.is_empty() && unread.is_empty() {
            if let Some(cwd) = record.cwd.as_deref() {
                self.cwd = Some(cwd.into());
                let stem = self.stem.clone();
                if self.sessions.contains_key(&*stem) {
                    self.open(&stem, entry.line, None, Some(cwd));
                }
            }
            return;
        }
        let key = self.key(record, entry.line);
        self.whole |= record.whole;
        if record.header {
            self.stem = (*key).into();
        }
        // What is wrong with the record is reported of the record, whatever it tells.
        if !entry.problems.is_empty() {
            on(Fed {
                execution: Some(Cow::Borrowed(&*key)),
                entry,
                problem: None,
            });
        }
        // A record that comes again tells the same; under its id, another one tells more.
        if let Some(id) = record.id.as_deref() {
            let told = told(record);
            if self.read.get(&hash(id)) == Some(&told) {
                return;
            }
            if self.read.len() < REMEMBERED {
                self.read.entry(hash(id)).or_insert(told);
            }
        }
        let of_agent = |agent: &str| key.strip_suffix(agent)?.strip_suffix('/');
        let parent = record.agent.as_deref().and_then(of_agent);
        if record.copy {
            return self.copied(&key, entry.line, (record, parent), on);
        }
        let first = record.events.first().map(|event| &event.what);
        if !matches!(first, Some(What::Session(_) | What::Part(_) | What::File)) {
            self.open(&key, entry.line, parent, record.cwd.as_deref());
        }
        let own = key.clone();
        let mut key = key;
        let ends: Vec<usize> = if record.events.iter().any(|event| event.at > 0) {
            memchr::memchr_iter(b'\n', entry.text.as_bytes()).collect()
        } else {
            Vec::new()
        };
        for event in &record.events {
            let line = entry.line + ends.partition_point(|end| *end < event.at) as u64;
            let other: Option<Box<str>> = match &event.what {
                What::Session(id) => Some((**id).into()),
                What::Part(name) => {
                    self.hand_on_rest(on);
                    Some(format!("{own}/{name}").into())
                }
                What::File => Some((*self.stem).into()),
                _ => None,
            };
            if let Some(other) = other {
                key = other;
                self.open(&key, line, None, None);
            }
            self.event(&key, line, event, on);
        }
        for (at, call) in &unread {
            let before = entry.text.as_bytes().get(..*at).unwrap_or_default();
            let line = entry.line + memchr::memchr_iter(b'\n', before).count() as u64;
            self.wanted(&key, line, None, (call, None), on);
        }
        if record.whole {
            self.settle_wanted(on);
            self.settle_claim(&key, None, on);
            self.hand_on_rest(on);
        }
    }

    fn finish(&mut self, on: &mut dyn FnMut(Fed<'_, '_>)) {
        if let Some(line) = self.left_out {
            let what = format!(
                "the input names more than {SESSIONS} sessions: this one and others after it aren't checked"
            );
            report_limit(&self.stem, line, what, on);
        }
        self.settle_wanted(on);
        self.hand_on_refused(on);
        let mut sessions: Vec<_> = self.sessions.keys().cloned().collect();
        sessions.sort_unstable();
        for key in sessions {
            self.start(&key, on);
            self.settle_claim(&key, None, on);
        }
        self.hand_on_rest(on);
    }
}
