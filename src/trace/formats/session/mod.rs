//! Sessions of coding agents: what their formats share.
//!
//! A record of a session contains texts, calls and results. A call and its result may be far apart.
//! The [`Pairing`] joins them and emits one record of `ExecutionRecord` for each call. Everything
//! after it therefore works on sessions, and a converted session is exactly what was replayed.

pub mod atif;
pub mod claude_code;
pub mod cline;
pub mod codex;
pub mod codex_exec;
pub mod codex_log;
mod copilot_history;
pub mod gemini;
mod given;
pub mod inspect;
mod known;
mod lists;
pub mod messages;
pub mod openhands;
pub mod otlp;
mod otlp_arguments;
mod otlp_claude;
mod otlp_events;
mod otlp_models;
#[cfg(test)]
mod otlp_tests;
mod pairing;
mod python;
pub mod swe_agent;
#[cfg(test)]
mod tests;
mod text_calls;
mod tools;
mod unread;
mod waiting;
mod write;

pub(super) use pairing::{Pairing, Sessions};

use super::{Coverage, FormatRecord, OwnCalls, Reader, RecordClass, Routing, TraceFormat, Unit};
use crate::schema::Catalogue;
use crate::trace::entry::Record;
use crate::trace::record::NotRecorded;
use crate::trace::scalar::Timestamp;
use crate::trace::step::Step;
use governance::{DecidedBy, FsmVersion};
use serde::Deserialize;
use std::borrow::Cow;
use strict_json::{Deserializer, Error, Raw, Scanner, Str, push_quoted};
use util::keyed_hash;

/// A record of a session, or a whole session in one document.
#[derive(Debug, Default)]
pub struct SessionRecord<'a> {
    /// Id of its session, as recorded.
    pub(super) session: Option<Cow<'a, str>>,
    /// Id of its sub-agent.
    pub(super) agent: Option<Cow<'a, str>>,
    /// Its own id. A session that continues another one repeats its records.
    pub(super) id: Option<Cow<'a, str>>,
    /// Working directory of the agent.
    pub(super) cwd: Option<Cow<'a, str>>,
    /// It is a whole session: calls without a result in it never had one, and another document
    /// without an id is another session.
    pub(super) whole: bool,
    /// The records after it that name no session belong to its session.
    pub(super) header: bool,
    /// It repeats records of a sub-agent's own session, if that is kept.
    pub(super) copy: bool,
    /// Its events in their order.
    pub(super) events: Vec<Event<'a>>,
    /// Values in place of lists of calls, with what is wrong.
    pub(in crate::trace) malformed: Vec<(&'a str, String)>,
}

/// A format of sessions, defined by how a record is detected and read.
pub(super) struct SessionFormat {
    pub(super) name: &'static str,
    /// Parts that no record contains.
    pub(super) not_recorded: &'static [NotRecorded],
    /// Each record has a line of its own, whatever the file looks like.
    pub(super) is_line_oriented: bool,
    /// A record may be an array: a whole session on a line.
    pub(super) has_arrays: bool,
    /// Members that the program writes twice, without a meaning.
    pub(super) repeats: &'static [&'static str],
    /// How records are assigned to sessions.
    pub(super) names: Sessions,
    pub(super) is_shape_of: fn(&Unit<'_>) -> bool,
    /// Names of the members that are lists and hold the messages or calls of a document.
    pub(super) lists: &'static [&'static str],
    pub(super) read: Read,
}

/// How a record is read from its text.
pub(super) enum Read {
    /// The text is validated first. The value is the whole record.
    Value(for<'a> fn(Raw<'a>, &'a str) -> SessionRecord<'a>),
    /// The record is read while the text is validated, which is quicker for formats with a record
    /// for each event. Returns `None` if it is of another type.
    AtOnce(for<'a> fn(&mut Scanner<'a>, &'a str) -> Option<SessionRecord<'a>>),
}

