//! Brings the calls of a session and their results together.

use super::tools::asked;
use super::write::{self, CallParts, End};
use super::{Call, Change, Ended, Event, How, SessionRecord, What};
use crate::rules::codes;
use crate::trace::entry::{Entry, Problem, Record};
use crate::trace::formats::{Fed, NativeRecord, Reader};
use crate::trace::record::{NotRecorded, RecordKind};
use crate::trace::scalar::Timestamp;
use crate::trace::v1;
use governance::DecidedBy;
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;
use std::collections::VecDeque;
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
    /// Calls without a result, the oldest first.
    waiting: VecDeque<Waiting>,
    /// Bytes of those.
    held: usize,
    /// The results of calls that are over: hashes of the id and of the result.
    over: HashMap<u64, u64>,
    /// Hashes of the ids of records that were read.
    read: HashSet<u64>,
    /// Hashes of the ids of calls that were handed on, with their sessions.
    used: HashSet<u64>,
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
}

/// A call that has no result yet, or one that only a text takes for a rejection.
#[derive(Debug)]
struct Waiting {
    session: Box<str>,
    line: u64,
    /// How many prompts and results came before it: calls with the same number were asked for
    /// together.
    asked: u64,
    time: Option<Timestamp>,
    id: Option<Box<str>>,
    tool: Box<str>,
    input: Box<str>,
    cwd: Option<Box<str>>,
    said: Option<String>,
    rejected: Option<DecidedBy>,
    approved: Option<DecidedBy>,
    result: Option<(Ended<'static>, Option<Timestamp>)>,
}

impl Waiting {
    fn weight(&self) -> usize {
        let output = self.result.as_ref().map_or(0, |(r, _)| r.output.len());
        size_of::<Self>()
            + self.input.len()
            + self.tool.len()
            + self.said.as_ref().map_or(0, String::len)
            + output
    }
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
            waiting: VecDeque::new(),
            held: 0,
            over: HashMap::new(),
            read: HashSet::new(),
            used: HashSet::new(),
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
                    self.waiting.iter().any(|w| w.id.as_deref() == Some(id))
                        || self.over.contains_key(&hash(id))
                };
                if !call.id.as_deref().is_some_and(asked) {
                    self.call(key, line, event.time, call, on);
                }
            }
            What::Ended(ended) => self.ended(key, line, event.time, ended, on),
            // Handled where the session of the events is known.
            What::Session(_) => {}
            What::Approved { id, by } => {
                let waits = |w: &&mut Waiting| w.id.as_deref() == Some(id) && w.result.is_none();
                if let Some(waiting) = self.waiting.iter_mut().rfind(waits) {
                    waiting.approved = Some(*by);
                }
            }
            What::Rejected { id, by } => {
                let waits = |w: &Waiting| w.id.as_deref() == Some(id);
                if let Some(n) = self.waiting.iter().position(waits) {
                    if let Some(waiting) = self.waiting.get_mut(n) {
                        waiting.rejected = Some(*by);
                    }
                    let has_result = |w: &Waiting| w.result.is_some();
                    if self.waiting.get(n).is_some_and(has_result) {
                        self.hand_on(n, false, on);
                    }
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
        self.held += waiting.weight();
        self.waiting.push_back(waiting);
        while self.held > WAITING && !self.waiting.is_empty() {
            let line = self.waiting.front().map_or(line, |w| w.line);
            let problem = Problem {
                code: codes::LIMIT_EXCEEDED,
                at: (0, 1),
                pointer: None,
                message: format!(
                    "calls that wait for their results hold more than {WAITING} bytes: from here on the result of the oldest isn't looked for"
                ),
            };
            let entry = Entry::unread((line, 0), "", Vec::new(), Vec::new());
            let owner = self.waiting.front().map(|w| w.session.to_string());
            on(Fed {
                execution: owner.map(Cow::Owned),
                entry: &entry,
                problem: Some(problem),
            });
            self.hand_on(0, false, on);
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
        // The last call of that id is meant; without ids, the oldest call of the session.
        let found = match ended.id.as_deref() {
            Some(id) => self
                .waiting
                .iter()
                .rposition(|w| w.id.as_deref() == Some(id) && w.result.is_none()),
            None => self
                .waiting
                .iter()
                .position(|w| *w.session == *key && w.id.is_none() && w.result.is_none()),
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
            let kept = Ended {
                id: None,
                how,
                output: Cow::Owned(ended.output.clone().into_owned()),
                exit_code: ended.exit_code,
                change: ended.change.clone(),
            };
            let doubtful = how == How::RejectedByText;
            if let Some(waiting) = self.waiting.get_mut(n) {
                self.held += kept.output.len();
                waiting.result = Some((kept, time));
            }
            // A later record may show that it was rejected.
            if !doubtful || self.held > WAITING {
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
    fn hand_on(&mut self, n: usize, last: bool, on: &mut dyn FnMut(Fed<'_, '_>)) {
        let Some(waiting) = self.waiting.remove(n) else {
            return;
        };
        self.held = self.held.saturating_sub(waiting.weight());
        self.start(&waiting.session, on);
        let Some(session) = self.sessions.get_mut(&*waiting.session) else {
            return;
        };
        session.turns += 1;
        let result = waiting.result.as_ref();
        let rejected = match result.map(|(r, _)| r.how) {
            Some(How::Rejected(by)) => Some(by),
            _ => waiting.rejected,
        };
        let how = match result.map(|(r, _)| r.how) {
            // The later mark shows what the text only said.
            Some(How::RejectedByText) if rejected.is_some() => How::Cancelled,
            Some(how) => how,
            None => How::Cancelled,
        };
        let change = result.and_then(|(r, _)| r.change.as_ref());
        let action = asked(
            &waiting.tool,
            &waiting.input,
            waiting.cwd.as_deref(),
            change
                .and_then(|change| change.diff(session.root.as_deref()))
                .as_deref(),
        );
        let number = session.turns.to_string();
        // Ids may repeat: then the number of the call makes them differ.
        let used = |id: &str| {
            let id = hash(&format!("{id}\n{}", waiting.session));
            self.used.contains(&id) || self.used.len() < REMEMBERED && !self.used.insert(id)
        };
        let id = match waiting.id.as_deref().map(used) {
            Some(true) => format!("{}#{number}", waiting.id.as_deref().unwrap_or_default()),
            Some(false) => waiting.id.as_deref().unwrap_or_default().to_owned(),
            None => number,
        };
        let end = match result {
            Some((result, time)) => End::Result {
                how,
                output: &result.output,
                exit_code: result.exit_code,
                time: *time,
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
        let last = self.waiting.back().map(|w| w.asked);
        while let Some(waiting) = self.waiting.front() {
            let is_last = Some(waiting.asked) == last;
            self.hand_on(0, is_last, on);
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
                code: codes::SCHEMA_VIOLATION,
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
