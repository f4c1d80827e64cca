//! Sessions of coding agents: what their formats share.
//!
//! A record of a session tells of texts, calls and results, each of which may stand far from the
//! others. The [`Pairing`] brings a call and its result together and hands on one record of
//! `ExecutionRecord` for each call, so that whatever works on traces works on sessions, and a
//! conversion is what was replayed.

pub mod atif;
pub mod claude_code;
pub mod cline;
pub mod codex;
pub mod codex_log;
mod copilot_history;
pub mod gemini;
pub mod inspect;
mod known;
pub mod messages;
pub mod openhands;
pub mod otlp;
mod otlp_models;
mod pairing;
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
use strict_json::{Deserializer, Error, Raw, Scanner, Str};

/// A record of a session, or a whole session that stands in one document.
#[derive(Debug, Default)]
pub struct SessionRecord<'a> {
    /// The session that it belongs to, by its own word.
    pub(super) session: Option<Cow<'a, str>>,
    /// The sub-agent that it is of.
    pub(super) agent: Option<Cow<'a, str>>,
    /// Its own id: sessions that go on with others repeat records.
    pub(super) id: Option<Cow<'a, str>>,
    /// Where the agent works.
    pub(super) cwd: Option<Cow<'a, str>>,
    /// Whether it is a whole session: what isn't answered in it never was, and another one that
    /// names no session is a session of its own.
    pub(super) whole: bool,
    /// Whether the records after it that name no session belong to its session.
    pub(super) header: bool,
    /// Whether it repeats what a sub-agent's own session tells, if that is kept.
    pub(super) copy: bool,
    /// What it tells, in its order.
    pub(super) events: Vec<Event<'a>>,
}

/// A format of sessions that is no more than how a record is recognised and read.
pub(super) struct SessionFormat {
    pub(super) name: &'static str,
    /// What no record holds.
    pub(super) not_recorded: &'static [NotRecorded],
    /// Whether each record is on a line of its own, whatever else the file looks like.
    pub(super) is_line_oriented: bool,
    /// Whether a record may be an array: a whole session on a line.
    pub(super) has_arrays: bool,
    /// Which session a record belongs to.
    pub(super) names: Sessions,
    pub(super) is_shape_of: fn(&Unit<'_>) -> bool,
    pub(super) read: for<'a> fn(Raw<'a>, &'a str) -> SessionRecord<'a>,
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

    fn is_shape_of(&self, unit: &Unit<'_>) -> bool {
        (self.is_shape_of)(unit)
    }

    fn read<'a>(&self, scanner: &mut Scanner<'a>, text: &'a str) -> Result<Record<'a>, Error> {
        scanner.trust_types(false);
        let raw = Raw::deserialize(&mut Deserializer::new(scanner))?;
        scanner.end()?;
        Ok(Box::new((self.read)(raw, text)).into())
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
    /// What its calls are known again by.
    pub(in crate::trace::formats) fn call_hashes(&self) -> impl Iterator<Item = u64> {
        self.events.iter().filter_map(|event| match &event.what {
            What::Call(call) | What::Began(call) => Some(known::hash_of(call)),
            _ => None,
        })
    }

    /// Whether it tells of more than what was said.
    fn tells_of_calls(&self) -> bool {
        !self.events.iter().all(Event::is_said)
    }
}

/// One thing that a record tells.
#[derive(Debug)]
pub(super) struct Event<'a> {
    /// Bytes of the record before it.
    pub(super) at: usize,
    /// When, where that is recorded.
    pub(super) time: Option<Timestamp>,
    /// What.
    pub(super) what: What<'a>,
}

impl Event<'_> {
    /// Whether somebody has only said something.
    const fn is_said(&self) -> bool {
        matches!(
            self.what,
            What::Prompt(_) | What::Said(_) | What::CallsInText
        )
    }
}