impl TraceFormat for SessionFormat {
    fn name(&self) -> &'static str {
        self.name
    }

    fn coverage(&self) -> Coverage {
        Coverage::Complete
    }

    fn routing(&self) -> Routing {
        Routing::ByInput
    }

    fn machine(&self) -> FsmVersion {
        FsmVersion::Session
    }

    fn is_line_oriented(&self) -> bool {
        self.is_line_oriented
    }

    fn has_arrays(&self) -> bool {
        self.has_arrays
    }

    fn repeats_member(&self, pointer: &str) -> bool {
        self.repeats.contains(&pointer)
    }

    fn is_shape_of(&self, unit: &Unit<'_>) -> bool {
        (self.is_shape_of)(unit)
    }

    fn read<'a>(&self, scanner: &mut Scanner<'a>, text: &'a str) -> Result<Record<'a>, Error> {
        if let Read::AtOnce(read) = self.read {
            // A type finds its duplicates at no cost. If there are some, the scanner notes them.
            for trust in [true, false] {
                scanner.trust_types(trust);
                if let Some(record) = read(scanner, text)
                    && scanner.end().is_ok()
                {
                    return Ok(Box::new(record).into());
                }
                scanner.reset(text);
            }
        }
        scanner.trust_types(false);
        let raw = Raw::deserialize(&mut Deserializer::new(scanner))?;
        scanner.end()?;
        let mut record = match self.read {
            Read::Value(read) => read(raw, text),
            Read::AtOnce(_) => SessionRecord::default(),
        };
        let texts = self.name == messages::FORMAT.name;
        record
            .malformed
            .extend(lists::malformed(self.lists, texts, raw));
        Ok(Box::new(record).into())
    }

    fn reader(&self, stem: &str, own_calls: &OwnCalls) -> Box<dyn Reader> {
        let names = self.names;
        let mut pairing = Pairing::new(self.name, stem, self.not_recorded, names);
        pairing.own_calls = own_calls.clone();
        Box::new(pairing)
    }

    fn not_recorded(&self, _: bool) -> Option<&'static str> {
        None
    }

    fn add_schemas(&self, _: &mut Catalogue) {}
}

impl SessionRecord<'_> {
    /// Returns hashes that identify its calls.
    pub(in crate::trace::formats) fn call_hashes(&self) -> impl Iterator<Item = u64> {
        self.events.iter().filter_map(|event| match &event.what {
            EventKind::Call(call) | EventKind::Began(call) => Some(keyed_hash(call)),
            _ => None,
        })
    }

    /// Returns whether it contains more than texts.
    fn has_calls(&self) -> bool {
        !self.events.iter().all(Event::is_said)
    }
}

/// An event of a record.
#[derive(Debug)]
pub(super) struct Event<'a> {
    /// Byte offset in the record.
    pub(super) at: usize,
    pub(super) time: Option<Timestamp>,
    pub(super) what: EventKind<'a>,
}

impl Event<'_> {
    /// Returns whether it is only a text.
    const fn is_said(&self) -> bool {
        matches!(
            self.what,
            EventKind::Prompt(_)
                | EventKind::Said(_)
                | EventKind::CallsInText
                | EventKind::Moved(_)
        )
    }
}

