//! Brings the calls of a session and their results together.

use super::tools::asked;
use super::waiting::{Kept, Queue, Waiting};
use super::write::{self, CallParts, End};
use super::{Call, Change, Ended, Event, How, SessionRecord, What};
use crate::diag::Code;
use crate::trace::entry::{Entry, Problem, Record};
use crate::trace::formats::{Fed, NativeRecord, Reader};
use crate::trace::record::{NotRecorded, RecordKind};
use crate::trace::scalar::Timestamp;
use crate::trace::v1;
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use strict_json::Scanner;

/// Bytes of calls that wait for their results.
const WAITING: usize = 16 << 20;
/// Records and results that are remembered, to know them again.
const REMEMBERED: usize = 400_000;
/// Characters that are kept of what an agent said before a call, and of what it was asked.
const TEXT: usize = 2_000;
/// Levels that the records which are written here may have: those of the input, and a few around
/// them.
const DEPTH: u32 = 1 << 10;

/// Waits with calls until their results come.
#[derive(Debug)]
pub(in crate::trace::formats) struct Pairing {
    /// The execution of records that name none.
    stem: Arc<str>,
    not_recorded: &'static [NotRecorded],
    sessions: HashMap<Box<str>, Session>,
    waiting: Queue,
    /// The results of calls that are over: hashes of the id and of the result.
    over: HashMap<u64, u64>,
    /// Hashes of the ids of records that were read.
    read: HashSet<u64>,
    /// Whether a whole session that names none was read.
    whole: bool,
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
    /// Hashes of the ids of calls that were handed on.
    ids: HashSet<u64>,
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl Change {
    /// The change as a diff that is relative to the work tree; none where the file lies elsewhere:
    /// then its name says more than what changed.
    fn diff(&self, root: Option<&str>) -> Option<String> {
        let inside = match root {
            Some(root) if self.path.starts_with('/') => self
                .path
                .strip_prefix(root.trim_end_matches('/'))?
                .strip_prefix('/')?,
            _ => &self.path,
        };
        let plain = !inside.starts_with('/') && !inside.contains(['\n', '\r', '\t', '"']);
        plain.then(|| format!("--- a/{inside}\n+++ b/{inside}\n{}", self.hunks))
    }
}

fn first_of(text: &str) -> String {
    text.chars().take(TEXT).collect()
}

impl Pairing {
    /// For one input. `stem` names the execution of records that name none.
    pub(in crate::trace::formats) fn new(stem: &str, not_recorded: &'static [NotRecorded]) -> Self {
        Self {
            stem: stem.into(),
            not_recorded,
            sessions: HashMap::new(),
            waiting: Queue::default(),
            over: HashMap::new(),
            read: HashSet::new(),
            whole: false,
        }
    }

    /// The execution that a record on a line belongs to.
    fn key(&self, record: &SessionRecord<'_>, line: u64) -> Box<str> {
        let session = record.session.as_deref().unwrap_or(&self.stem);
        if record.whole && self.whole && record.session.is_none() {
            return format!("{session}:{line}").into();
        }
        match record.agent.as_deref() {
            Some(agent) => format!("{session}/{agent}").into(),
            None => session.into(),
        }
    }

    fn event(&mut self, key: &str, line: u64, event: &Event<'_>, on: &mut dyn FnMut(Fed<'_, '_>)) {
        match &event.what {
            What::Prompt(text) => {
                if let Some(session) = self.sessions.get_mut(key) {
                    session.intent.get_or_insert_with(|| first_of(text));
                    session.answers += 1;
                }
            }
            What::Said(text) => {
                if let Some(session) = self.sessions.get_mut(key) {
                    session.said = Some(first_of(text));
                }
            }
            What::Call(call) => self.call(key, line, event.time, call, on),
            What::Began(call) => {
                let asked = |id: &str| {
                    self.waiting.last_open(id).is_some() || self.over.contains_key(&hash(id))
                };
                if !call.id.as_deref().is_some_and(asked) {
                    self.call(key, line, event.time, call, on);
                }
            }
            What::Ended(ended) => self.ended(key, line, event.time, ended, on),
            // Handled where the session of the events is known.
            What::Session(_) => {}
            What::Approved { id, by } => {
                if let Some(n) = self.waiting.last_open(id) {
                    self.waiting.approve(n, *by);
                }
            }
            What::Rejected { id, by } => {
                if let Some(n) = self.waiting.last_open(id) {
                    self.waiting.reject(n, *by);
                } else if let Some(n) = self.waiting.last_doubtful(id) {
                    self.waiting.reject(n, *by);
                    self.hand_on(n, false, on);
                }
            }
        }
    }