/// What a record of a session may tell.
#[derive(Debug)]
pub(super) enum What<'a> {
    /// Somebody asked for something.
    Prompt(Cow<'a, str>),
    /// The agent said something.
    Said(Cow<'a, str>),
    /// The agent writes its calls into what it says, from here on.
    CallsInText,
    /// The agent asks for a call.
    Call(Call<'a>),
    /// A model asked for a call, or a copy of what is told elsewhere says how it ended. What ran is
    /// told in another place, if it is.
    Wanted {
        /// The call.
        call: Call<'a>,
        /// Its end, where that is known here.
        ended: Option<Ended<'a>>,
    },
    /// Somebody is asked whether a call may run, under an id of its own.
    Requested {
        /// The id of the request.
        request: Cow<'a, str>,
        /// The call, where the request names it.
        id: Option<Cow<'a, str>>,
    },
    /// A request was denied.
    Denied {
        /// The id of the request, where there is one.
        request: Option<Cow<'a, str>>,
        /// By whom.
        by: DecidedBy,
    },
    /// A call begins to run. It is the same as one that was asked for under its id.
    Began(Call<'a>),
    /// A call has ended.
    Ended(Ended<'a>),
    /// What follows is of another conversation of the record, with this name in it.
    Part(Cow<'a, str>),
    /// A call that waits for its result was approved.
    Approved {
        /// The call.
        id: Cow<'a, str>,
        /// By whom.
        by: DecidedBy,
    },
    /// A call was rejected, by a mark of its own. The result may have been told already.
    Rejected {
        /// The call.
        id: Cow<'a, str>,
        /// By whom.
        by: DecidedBy,
    },
    /// A call was rejected. Nothing else may tell of it.
    Refused {
        /// The call.
        call: Call<'a>,
        /// By whom.
        by: DecidedBy,
    },
    /// A call with this id is a person's, and none of the agent's.
    OfPerson(Cow<'a, str>),
    /// How a call that has no result yet changes a file.
    Change {
        /// The call.
        id: Cow<'a, str>,
        /// The change.
        change: Change,
    },
    /// What follows in the record belongs to this session.
    Session(Cow<'a, str>),
    /// What follows in the record belongs to the session that is named after the file.
    File,
    /// Somebody or something decided about a call, or it began. It may have been mentioned before.
    Decided {
        /// The call.
        call: Call<'a>,
        /// Whether it was allowed, and by whom.
        decision: Option<(bool, DecidedBy)>,
        /// The result may have been told already.
        late: bool,
    },
    /// Somebody is asked whether a call may run.
    Asked(Call<'a>, Question),
    /// The answer to the oldest open question of a kind.
    Answered {
        /// The call, where the answer names it.
        id: Option<Cow<'a, str>>,
        /// Which kind of question.
        to: Question,
        /// Whether it was allowed; none where the answer is neither yes nor no.
        allowed: Option<bool>,
    },
    /// A call and its end in one.
    Done {
        /// The call. It may have been mentioned before.
        call: Call<'a>,
        /// Whether it was allowed, and by whom.
        decision: Option<(bool, DecidedBy)>,
        /// Its end.
        ended: Ended<'a>,
    },
}

/// What somebody is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// A command.
    Command,
    /// A patch.
    Patch,
}

/// A call.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// Its id; none where the format has none: then the next result is its.
    pub(super) id: Option<Cow<'a, str>>,
    /// The tool.
    pub(super) tool: Cow<'a, str>,
    /// What it is given, as JSON.
    pub(super) input: Cow<'a, str>,
}

impl Call<'_> {
    /// The same, of texts of its own.
    fn to_owned(&self) -> Call<'static> {
        let own = |text: &str| Cow::Owned(text.to_owned());
        Call {
            id: self.id.as_deref().map(own),
            tool: own(&self.tool),
            input: own(&self.input),
        }
    }
}

/// The end of a call.
#[derive(Debug)]
pub(super) struct Ended<'a> {
    /// The call; none where the format has no ids.
    pub(super) id: Option<Cow<'a, str>>,
    /// How.
    pub(super) how: How,
    /// What it gave back.
    pub(super) output: Cow<'a, str>,
    /// The exit code, where there is one.
    pub(super) exit_code: Option<i64>,
    /// How a file changed.
    pub(super) change: Option<Change>,
}

impl Ended<'_> {
    /// The same, of texts of its own.
    fn to_owned(&self) -> Ended<'static> {
        Ended {
            id: self.id.as_deref().map(|id| Cow::Owned(id.to_owned())),
            how: self.how,
            output: Cow::Owned((*self.output).to_owned()),
            exit_code: self.exit_code,
            change: self.change.clone(),
        }
    }
}

/// A change of a file.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// The file, as the record names it.
    pub(super) path: String,
    /// Hunks of a unified diff.
    pub(super) hunks: String,
}

impl Change {
    /// The change as a diff that is relative to the work tree; none where the file lies elsewhere:
    /// then its name says more than what changed.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Without an error.
    Ok,
    /// Without a sign of an error, or of having run.
    NoSign,
    /// With an error.
    Error,
    /// With an error so far: the end of the input lists what was rejected.
    ErrorSoFar,
    /// The format doesn't say.
    NotRecorded,
    /// It was stopped.
    Interrupted,
    /// It didn't run, and nobody rejected it.
    Cancelled,
    /// A structured mark says that it was rejected.
    Rejected(DecidedBy),
    /// A text says that it was rejected, and nothing else does.
    RejectedByText,
    /// The program notes that it was rejected, in a place where it also notes what tools of
    /// servers say: of those it is only a text.
    RejectedInNote(DecidedBy),
    /// The whole output says that it was rejected. Tools that wrap what they print can't say so
    /// themselves; of the others it is only a text.
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

    fn is_told(&self) -> bool {
        true
    }

    fn steps<'r>(&'r self, _: &mut dyn FnMut(&Step<'r, 'a>)) {
        // They are those of the records that the pairing hands on.
    }
}

/// A member of any shape, read as a `T` where it is one: writers change what they write.
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

/// Where a part of a text begins in it.
pub(super) fn offset(whole: &str, part: &str) -> Option<usize> {
    (part.as_ptr() as usize)
        .checked_sub(whole.as_ptr() as usize)
        .filter(|at| *at <= whole.len())
}

