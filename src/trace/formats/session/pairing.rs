//! Joins the calls of a session with their results.

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
use self::refusals::{CallOrigin, RejectedActions};
use self::refused::PendingRejections;
use self::said::Claim;
use self::wanted::RequestedCalls;
use super::known::{hash_of_end, hash_of_record};
use super::tools::{asked, wraps_output};
use super::unread;
use super::waiting::{CallResult, Queue, Waiting};
use super::write::{self, CallParts, End};
use super::{Call, CallEnd, CallStatus, DEPTH, Event, EventKind, Question, SessionRecord};
use crate::trace::entry::{Entry, Record};
use crate::trace::formats::{NativeRecord, OwnCalls, Reader, RoutedRecord};
use crate::trace::record::{NotRecorded, RecordKind};
use crate::trace::scalar::Timestamp;
use governance::DecidedBy;
use hashbrown::{HashMap, HashSet, hash_map};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use util::keyed_hash;

/// Maximum bytes of calls that wait for their results.
const WAITING: usize = 16 << 20;
/// Maximum number of remembered records and results, to recognise repeated ones.
const REMEMBERED: usize = 400_000;
/// Maximum number of sessions of one input.
const SESSIONS: usize = if cfg!(test) { 1_000 } else { 200_000 };
/// Maximum characters kept of an agent's text before a call and of its task.
const TEXT: usize = 2_000;
/// The session of a record that names none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::trace::formats) enum Sessions {
    /// The session named after the file.
    OfFile,
    /// The first session that the input names; later ones are history that it was given.
    First,
    /// The session that was named last.
    Last,
}

/// Keeps calls until their results come.
#[derive(Debug)]
pub(in crate::trace::formats) struct Pairing {
    /// Id of the execution of records that name none.
    stem: Arc<str>,
    names: Sessions,
    /// The named session, if it applies to more than one record.
    named: Option<Box<str>>,
    /// Working directory from a record before all sessions.
    cwd: Option<Box<str>>,
    not_recorded: &'static [NotRecorded],
    sessions: HashMap<Box<str>, Session>,
    waiting: Queue,
    /// Hash of the result by hash of the id, for finished calls.
    over: HashMap<u64, u64>,
    /// Hash of the content by hash of the id, for records that were read.
    read: HashMap<u64, u64>,
    /// Hashes of the ids of calls that were executed without an error.
    ran: HashSet<u64>,
    /// Calls that a structured mark rejected, by hash of their ids.
    rejected: HashMap<u64, DecidedBy>,
    /// Hashes of the requested calls.
    asked: HashSet<u64>,
    /// Rejections whose calls haven't been requested so far.
    refused: PendingRejections,
    /// Calls that other inputs contain.
    pub(in crate::trace::formats) own_calls: OwnCalls,
    /// Hashes of the ids of those calls that this input repeats.
    known_elsewhere: HashSet<u64>,
    /// Hashes of calls that only copies have contained so far, and of their ids.
    known_from_copies: HashSet<u64>,
    /// Calls that a model requested.
    requested_calls: RequestedCalls,
    /// Rejected actions, to recognise them in other parts of their sessions.
    refusals: RejectedActions,
    /// The end of the input may show that a call with a result was rejected. Later calls wait with
    /// that one, since whether they repeat a rejected call depends on the order.
    in_doubt: bool,
    format: &'static str,
    /// Whether a whole session without an id has been read.
    whole: bool,
    /// Line of the last further session without an id, and how many began on that line.
    unnamed: (u64, u64),
    /// Line of the first session beyond the limit.
    left_out: Option<u64>,
}

/// One session, or a sub-agent's part of it.
#[derive(Debug, Default)]
struct Session {
    started: bool,
    parent: Option<Box<str>>,
    line: u64,
    turns: u64,
    cwd: Option<Box<str>>,
    root: Option<Box<str>>,
    intent: Option<String>,
    /// The agent's last text.
    said: Option<String>,
    /// Number of prompts and results so far.
    answers: u64,
    /// Whether the agent writes its calls into its texts.
    has_calls_in_text: bool,
    /// A call that the agent claims, unless the call itself follows.
    claim: Option<Claim>,
    /// Hashes of the ids of emitted calls.
    ids: HashSet<u64>,
    /// Calls with an open question, oldest first: commands and patches.
    questions: [VecDeque<(u64, Option<u64>)>; 2],
    /// Id of the call by hash of the id of its request.
    requests: HashMap<u64, Box<str>>,
    /// Calls that were rejected before they began; and hashes of their ids.
    denied: Vec<u64>,
    denied_ids: HashSet<u64>,
}

