//! `yuangs-cast`: a terminal recording (asciicast 1, 2, 3) with frames of the governor.
//!
//! Version 1 is one document. Version 2 has absolute times, version 3 the time since the frame
//! before. The reader emits frames with absolute times.

use super::members::Members;
use super::native::open_shapes;
use super::{
    Coverage, FormatRecord, Narrative, NativeRecord, OwnCalls, Reader, RecordClass, RoutedRecord,
    Routing, TraceFormat, Unit,
};
use crate::diag::Code;
use crate::schema::Catalogue;
use crate::trace::entry::{Entry, Problem, Record};
use crate::trace::record::RecordKind;
use crate::trace::scalar::{Exactly, Int, Timestamp};
use crate::trace::step::{Fact, Part, Step};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use strict_json::{Error, Raw, Scanner, Str};

pub(super) struct YuangsCast;

/// Returns the version in a header or a document, 0 if there is none; `None` for a frame.
fn version(text: &str) -> Option<u8> {
    if text.trim_start().starts_with('[') {
        return None;
    }
    let members = Members::of(text).unwrap_or_default();
    Some(members.get("version").and_then(Raw::read).unwrap_or(0))
}

impl TraceFormat for YuangsCast {
    fn name(&self) -> &'static str {
        "yuangs-cast"
    }

    fn coverage(&self) -> Coverage {
        Coverage::Terminal
    }

    fn routing(&self) -> Routing {
        Routing::ByInput
    }

    fn is_line_oriented(&self) -> bool {
        false
    }

    fn has_arrays(&self) -> bool {
        true
    }

    fn is_shape_of(&self, unit: &Unit<'_>) -> bool {
        unit.beginning.as_ref().map_or_else(
            || {
                let third = unit.get("version").is_some_and(|v| v.as_written() == "3");
                unit.has(&["version", "width", "height"]) || third && unit.has(&["term"])
            },
            |frame| {
                let numeric = frame
                    .first
                    .as_written()
                    .starts_with(|c: char| c == '-' || c.is_ascii_digit());
                numeric && frame.second.as_written().starts_with('"') && frame.more
            },
        )
    }

    fn read<'a>(&self, scanner: &mut Scanner<'a>, text: &'a str) -> Result<Record<'a>, Error> {
        if text.starts_with('#') {
            return Ok(Box::new(CastComment).into());
        }
        let version = version(text);
        let mut deserializer = strict_json::Deserializer::new(scanner);
        let record = match version {
            None => Box::<CastFrame<'a>>::deserialize(&mut deserializer)?.into(),
            Some(1) => Box::<CastDocument<'a>>::deserialize(&mut deserializer)?.into(),
            Some(3) => Box::<CastIntervals<'a>>::deserialize(&mut deserializer)?.into(),
            Some(_) => Box::<CastHeader<'a>>::deserialize(&mut deserializer)?.into(),
        };
        scanner.end()?;
        Ok(record)
    }

    fn reader(&self, _stem: &str, _own_calls: &OwnCalls) -> Box<dyn Reader> {
        Box::new(RecordingReader::default())
    }

    fn not_recorded(&self, _: bool) -> Option<&'static str> {
        Some("actions, decisions and states (only commands and the governor's messages)")
    }

    fn schema_of(&self, _: Option<RecordKind>, text: &str) -> Cow<'static, str> {
        match version(text) {
            None => "yuangs-cast-frame".into(),
            Some(1) => "yuangs-cast-document".into(),
            Some(3) => "yuangs-cast-intervals".into(),
            Some(_) => "yuangs-cast-header".into(),
        }
    }

    fn add_schemas(&self, catalogue: &mut Catalogue) {
        catalogue.add::<CastHeader<'_>>(
            "yuangs-cast-header",
            "The first line of a terminal recording (asciicast 2).",
            |_| {},
        );
        catalogue.add::<CastIntervals<'_>>(
            "yuangs-cast-intervals",
            "The first line of a terminal recording whose frames have intervals (asciicast 3).",
            |_| {},
        );
        catalogue.add::<CastDocument<'_>>(
            "yuangs-cast-document",
            "A terminal recording that is one document (asciicast 1).",
            |_| {},
        );
        catalogue.add::<CastFrame<'_>>(
            "yuangs-cast-frame",
            "A frame of a terminal recording.",
            |_| {},
        );
    }
}

/// Checks the beginning of a recording, and converts intervals to absolute times.
#[derive(Debug, Default)]
struct RecordingReader {
    begun: bool,
    /// Seconds so far, if frames have intervals.
    elapsed: Option<f64>,
}