/// Content of a session's event.
#[derive(Debug, Hash)]
pub(super) enum EventKind<'a> {
    /// A request to the agent.
    Prompt(Cow<'a, str>),
    /// A text of the agent.
    Said(Cow<'a, str>),
    /// From here on, the agent writes its calls into its texts.
    CallsInText,
    /// The agent requests a call.
    Call(Call<'a>),
    /// A call that a model requested, or a copy of a call with its end. Its execution is recorded
    /// elsewhere, if at all.
    Wanted {
        call: Call<'a>,
        /// Its end, if known here.
        ended: Option<CallEnd<'a>>,
    },
    /// A request for approval of a call, with an id of its own.
    Requested {
        /// Id of the request.
        request: Cow<'a, str>,
        /// Id of the call, if the request names it.
        id: Option<Cow<'a, str>>,
    },
    /// A request was allowed or denied.
    RequestDecided {
        /// Id of the request, if there is one.
        request: Option<Cow<'a, str>>,
        allowed: bool,
        by: DecidedBy,
    },
    /// A call begins. It is the same as one that was requested under its id.
    Began(Call<'a>),
    Ended(CallEnd<'a>),
    /// The end of a call whose record may have no id, although the end has one.
    Responded {
        tool: Cow<'a, str>,
        ended: CallEnd<'a>,
    },
    /// The following events belong to another conversation of the record, with this name.
    Part(Cow<'a, str>),
    /// A call that waits for its result was approved.
    Approved {
        id: Cow<'a, str>,
        by: DecidedBy,
    },
    /// A hook gave a call that waits for its result other arguments.
    Updated {
        id: Cow<'a, str>,
        /// The tool and those arguments.
        call: Call<'a>,
    },
    /// A call was rejected, by a mark of its own. Its result may have come already.
    Rejected {
        id: Cow<'a, str>,
        by: DecidedBy,
    },
    /// A call was rejected; no other record may mention it.
    Refused {
        call: Call<'a>,
        by: DecidedBy,
    },
    /// The call with this id was made by a person, not by the agent.
    OfPerson(Cow<'a, str>),
    /// The change of a file by a call that has no result yet.
    Change {
        id: Cow<'a, str>,
        change: Change,
    },
    /// The following calls are made in this directory.
    Moved(Cow<'a, str>),
    /// The following events of the record belong to this session.
    Session(Cow<'a, str>),
    /// The following events of the record belong to the session that is named after the file.
    File,
    /// A decision about a call, or its beginning. The call may have come already.
    Decided {
        call: Call<'a>,
        /// Whether it was allowed, and by whom.
        decision: Option<(bool, DecidedBy)>,
        /// The result may have come already.
        late: bool,
    },
    /// A question whether a call may be executed, with the hash of its turn's id.
    Asked(Call<'a>, Question, Option<u64>),
    /// The answer to the oldest open question of a kind, in a turn if it is named.
    Answered {
        /// Id of the call or of the turn, if the answer names it.
        id: Option<Cow<'a, str>>,
        to: Question,
        /// Whether it was allowed; `None` when the answer is neither yes nor no.
        allowed: Option<bool>,
    },
    /// A call together with its end.
    Done {
        /// The call, which may have come already.
        call: Call<'a>,
        /// Whether it was allowed, and by whom.
        decision: Option<(bool, DecidedBy)>,
        ended: CallEnd<'a>,
    },
}

/// Subject of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Question {
    Command,
    Patch,
}

/// A call of a tool.
#[derive(Debug, Hash)]
pub(super) struct Call<'a> {
    /// `None` in a format without ids: then the next result belongs to it.
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) tool: Cow<'a, str>,
    /// Arguments as JSON.
    pub(super) input: Cow<'a, str>,
}

impl Call<'_> {
    /// Returns a copy that owns its texts.
    fn to_owned(&self) -> Call<'static> {
        let own = |text: &str| Cow::Owned(text.to_owned());
        Call {
            id: self.id.as_deref().map(own),
            tool: own(&self.tool),
            input: own(&self.input),
        }
    }
}

/// End of a call.
#[derive(Debug, Hash)]
pub(super) struct CallEnd<'a> {
    /// Id of the call; `None` in a format without ids.
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) how: CallStatus,
    pub(super) output: Cow<'a, str>,
    pub(super) exit_code: Option<i64>,
    /// How it changed a file.
    pub(super) change: Option<Change>,
}

impl CallEnd<'_> {
    /// Returns whether it shows that the call was executed, at least in part.
    fn shows_execution(&self) -> bool {
        let exited = self.exit_code.is_some_and(|code| code >= 0);
        match self.how {
            CallStatus::Ok | CallStatus::Failed | CallStatus::Stopped => true,
            CallStatus::Error => exited,
            _ => false,
        }
    }

    /// Returns a copy that owns its texts.
    fn to_owned(&self) -> CallEnd<'static> {
        CallEnd {
            id: self.id.as_deref().map(|id| Cow::Owned(id.to_owned())),
            how: self.how,
            output: Cow::Owned((*self.output).to_owned()),
            exit_code: self.exit_code,
            change: self.change.clone(),
        }
    }
}