impl Session {
    fn questions_of(&mut self, question: Question) -> &mut VecDeque<(u64, Option<u64>)> {
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
    /// Creates the pairing of one input. `stem` names the execution of records that name none.
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
            refused: PendingRejections::default(),
            own_calls: OwnCalls::default(),
            known_elsewhere: HashSet::new(),
            known_from_copies: HashSet::new(),
            requested_calls: RequestedCalls::default(),
            refusals: RejectedActions::default(),
            in_doubt: false,
            format,
            whole: false,
            unnamed: (0, 0),
            left_out: None,
        }
    }

    /// Returns the execution of a record.
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

    fn event(
        &mut self,
        key: &str,
        line: u64,
        event: &Event<'_>,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        self.settle_claim(key, Some(&event.what), on);
        match &event.what {
            EventKind::Prompt(text) => {
                if let Some(session) = self.sessions.get_mut(key) {
                    session.intent.get_or_insert_with(|| first_of(text));
                    session.answers += 1;
                }
            }
            EventKind::Said(text) => self.said(key, line, event.time, text, on),
            EventKind::CallsInText => {
                if let Some(session) = self.sessions.get_mut(key) {
                    session.has_calls_in_text = true;
                }
            }
            EventKind::Call(call) => {
                if !self.was_copied(call) {
                    self.call(key, line, event.time, call, on);
                }
            }
            EventKind::Wanted { call, ended } => {
                self.wanted(key, line, event.time, (call, ended.as_ref()), on);
            }
            EventKind::Requested { request, id } => self.requested(key, request, id.as_deref()),
            EventKind::RequestDecided { .. } => self.request_decided(key, line, event, on),
            EventKind::Moved(directory) => self.moved(key, directory),
            EventKind::OfPerson(id) => {
                self.known_elsewhere.insert(keyed_hash(id));
            }
            EventKind::Began(call) => {
                if self.is_known_elsewhere(call.id.as_deref()) {
                    return;
                }
                // A repeated call has the same content; other content under the same id is another
                // call.
                if !self.asked.contains(&keyed_hash(call)) {
                    self.call(key, line, event.time, call, on);
                }
            }
            EventKind::Ended(ended) => self.ended(key, line, event.time, ended, on),
            EventKind::Responded { tool, ended } => {
                self.responded((key, line, event.time), tool, ended, on);
            }
            EventKind::Approved { id, by } => {
                let n = self.waiting.last_open_in(id, key);
                if let Some(waiting) = n.and_then(|n| self.waiting.get_mut(n)) {
                    waiting.decide(Some((true, *by)));
                }
            }
            EventKind::Updated { id, call } => self.updated((key, line, event.time), id, call, on),
            EventKind::Rejected { id, by } => {
                self.rejected((key, line, event.time), id, *by, None, on);
            }
            EventKind::Refused { call, by } => {
                let id = call.id.as_deref().unwrap_or_default();
                self.rejected((key, line, event.time), id, *by, Some(call), on);
            }
            EventKind::Change { id, change } => {
                let n = self.waiting.last_open_in(id, key);
                if let Some(waiting) = n.and_then(|n| self.waiting.get_mut(n)) {
                    waiting.change = Some(change.clone());
                }
            }
            // The caller has selected the session.
            EventKind::Session(_) | EventKind::Part(_) | EventKind::File => {}
            EventKind::Decided {
                call,
                decision,
                late,
            } => {
                let known = self.begun(key, call).filter(|_| call.id.is_some());
                if known.is_none() && *late && self.is_over(key, call) {
                    return;
                }
                if let Some(n) = known.or_else(|| self.call(key, line, event.time, call, on)) {
                    self.begin(n, call, *decision);
                }
            }
            EventKind::Asked(call, question, turn) => {
                let known = self.begun(key, call).filter(|_| call.id.is_some());
                let n = known.or_else(|| self.call(key, line, event.time, call, on));
                if let Some(waiting) = n.and_then(|n| self.waiting.get_mut(n)) {
                    waiting.question = Some(*question);
                }
                if let (Some(n), Some(session)) = (n, self.sessions.get_mut(key)) {
                    session.questions_of(*question).push_back((n, *turn));
                }
            }
            EventKind::Answered { id, to, allowed } => {
                self.answered(key, id.as_deref(), *to, *allowed);
            }
            EventKind::Done {
                call,
                decision,
                ended,
            } => {
                self.done((key, line, event.time), call, *decision, ended, on);
            }
        }
    }

    /// Finds a call without a result that came earlier. For a call without an id, finds the oldest
    /// call of the same tool that has no id either.
    fn mentioned(&self, key: &str, call: &Call<'_>) -> Option<u64> {
        let Some(id) = call.id.as_deref() else {
            return self.waiting.first_open_of(key, &call.tool);
        };
        let n = self.waiting.last_open_in(id, key)?;
        let same = |w: &Waiting| *w.session == *key;
        self.waiting.get(n).is_some_and(same).then_some(n)
    }

    /// Returns whether a call has been emitted.
    fn is_over(&self, key: &str, call: &Call<'_>) -> bool {
        let session = self.sessions.get(key);
        let over = |id| session.is_some_and(|s| s.ids.contains(&keyed_hash(id)));
        call.id.as_deref().is_some_and(over)
    }

    /// Counts one more call of a session, and starts the session with the first.
    fn next_turn(
        &mut self,
        key: &str,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) -> Option<&mut Session> {
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
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) -> Option<u64> {
        // A call that was rejected before it began has no end.
        let denied = self.sessions.get_mut(key)?;
        for n in std::mem::take(&mut denied.denied) {
            if self.waiting.get(n).is_some_and(|w| !w.began) {
                self.emit_call(n, false, on);
            }
        }
        let input = self.with_requested(key, call);
        let session = self.sessions.get_mut(key)?;
        let waiting = Waiting {
            session: key.into(),
            line,
            asked: session.answers,
            time,
            id: call.id.as_deref().map(Into::into),
            tool: (*call.tool).into(),
            input: (*input).into(),
            is_updated: false,
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
            self.asked.insert(keyed_hash(call));
        }
        self.register_call(key, call, &input);
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
                    "calls waiting for results exceed {WAITING} bytes: this call's result is ignored"
                );
                report_limit(&oldest.session, oldest.line, what, on);
            }
            self.emit_call(n, false, on);
        }
        number
    }

    fn ended(
        &mut self,
        key: &str,
        line: u64,
        time: Option<Timestamp>,
        ended: &CallEnd<'_>,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        if let Some(session) = self.sessions.get_mut(key) {
            session.answers += 1;
        }
        let id = ended.id.as_deref();
        if self.end_was_copied(id) || self.is_known_elsewhere(id) {
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
        let before = ended
            .id
            .as_deref()
            .and_then(|id| self.over.get(&keyed_hash(id)));
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

    /// Records the result of a call.
    fn result(
        &mut self,
        n: u64,
        time: Option<Timestamp>,
        ended: &CallEnd<'_>,
        on: &mut dyn FnMut(RoutedRecord<'_, '_>),
    ) {
        if let Some(id) = ended.id.as_deref().filter(|_| self.over.len() < REMEMBERED) {
            self.over.insert(keyed_hash(id), hash_of_end(ended));
            if ended.shows_execution() {
                self.ran.insert(keyed_hash(id));
            }
        }
        let tool = self.waiting.get(n).map_or("", |w| &w.tool);
        let how = match ended.how {
            CallStatus::RejectedInNote(_) if tool.starts_with("mcp__") => {
                CallStatus::RejectedByText
            }
            CallStatus::RejectedInOutput(_) if !wraps_output(tool) => CallStatus::RejectedByText,
            CallStatus::RejectedInNote(by) | CallStatus::RejectedInOutput(by) => {
                CallStatus::Rejected(by)
            }
            how => how,
        };
        let kept = CallResult {
            how,
            output: ended.output.clone().into_owned(),
            exit_code: ended.exit_code,
            change: ended.change.clone(),
            time,
        };
        self.waiting.end(n, kept);
        // A later record may show that it was rejected.
        self.in_doubt |= how == CallStatus::ErrorSoFar;
        let settled = how != CallStatus::RejectedByText && !self.in_doubt;
        let is_full = |queue: &Queue| queue.held() > WAITING;
        if settled || is_full(&self.waiting) && self.waiting.first_ended().is_none() {
            self.emit_call(n, false, on);
        }
        while is_full(&self.waiting)
            && let Some(oldest) = self.waiting.first_ended()
        {
            self.emit_call(oldest, false, on);
        }
    }

    /// Emits the record of a call.
    fn emit_call(&mut self, n: u64, last: bool, on: &mut dyn FnMut(RoutedRecord<'_, '_>)) {
        let Some(waiting) = self.waiting.take(n) else {
            return;
        };
        let result = waiting.result.as_ref();
        let decision = match (result.map(|r| r.how), waiting.decision) {
            (Some(CallStatus::Rejected(by)), None | Some((true, _))) => Some((false, by)),
            (_, decision) => decision,
        };
        if let (Some((false, by)), Some(id)) = (decision, waiting.id.as_deref())
            && self.rejected.len() < REMEMBERED
        {
            self.rejected.insert(keyed_hash(id), by);
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
            // The mark confirms what the text only said, and that nothing was executed that could
            // fail.
            Some(CallStatus::RejectedByText) if rejected => CallStatus::Cancelled,
            Some(CallStatus::ErrorSoFar | CallStatus::Interrupted) if rejected => {
                CallStatus::Cancelled
            }
            // A rejected call that was executed in part was executed.
            Some(CallStatus::Stopped) if rejected => CallStatus::Failed,
            Some(CallStatus::Error | CallStatus::NoSign) if rejected && exit_code.is_none() => {
                CallStatus::Cancelled
            }
            Some(how) => how,
            None => CallStatus::Cancelled,
        };
        let change = result.and_then(|r| r.change.as_ref());
        let change = change.or(waiting.change.as_ref());
        let diff = change.and_then(|change| change.diff(session.root.as_deref()));
        // A hook may have changed what the tool did.
        let is_outside = diff.is_none() && session.root.is_some();
        let elsewhere = change.filter(|change| is_outside && !change.is_named(&waiting.input));
        let action = asked(
            &waiting.tool,
            &waiting.input,
            waiting.cwd.as_deref(),
            diff.as_deref(),
            elsewhere.map(|change| change.path.as_str()),
        );
        // A repeated id belongs to another call, so the call's number is appended.
        let number = session.turns.to_string();
        let id = waiting.id.as_deref().unwrap_or(&number);
        let id = if session.ids.len() >= REMEMBERED || session.ids.insert(keyed_hash(id)) {
            Cow::Borrowed(id)
        } else {
            Cow::Owned(format!("{id}#{number}"))
        };
        let turn = session.turns;
        let place = CallOrigin {
            session: session.parent.as_deref().unwrap_or(&waiting.session),
            execution: &waiting.session,
            root: session.root.as_deref(),
        };
        // Calls without recorded arguments are indistinguishable.
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

    /// Opens a session and sets its working directory.
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
        // A sub-agent works in its session's directory unless it records another one.
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

    /// Emits the calls that still wait when no more records follow.
    fn emit_rest(&mut self, on: &mut dyn FnMut(RoutedRecord<'_, '_>)) {
        let last = self.waiting.last().map(|w| w.asked);
        while let Some((n, waiting)) = self.waiting.first() {
            let is_last = Some(waiting.asked) == last;
            self.emit_call(n, is_last, on);
        }
    }

    /// Emits the start of a session, once.
    fn start(&mut self, key: &str, on: &mut dyn FnMut(RoutedRecord<'_, '_>)) {
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
    fn feed(&mut self, entry: &Entry<'_>, on: &mut dyn FnMut(RoutedRecord<'_, '_>)) {
        let Record::Native(NativeRecord::Session(record)) = &entry.record else {
            on(RoutedRecord {
                execution: None,
                entry,
                problem: None,
            });
            return;
        };
        let empty = record.session.is_none() && record.events.is_empty();
        let other = empty && self.report_other_format(entry, on);
        let unread = if other || record.has_calls() || !unread::may_grow(self.format) {
            Vec::new()
        } else {
            unread::calls(entry.text)
        };
        // A summary or a setting doesn't open a session.
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
        // Problems of the record are reported on the record itself, whatever it contains.
        if !entry.problems.is_empty() {
            on(RoutedRecord {
                execution: Some(Cow::Borrowed(&*key)),
                entry,
                problem: None,
            });
        }
        // A repeated record has the same content; other content under the same id is new.
        if let Some(id) = record.id.as_deref() {
            let told = hash_of_record(record);
            let has_room = self.read.len() < REMEMBERED;
            match self.read.entry(keyed_hash(id)) {
                hash_map::Entry::Occupied(before) if *before.get() == told => return,
                hash_map::Entry::Vacant(place) if has_room => {
                    place.insert(told);
                }
                hash_map::Entry::Occupied(_) | hash_map::Entry::Vacant(_) => {}
            }
        }
        let of_agent = |agent: &str| key.strip_suffix(agent)?.strip_suffix('/');
        let parent = record.agent.as_deref().and_then(of_agent);
        if record.copy {
            return self.copied(&key, entry.line, (record, parent), on);
        }
        let first = record.events.first().map(|event| &event.what);
        if !matches!(
            first,
            Some(EventKind::Session(_) | EventKind::Part(_) | EventKind::File)
        ) {
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
                EventKind::Session(id) => Some((**id).into()),
                EventKind::Part(name) => {
                    self.emit_rest(on);
                    Some(format!("{own}/{name}").into())
                }
                EventKind::File => Some((*self.stem).into()),
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
            self.emit_unmatched(on);
            self.settle_claim(&key, None, on);
            self.emit_rest(on);
        }
    }

    fn finish(&mut self, on: &mut dyn FnMut(RoutedRecord<'_, '_>)) {
        if let Some(line) = self.left_out {
            let what =
                format!("the input names more than {SESSIONS} sessions: later ones aren't checked");
            report_limit(&self.stem, line, what, on);
        }
        self.emit_unmatched(on);
        self.emit_rejected(on);
        let mut sessions: Vec<_> = self.sessions.keys().cloned().collect();
        sessions.sort_unstable();
        for key in sessions {
            self.start(&key, on);
            self.settle_claim(&key, None, on);
        }
        self.emit_rest(on);
    }
}