/// Levels that the JSON in a text may have.
const DEPTH: u32 = 1 << 10;

/// What a call is given, as a JSON object: arguments are written as one, as a text that holds one,
/// or as a text of another kind, which then becomes the member `name`.
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

/// The same of a text.
pub(super) fn input_text<'a>(text: Cow<'a, str>, name: &str) -> Cow<'a, str> {
    let mut scanner = Scanner::new(&text, DEPTH);
    if text.trim_start().starts_with('{') && scanner.skip().is_ok() && scanner.end().is_ok() {
        return text;
    }
    let mut out = format!("{{\"{name}\":");
    write::string(&mut out, &text);
    out.push('}');
    Cow::Owned(out)
}

/// A text that may be missing.
pub(super) fn text(text: Lenient<Str<'_>>) -> Option<Cow<'_, str>> {
    text.0.map(Str::decode)
}

/// Collects what a record tells.
pub(super) struct Events<'a> {
    /// The text of the record.
    whole: &'a str,
    /// When the record was written.
    pub(super) time: Option<Timestamp>,
    /// Where the agent works, by what it was told.
    pub(super) cwd: Option<String>,
    list: Vec<Event<'a>>,
}

impl<'a> Events<'a> {
    /// None yet.
    pub(super) fn new(whole: &'a str, time: Option<Timestamp>) -> Self {
        Self {
            whole,
            time,
            cwd: None,
            list: Vec::new(),
        }
    }

    /// Adds what a part of the record tells.
    pub(super) fn tell(&mut self, part: Raw<'_>, what: What<'a>) {
        self.list.push(Event {
            at: offset(self.whole, part.as_written()).unwrap_or_default(),
            time: self.time,
            what,
        });
    }

    /// An id for a call that has none: calls and results that have none are paired by order.
    pub(super) fn own_id(&self) -> Cow<'a, str> {
        format!("#{}", self.list.len() + 1).into()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether more than what was said is behind the first `from` events.
    pub(super) fn tell_of_calls(&self, from: usize) -> bool {
        !self.list.iter().skip(from).all(Event::is_said)
    }

    /// The calls behind the first `from` events.
    pub(super) fn calls_from(&mut self, from: usize) -> impl Iterator<Item = &mut Call<'a>> {
        let new = self.list.iter_mut().skip(from);
        new.filter_map(|event| match &mut event.what {
            What::Call(call) => Some(call),
            _ => None,
        })
    }

    /// The results behind the first `from` events.
    pub(super) fn ends_from(&self, from: usize) -> impl Iterator<Item = &Ended<'a>> {
        let new = self.list.iter().skip(from);
        new.filter_map(|event| match &event.what {
            What::Ended(ended) => Some(ended),
            _ => None,
        })
    }

    /// The calls alone.
    pub(super) fn into_calls(self) -> Vec<Call<'a>> {
        let calls = self.list.into_iter().filter_map(|event| match event.what {
            What::Call(call) => Some(call),
            _ => None,
        });
        calls.collect()
    }

    /// The result that was added last.
    pub(super) fn last_ended(&mut self) -> Option<&mut Ended<'a>> {
        match &mut self.list.last_mut()?.what {
            What::Ended(ended) => Some(ended),
            _ => None,
        }
    }

    /// Sorts them by time, where all have one.
    pub(super) fn sort(&mut self) {
        if self.list.iter().all(|event| event.time.is_some()) {
            self.list
                .sort_by_key(|event| event.time.map(Timestamp::millis));
        }
    }

    /// Whether there are none yet.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them.
    pub(super) fn into_list(self) -> Vec<Event<'a>> {
        self.list
    }
}

/// The same as `arguments` are written; an empty text gives nothing.
pub(super) fn arguments(raw: Option<Raw<'_>>) -> Cow<'_, str> {
    let empty = |raw: &Raw<'_>| matches!(raw.as_written().trim(), "\"\"");
    input(raw.filter(|raw| !empty(raw)), "arguments")
}

/// A JSON object with one member that holds a text.
pub(super) fn object_of(name: &str, value: &str) -> Cow<'static, str> {
    serde_json::json!({ name: value }).to_string().into()
}

/// An id, which may be written as a number.
pub(super) fn id(raw: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    let raw = raw?;
    match raw.read::<Str<'_>>() {
        Some(text) => Some(text.decode()),
        None => Some(raw.as_written())
            .filter(|number| number.starts_with(|c: char| c == '-' || c.is_ascii_digit()))
            .map(Cow::Borrowed),
    }
}

/// Whether a text is one of some words.
pub(super) fn is_word(text: Lenient<Str<'_>>, words: &[&str]) -> bool {
    text.0.is_some_and(|text| words.contains(&&*text.decode()))
}

/// Texts, the blocks of a message or what else a result may be, as one text. What isn't text
/// (pictures, structures) is given as it is written.
pub(super) fn output(raw: Option<Raw<'_>>) -> Cow<'_, str> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Block<'a> {
        #[serde(borrow)]
        text: Lenient<Str<'a>>,
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