/// A change of a file.
#[derive(Debug, Clone, Hash)]
pub(super) struct Change {
    /// Path as recorded.
    pub(super) path: String,
    /// Hunks of a unified diff.
    pub(super) hunks: String,
}

impl Change {
    /// Returns whether the arguments of a call contain the path.
    fn is_named(&self, input: &str) -> bool {
        let mut written = String::new();
        push_quoted(&mut written, &self.path);
        input.contains(written.trim_matches('"'))
    }

    /// Returns the change as a diff relative to the work tree; `None` when the file is outside,
    /// since its path then matters more than the change.
    pub(super) fn diff(&self, root: Option<&str>) -> Option<String> {
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

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CallStatus {
    /// Without an error.
    Ok,
    /// Without evidence of an error or of an execution.
    NoSign,
    /// With an error.
    Error,
    /// With an error so far; the end of the input lists what was rejected.
    ErrorSoFar,
    /// With an error, and a structured part shows that it was executed.
    Failed,
    /// The format doesn't record it.
    NotRecorded,
    Interrupted,
    /// It was interrupted, and a structured part shows that it had begun.
    Stopped,
    /// It wasn't executed, and nobody rejected it.
    Cancelled,
    /// A structured mark says that it was rejected.
    Rejected(DecidedBy),
    /// Only a text says that it was rejected.
    RejectedByText,
    /// A note of the program says that it was rejected. Tools of servers can write such notes too;
    /// for those, the note is only a text.
    RejectedInNote(DecidedBy),
    /// The whole output says that it was rejected. Tools whose output is wrapped can't forge that;
    /// for the others, it is only a text.
    RejectedInOutput(DecidedBy),
}

impl<'a> FormatRecord<'a> for SessionRecord<'a> {
    fn class(&self) -> RecordClass {
        if self.events.is_empty() {
            RecordClass::Remark
        } else {
            RecordClass::Event
        }
    }

    fn is_fully_derived(&self) -> bool {
        true
    }

    fn steps<'r>(&'r self, _: &mut dyn FnMut(&Step<'r, 'a>)) {
        // The steps come from the records that the pairing emits.
    }
}

/// A member of any type, read as a `T` if possible: writers change their formats.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lenient<T>(pub(super) Option<T>);

impl<T> Default for Lenient<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Option::<Raw<'de>>::deserialize(deserializer)?;
        Ok(Self(raw.and_then(Raw::read)))
    }
}

/// An exit code, written as a number or as the text of one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ExitCode(pub(super) Option<i64>);

impl<'de> Deserialize<'de> for ExitCode {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Option::<Raw<'de>>::deserialize(deserializer)?;
        let written = raw.map(|raw| match raw.as_str() {
            Some(text) => text.decode(),
            None => Cow::Borrowed(raw.as_written()),
        });
        let number = written.as_deref().map(|written| {
            let written = written.trim();
            let whole = written.split_once('.');
            let whole = whole.filter(|(_, rest)| rest.bytes().all(|digit| digit == b'0'));
            whole.map_or(written, |(whole, _)| whole)
        });
        Ok(Self(number.and_then(|number| number.parse().ok())))
    }
}

/// Like [`Lenient`], for the strings that most members are. They are taken from the text at once.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LenientStr<'a>(pub(super) Option<Str<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for LenientStr<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Option::<Raw<'de>>::deserialize(deserializer)?;
        Ok(Self(raw.and_then(Raw::as_str)))
    }
}

/// Returns the byte offset of `part` in `whole`.
pub(super) fn offset(whole: &str, part: &str) -> Option<usize> {
    (part.as_ptr() as usize)
        .checked_sub(whole.as_ptr() as usize)
        .filter(|at| *at <= whole.len())
}

/// Maximum depth of JSON inside a text.
const DEPTH: u32 = 1 << 10;