    fn call(
        &mut self,
        key: &str,
        line: u64,
        time: Option<Timestamp>,
        call: &Call<'_>,
        on: &mut dyn FnMut(Fed<'_, '_>),
    ) {
        let Some(session) = self.sessions.get_mut(key) else {
            return;
        };
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
            rejected: None,
            approved: None,
            result: None,
        };
        self.waiting.push(waiting);
        while self.waiting.held() > WAITING
            && let Some((n, oldest)) = self.waiting.first()
        {
            let message = format!(
                "calls that wait for their results hold more than {WAITING} bytes: the result of this one isn't looked for"
            );
            let problem = Problem {
                code: Code(107),
                at: (0, 1),
                pointer: None,
                message,
            };
            let entry = Entry::unread((oldest.line, 0), "", Vec::new(), Vec::new());
            on(Fed {
                execution: Some(Cow::Owned(oldest.session.to_string())),
                entry: &entry,
                problem: Some(problem),
            });
            self.hand_on(n, false, on);
        }
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
        let found = match ended.id.as_deref() {
            Some(id) => self.waiting.last_open(id),
            None => self.waiting.first_open(key),
        };
        if let Some(n) = found {
            if let Some(id) = ended.id.as_deref().filter(|_| self.over.len() < REMEMBERED) {
                self.over.insert(hash(id), hash(&ended.output));
            }
            let of_server = |w: &Waiting| w.tool.starts_with("mcp__");
            let how = match (ended.how, self.waiting.get(n).is_some_and(of_server)) {
                (How::RejectedInNote(_), true) => How::RejectedByText,
                (How::RejectedInNote(by), false) => How::Rejected(by),
                (how, _) => how,
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
            if how != How::RejectedByText || self.waiting.held() > WAITING {
                self.hand_on(n, false, on);
            }
            return;
        }
        let before = ended.id.as_deref().and_then(|id| self.over.get(&hash(id)));
        if before == Some(&hash(&ended.output)) {
            return;
        }
        let again = before.is_some();
        self.start(key, on);
        let Some(session) = self.sessions.get_mut(key) else {
            return;
        };
        session.turns += 1;
        let text = write::call(&CallParts {
            execution: key,
            turn: session.turns,
            id: ended.id.as_deref().unwrap_or_default(),
            time,
            tool: None,
            reasoning: None,
            action: None,
            decision: None,
            end: End::Result {
                how: ended.how,
                output: &ended.output,
                exit_code: ended.exit_code,
                time,
            },
            again,
        });
        feed(RecordKind::Call, key, line, &text, on);
    }