impl Reader for RecordingReader {
    fn feed(&mut self, entry: &Entry<'_>, on: &mut dyn FnMut(RoutedRecord<'_, '_>)) {
        let begun = std::mem::replace(&mut self.begun, true);
        let headless = !begun && entry.record.class() == Some(RecordClass::Frame);
        let comment = self.elapsed.is_none() && entry.record.class() == Some(RecordClass::Remark);
        let message = match (headless, comment) {
            (true, _) => Some("the recording lacks the first line with its version and size"),
            (_, true) => Some("only recordings of version 3 have comments"),
            _ => None,
        };
        let problem = message.map(|message| Problem {
            code: Code(103),
            at: (0, 1),
            pointer: None,
            message: message.to_owned(),
        });
        if let Record::Native(NativeRecord::CastIntervals(_)) = &entry.record {
            self.elapsed = Some(0.0);
        }
        let mut placed = None;
        if let (Some(elapsed), Record::Native(NativeRecord::CastFrame(frame))) =
            (&mut self.elapsed, &entry.record)
        {
            *elapsed += frame.seconds;
            let frame = CastFrame {
                seconds: *elapsed,
                ..CastFrame::clone(frame)
            };
            placed = Some(entry.with_record(Box::new(frame).into()));
        }
        on(RoutedRecord {
            execution: None,
            entry: placed.as_ref().unwrap_or(entry),
            problem,
        });
    }
}

open_shapes! {
    /// The size of a terminal.
    pub struct CastTerminal<'a> {
        cols: Int<1>,
        rows: Int<1>,
        #[serde(rename = "type")]
        kind: Option<Str<'a>>,
    }

    /// The first line of a recording whose frames have intervals.
    pub struct CastIntervals<'a> {
        version: Exactly<3>,
        term: CastTerminal<'a>,
        timestamp: Option<Int<0>>,
        title: Option<Str<'a>>,
        command: Option<Str<'a>>,
    }

    /// A recording that is one document.
    pub struct CastDocument<'a> {
        version: Exactly<1>,
        width: Int<1>,
        height: Int<1>,
        duration: Option<f64>,
        title: Option<Str<'a>>,
        command: Option<Str<'a>>,
        stdout: Vec<CastOutput<'a>>,
    }

    /// The first line of a recording.
    pub struct CastHeader<'a> {
        version: Exactly<2>,
        width: Int<1>,
        height: Int<1>,
        timestamp: Option<Int<0>>,
        title: Option<Str<'a>>,
        command: Option<Str<'a>>,
    }
}

/// An output in a recording that is one document: `[delay, data]`.
#[derive(Debug, Clone)]
pub struct CastOutput<'a> {
    /// Seconds since the output before.
    pub delay: f64,
    pub data: Str<'a>,
}

/// A comment: a line that begins with `#`.
#[derive(Debug, Clone, Copy)]
pub struct CastComment;

/// A frame, on any other line: `[seconds, code, data, meta?]`.
#[derive(Debug, Clone)]
pub struct CastFrame<'a> {
    /// Seconds since the recording began. In version 3, these are read as seconds since the frame
    /// before, and [`RecordingReader`] converts them.
    pub seconds: f64,
    pub code: FrameCode,
    /// The output, the input or the governor's event.
    pub data: Str<'a>,
    /// Further data of the event.
    pub meta: Option<Raw<'a>>,
}

/// The kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum FrameCode {
    /// Output.
    #[serde(rename = "o")]
    Output,
    /// Input.
    #[serde(rename = "i")]
    Input,
    /// The window was resized.
    #[serde(rename = "r")]
    Resize,
    /// A marker was set.
    #[serde(rename = "m")]
    Marker,
    /// The session ended with this exit status.
    #[serde(rename = "x")]
    Exit,
    /// An event of the governor.
    #[serde(rename = "g")]
    Governance,
}

struct OutputVisitor;

impl<'de> Visitor<'de> for OutputVisitor {
    type Value = CastOutput<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an output `[delay, data]`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<CastOutput<'de>, A::Error> {
        let wrong = || de::Error::custom("an output has two elements");
        let delay: f64 = seq.next_element()?.ok_or_else(wrong)?;
        let data = seq.next_element()?.ok_or_else(wrong)?;
        if seq.next_element::<de::IgnoredAny>()?.is_some() {
            return Err(wrong());
        }
        if delay < 0.0 {
            return Err(de::Error::custom("a delay is negative"));
        }
        Ok(CastOutput { delay, data })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for CastOutput<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(OutputVisitor)
    }
}

impl JsonSchema for CastOutput<'_> {
    fn schema_name() -> Cow<'static, str> {
        "CastOutput".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "prefixItems": [{ "type": "number", "minimum": 0 }, { "type": "string" }],
            "items": false,
            "minItems": 2,
            "maxItems": 2
        })
    }
}

struct FrameVisitor;

impl<'de> Visitor<'de> for FrameVisitor {
    type Value = CastFrame<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a frame `[seconds, code, data, meta?]`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<CastFrame<'de>, A::Error> {
        let missing = || de::Error::custom("a frame has three or four elements");
        let seconds: f64 = seq.next_element()?.ok_or_else(missing)?;
        let code = seq.next_element()?.ok_or_else(missing)?;
        let data = seq.next_element()?.ok_or_else(missing)?;
        let meta = seq.next_element()?;
        if seq.next_element::<de::IgnoredAny>()?.is_some() {
            return Err(missing());
        }
        if seconds < 0.0 {
            return Err(de::Error::custom("a frame's time is negative"));
        }
        Ok(CastFrame {
            seconds,
            code,
            data,
            meta,
        })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for CastFrame<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FrameVisitor)
    }
}

