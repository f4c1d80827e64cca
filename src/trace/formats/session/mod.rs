//! Sessions of coding agents: what their formats share.
//!
//! A record of a session tells of texts, calls and results, each of which may stand far from the
//! others. The [`Pairing`] brings a call and its result together and hands on one record of
//! `ExecutionRecord` for each call, so that whatever works on traces works on sessions, and a
//! conversion is what was replayed.

pub mod claude_code;
pub mod codex;
pub mod codex_log;
pub mod otlp;
mod pairing;
#[cfg(test)]
mod tests;
mod tools;
mod waiting;
mod write;

pub(super) use pairing::{Pairing, Sessions};

use super::{FormatRecord, RecordClass};
use crate::trace::scalar::Timestamp;
use crate::trace::step::Step;
use governance::DecidedBy;
use serde::Deserialize;
use std::borrow::Cow;
use strict_json::{Raw, Scanner, Str};

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
    /// What it tells, in its order.
    pub(super) events: Vec<Event<'a>>,
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

/// What a record of a session may tell.
#[derive(Debug)]
pub(super) enum What<'a> {
    /// Somebody asked for something.
    Prompt(Cow<'a, str>),
    /// The agent said something.
    Said(Cow<'a, str>),
    /// The agent asks for a call.
    Call(Call<'a>),
    /// A call has ended.
    Ended(Ended<'a>),
    /// A call was rejected, by a mark of its own. The result may have been told already.
    Rejected {
        /// The call.
        id: Cow<'a, str>,
        /// By whom.
        by: DecidedBy,
    },
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

/// A change of a file.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// The file, as the record names it.
    pub(super) path: String,
    /// Hunks of a unified diff.
    pub(super) hunks: String,
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