/// Returns the arguments of a call as a JSON object. They are recorded as an object, as a text that
/// contains one, or as another value, which becomes the member `name`.
pub(super) fn input<'a>(raw: Option<Raw<'a>>, name: &str) -> Cow<'a, str> {
    let Some(raw) = raw else {
        return Cow::Borrowed("{}");
    };
    let written = raw.as_written();
    if written.starts_with('{') {
        return Cow::Borrowed(written);
    }
    match raw.read::<Str<'_>>().map(Str::decode) {
        Some(text) => input_text(text, name),
        None if written == "null" => Cow::Borrowed("{}"),
        None => Cow::Owned(format!("{{\"{name}\":{written}}}")),
    }
}

/// Like [`input`], for a text.
pub(super) fn input_text<'a>(text: Cow<'a, str>, name: &str) -> Cow<'a, str> {
    let mut scanner = Scanner::new(&text, DEPTH);
    if text.trim_start().starts_with('{') && scanner.skip().is_ok() && scanner.end().is_ok() {
        return text;
    }
    if let Some(json) = python::to_json(&text) {
        return Cow::Owned(json);
    }
    let mut out = format!("{{\"{name}\":");
    push_quoted(&mut out, &text);
    out.push('}');
    Cow::Owned(out)
}

/// Returns a text, if there is one.
pub(super) fn text(text: LenientStr<'_>) -> Option<Cow<'_, str>> {
    text.0.map(Str::decode)
}

/// Collects the events of a record.
pub(super) struct Events<'a> {
    /// Text of the record.
    whole: &'a str,
    /// Time of the record.
    pub(super) time: Option<Timestamp>,
    /// Working directory, from texts that the program gave the agent.
    pub(super) cwd: Option<String>,
    /// Parts of the record that have been read.
    parts: unread::ReadParts,
    list: Vec<Event<'a>>,
}

impl<'a> Events<'a> {
    /// Creates an empty list for a record.
    pub(super) fn new(whole: &'a str, time: Option<Timestamp>) -> Self {
        Self {
            whole,
            time,
            cwd: None,
            parts: unread::ReadParts::default(),
            list: Vec::new(),
        }
    }

    /// Notes that a part of the record has been read, which may emit no event of its own.
    fn mark(&mut self, part: Raw<'_>, reading: unread::Reading) {
        self.parts.add(part.as_written(), reading);
    }

    /// Adds the calls in `raw` that the reader doesn't know. `from` is the number of events before
    /// it. Calls and results after them have been read; what is next to them has not.
    pub(super) fn push_unread_calls(&mut self, raw: Raw<'a>, from: usize) {
        for event in self.list.iter().skip(from) {
            let reading = match event.what {
                _ if event.is_said() => continue,
                EventKind::Ended(_) | EventKind::Responded { .. } => unread::Reading::Result,
                _ => unread::Reading::Call,
            };
            let part = self.whole.get(event.at..).unwrap_or_default();
            self.parts.add(part, reading);
        }
        let record = raw.as_written();
        let found = unread::calls_beside(record, &self.parts);
        if found.is_empty() {
            return;
        }
        let known = self.list.iter_mut().skip(from);
        let known = known.filter_map(|event| match &mut event.what {
            EventKind::Call(call) | EventKind::Began(call) | EventKind::Done { call, .. } => {
                Some(call)
            }
            _ => None,
        });
        for (at, call) in unread::not_in(known, found) {
            let part = record.get(at..).map_or(raw, Raw::trusted);
            self.push(part, EventKind::Wanted { call, ended: None });
        }
    }

    /// Adds an event from a part of the record.
    pub(super) fn push(&mut self, part: Raw<'_>, what: EventKind<'a>) {
        self.list.push(Event {
            at: offset(self.whole, part.as_written()).unwrap_or_default(),
            time: self.time,
            what,
        });
    }