impl JsonSchema for CastFrame<'_> {
    fn schema_name() -> Cow<'static, str> {
        "CastFrame".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "prefixItems": [
                { "type": "number", "minimum": 0 },
                generator.subschema_for::<FrameCode>(),
                { "type": "string" },
                true
            ],
            "items": false,
            "minItems": 3,
            "maxItems": 4
        })
    }
}

/// What a frame means for the governance of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame<'a> {
    /// Input: at most one line of keys.
    Typed(Str<'a>),
    /// Output.
    Printed(Str<'a>),
    /// A prompt for secret input is shown.
    PromptShown,
    /// An elevation (`sudo`, `su`) was allowed and waits for its password.
    ElevationStarted,
    /// The elevation's password was wrong.
    ElevationFailed,
    /// The governor blocked the elevation.
    ElevationBlocked,
    /// A root shell was started, as the frame claims.
    ElevationSucceeded,
    Other,
}

/// The data of a governor's event that concern a command.
#[derive(Deserialize)]
struct CommandMeta<'a> {
    #[serde(borrow)]
    command: Option<Str<'a>>,
}

/// Returns whether a command line elevates privileges.
#[must_use]
pub fn elevates(command: &str) -> bool {
    const PROGRAMS: [&str; 7] = ["sudo", "su", "doas", "pkexec", "run0", "sudoedit", "dzdo"];
    let mut words = command
        .split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | '"' | '\''));
    words.any(|word| PROGRAMS.contains(&word.rsplit('/').next().unwrap_or(word)))
}

impl<'a> CastFrame<'a> {
    /// Returns whether the frame's command elevates privileges. A frame without a command is
    /// trusted.
    fn elevates(&self) -> bool {
        let Some(command) = self
            .meta
            .and_then(|meta| meta.read::<CommandMeta<'_>>())
            .and_then(|about| about.command)
        else {
            return true;
        };
        elevates(&command.decode())
    }

    /// Returns the meaning of the frame.
    #[must_use]
    pub fn meaning(&self) -> Frame<'a> {
        match self.code {
            FrameCode::Input => Frame::Typed(self.data),
            FrameCode::Output => Frame::Printed(self.data),
            FrameCode::Governance => match &*self.data.decode() {
                "elevation_started" if self.elevates() => Frame::ElevationStarted,
                "sensitive_prompt_displayed" => Frame::PromptShown,
                "elevation_failed" => Frame::ElevationFailed,
                "elevation_blocked" => Frame::ElevationBlocked,
                "elevation_success_root" => Frame::ElevationSucceeded,
                _ => Frame::Other,
            },
            FrameCode::Resize | FrameCode::Marker | FrameCode::Exit => Frame::Other,
        }
    }
}

impl<'a> FormatRecord<'a> for CastHeader<'a> {
    fn class(&self) -> RecordClass {
        RecordClass::Header
    }

    fn steps<'r>(&'r self, _: &mut dyn FnMut(&Step<'r, 'a>)) {}
}

impl<'a> FormatRecord<'a> for CastIntervals<'a> {
    fn class(&self) -> RecordClass {
        RecordClass::Header
    }

    fn steps<'r>(&'r self, _: &mut dyn FnMut(&Step<'r, 'a>)) {}
}

impl<'a> FormatRecord<'a> for CastComment {
    fn class(&self) -> RecordClass {
        RecordClass::Remark
    }

    fn steps<'r>(&'r self, _: &mut dyn FnMut(&Step<'r, 'a>)) {}
}

impl<'a> FormatRecord<'a> for CastDocument<'a> {
    fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        let mut elapsed = 0.0;
        for output in &self.stdout {
            elapsed += output.delay;
            emit(&at(elapsed, Frame::Printed(output.data)));
        }
    }
}

impl<'a> FormatRecord<'a> for CastFrame<'a> {
    fn class(&self) -> RecordClass {
        RecordClass::Frame
    }

    fn narrative(&self) -> Narrative<'a> {
        let (what, text) = match self.code {
            FrameCode::Input => ("typed".to_owned(), self.data.decode().into_owned()),
            FrameCode::Governance => {
                let meta = self.meta.map(|m| m.as_written().to_owned());
                (self.data.decode().into_owned(), meta.unwrap_or_default())
            }
            FrameCode::Output | FrameCode::Resize | FrameCode::Marker | FrameCode::Exit => {
                return Narrative::Nothing;
            }
        };
        Narrative::Frame {
            seconds: self.seconds,
            what,
            text,
        }
    }

    fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        emit(&at(self.seconds, self.meaning()));
    }
}

/// Creates the step of a frame at a number of seconds after the beginning.
fn at<'r>(seconds: f64, frame: Frame<'_>) -> Step<'r, '_> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float to integer cast saturates, which suits a time"
    )]
    let time = Timestamp::of_millis((seconds * 1000.0) as i64);
    Step {
        turn: None,
        time: Some(time),
        part: Part::WHOLE,
        fact: Fact::Terminal(frame),
    }
}