    /// Hands on the record of a call.
    fn hand_on(&mut self, n: u64, last: bool, on: &mut dyn FnMut(Fed<'_, '_>)) {
        let Some(waiting) = self.waiting.take(n) else {
            return;
        };
        self.start(&waiting.session, on);
        let Some(session) = self.sessions.get_mut(&*waiting.session) else {
            return;
        };
        session.turns += 1;
        let result = waiting.result.as_ref();
        let rejected = match result.map(|r| r.how) {
            Some(How::Rejected(by)) => Some(by),
            _ => waiting.rejected,
        };
        let how = match result.map(|r| r.how) {
            // The later mark shows what the text only said.
            Some(How::RejectedByText) if rejected.is_some() => How::Cancelled,
            Some(how) => how,
            None => How::Cancelled,
        };
        let change = result.and_then(|r| r.change.as_ref());
        let action = asked(
            &waiting.tool,
            &waiting.input,
            waiting.cwd.as_deref(),
            change
                .and_then(|change| change.diff(session.root.as_deref()))
                .as_deref(),
        );
        // An id that comes again is another call's: that goes by its number as well.
        let id = match waiting.id.as_deref() {
            Some(id) if session.ids.len() >= REMEMBERED || session.ids.insert(hash(id)) => {
                Cow::Borrowed(id)
            }
            Some(id) => Cow::Owned(format!("{id}#{}", session.turns)),
            None => Cow::Owned(session.turns.to_string()),
        };
        let end = match result {
            Some(result) => End::Result {
                how,
                output: &result.output,
                exit_code: result.exit_code,
                time: result.time,
            },
            None if rejected.is_some() => End::Result {
                how,
                output: "",
                exit_code: None,
                time: None,
            },
            None => End::None { last },
        };
        let text = write::call(&CallParts {
            execution: &waiting.session,
            turn: session.turns,
            id: &id,
            time: waiting.time,
            tool: Some(&waiting.tool),
            reasoning: waiting.said.as_deref(),
            action: Some(&action),
            decision: rejected
                .map(|by| (false, by))
                .or(waiting.approved.map(|by| (true, by))),
            end,
            again: false,
        });
        feed(RecordKind::Call, &waiting.session, waiting.line, &text, on);
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

/// Hands on a record that is written here.
fn feed(kind: RecordKind, key: &str, line: u64, text: &str, on: &mut dyn FnMut(Fed<'_, '_>)) {
    let mut entry = Entry::unread((line, 0), text, Vec::new(), Vec::new());
    entry.derived = true;
    match v1::read(kind, &mut Scanner::new(text, DEPTH)) {
        Ok(record) => entry.record = Record::V1(record),
        Err(error) => {
            // What can't be read as a call is one that nobody has checked.
            entry.problems.push(Problem {
                code: Code(103),
                at: (0, 1),
                pointer: None,
                message: format!("this call can't be read: {error}"),
            });
        }
    }
    on(Fed {
        execution: Some(Cow::Borrowed(key)),
        entry: &entry,
        problem: None,
    });
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
        // A summary or a setting makes no session.
        if record.session.is_none() && record.events.is_empty() && entry.problems.is_empty() {
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
        if let Some(id) = record.id.as_deref()
            && (self.read.contains(&hash(id))
                || self.read.len() < REMEMBERED && !self.read.insert(hash(id)))
        {
            return;
        }
        let parent = record.agent.as_ref().and(record.session.as_deref());
        let several = matches!(
            record.events.first(),
            Some(Event {
                what: What::Session(_),
                ..
            })
        );
        if !several {
            let session = self.sessions.entry(key.clone()).or_insert_with(|| Session {
                line: entry.line,
                parent: parent.map(Into::into),
                ..Session::default()
            });
            if let Some(cwd) = record.cwd.as_deref() {
                session.root.get_or_insert_with(|| cwd.into());
                if session.cwd.as_deref() != Some(cwd) {
                    session.cwd = Some(cwd.into());
                }
            }
        }
        let mut current = key.clone();
        let mut lines = (0, entry.line);
        for event in &record.events {
            if event.at < lines.0 {
                lines = (0, entry.line);
            }
            let between = entry.text.as_bytes().get(lines.0..event.at);
            let passed = between.map_or(0, |bytes| memchr::memchr_iter(b'\n', bytes).count());
            lines = (event.at.max(lines.0), lines.1 + passed as u64);
            if let What::Session(name) = &event.what {
                self.hand_on_rest(on);
                current = format!("{key}/{name}").into();
                self.sessions
                    .entry(current.clone())
                    .or_insert_with(|| Session {
                        line: lines.1,
                        ..Session::default()
                    });
            }
            self.event(&current, lines.1, event, on);
        }
        if record.whole {
            self.hand_on_rest(on);
        }
    }

    fn finish(&mut self, on: &mut dyn FnMut(Fed<'_, '_>)) {
        let mut sessions: Vec<_> = self.sessions.keys().cloned().collect();
        sessions.sort_unstable();
        for key in sessions {
            self.start(&key, on);
        }
        self.hand_on_rest(on);
    }
}