    /// Returns an id for a call without one. Calls and results without ids are paired by order.
    pub(super) fn own_id(&self) -> Cow<'a, str> {
        format!("#{}", self.list.len() + 1).into()
    }

    /// Returns whether there is more than texts.
    pub(super) fn have_calls(&self) -> bool {
        !self.list.iter().all(Event::is_said)
    }

    /// Returns the number of events.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the calls after the first `from` events.
    pub(super) fn calls_from(&mut self, from: usize) -> impl Iterator<Item = &mut Call<'a>> {
        let new = self.list.iter_mut().skip(from);
        new.filter_map(|event| match &mut event.what {
            EventKind::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Returns the results after the first `from` events.
    pub(super) fn ends_from(&self, from: usize) -> impl Iterator<Item = &CallEnd<'a>> {
        let new = self.list.iter().skip(from);
        new.filter_map(|event| match &event.what {
            EventKind::Ended(ended) | EventKind::Responded { ended, .. } => Some(ended),
            _ => None,
        })
    }

    /// Returns only the calls, also those that the reader doesn't know.
    pub(super) fn into_calls(self) -> Vec<Call<'a>> {
        let calls = self.list.into_iter().filter_map(|event| match event.what {
            EventKind::Call(call) | EventKind::Wanted { call, .. } => Some(call),
            _ => None,
        });
        calls.collect()
    }

    /// Returns the result, if it was added last.
    pub(super) fn last_ended(&mut self) -> Option<&mut CallEnd<'a>> {
        match &mut self.list.last_mut()?.what {
            EventKind::Ended(ended) => Some(ended),
            _ => None,
        }
    }

    /// Sorts the events by time, if all have one.
    pub(super) fn sort(&mut self) {
        let timed = self.list.iter().all(|event| event.time.is_some());
        self.list.sort_by_key(|event| {
            // A call comes after its request.
            let is_request = matches!(event.what, EventKind::Wanted { .. });
            let time = event.time.filter(|_| timed);
            (time.map(Timestamp::millis), !is_request)
        });
    }

    /// Returns whether there are no events.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns all events.
    pub(super) fn into_list(self) -> Vec<Event<'a>> {
        self.list
    }
}

/// Like [`input`], for a member named `arguments`; an empty text has none.
pub(super) fn arguments(raw: Option<Raw<'_>>) -> Cow<'_, str> {
    let empty = |raw: &Raw<'_>| matches!(raw.as_written().trim(), "\"\"");
    input(raw.filter(|raw| !empty(raw)), "arguments")
}

/// Returns a JSON object with one member that contains a text.
pub(super) fn object_of(name: &str, value: &str) -> Cow<'static, str> {
    serde_json::json!({ name: value }).to_string().into()
}

/// Returns an id, which may be written as a number.
pub(super) fn id(raw: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    let raw = raw?;
    match raw.read::<Str<'_>>() {
        Some(text) => Some(text.decode()),
        None => Some(raw.as_written())
            .filter(|number| number.starts_with(|c: char| c == '-' || c.is_ascii_digit()))
            .map(Cow::Borrowed),
    }
}

/// Returns the elements of a list, or the value that stands in place of one.
pub(super) fn one_or_all(raw: Raw<'_>) -> Vec<Raw<'_>> {
    raw.read().unwrap_or_else(|| vec![raw])
}

/// Returns whether a text is one of some words.
pub(super) fn is_word(text: LenientStr<'_>, words: &[&str]) -> bool {
    text.0.is_some_and(|text| words.contains(&&*text.decode()))
}

/// Joins a result into one text: a string, blocks of a message or anything else. Parts other than
/// text (pictures, structures) are included as written.
pub(super) fn output(raw: Option<Raw<'_>>) -> Cow<'_, str> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Block<'a> {
        #[serde(borrow)]
        text: LenientStr<'a>,
    }
    let Some(raw) = raw else {
        return Cow::Borrowed("");
    };
    if let Some(one) = raw.read::<Str<'_>>() {
        return one.decode();
    }
    let Some(blocks) = raw.read::<Vec<Raw<'_>>>() else {
        return match raw.as_written() {
            "null" => Cow::Borrowed(""),
            other => Cow::Borrowed(other),
        };
    };
    let texts = blocks.iter().map(|block| {
        let text = block.read::<Str<'_>>();
        let text = text.or_else(|| block.read::<Block<'_>>().and_then(|b| b.text.0));
        text.map_or(Cow::Borrowed(block.as_written()), Str::decode)
    });
    Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod testing;
