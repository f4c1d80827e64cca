//! Sessions of coding agents: what their formats share.
//!
//! A record of a session tells of texts, calls and results, each of which may stand far from the
//! others. The [`Pairing`] brings a call and its result together and hands on one record of
//! `ExecutionRecord` for each call, so that whatever works on traces works on sessions, and a
//! conversion is what was replayed.

pub mod claude_code;
mod pairing;
mod tools;
mod waiting;
mod write;

pub(super) use pairing::Pairing;

use super::{FormatRecord, RecordClass};
use crate::trace::scalar::Timestamp;
use crate::trace::step::Step;
use governance::DecidedBy;
use serde::Deserialize;
use std::borrow::Cow;
use strict_json::{Raw, Str};

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
