//! Trace formats. Each is one file and one line of [`Format::ALL`]: how its records are detected
//! and read, and what it never records. Code outside of this directory doesn't depend on which
//! format an input has; it asks the format.

mod execution_record;
mod foreign;
mod members;
pub mod native;
mod reader;
pub mod session;
mod shown;
pub mod yuangs_cast;
pub mod yuangs_events;
pub mod yuangs_record;
pub mod yuangs_runtime;
pub mod yuangs_transitions;
pub mod yuangs_turns;

pub use foreign::looks_like;
pub(super) use native::{DECISION_MEMBERS, names_action};
pub use reader::{OwnCalls, Reader, RoutedRecord};

use super::cut::CutMembers;
use super::entry::Record;
use super::record::RecordKind;
use super::recover::Recovered;
use super::step::Step;
use crate::schema::Catalogue;
use borsh::{BorshDeserialize, BorshSerialize};
use governance::FsmVersion;
use members::{Beginning, Members};
use serde::Deserialize;
use std::borrow::Cow;
use std::fmt;
use std::io;
use strict_json::{DEFAULT_MAX_DEPTH, Error, Raw, Scanner, Str};

/// A format of traces.
#[derive(Clone, Copy)]
pub struct Format(&'static dyn TraceFormat);

impl Format {
    /// All formats. If a record matches several, the first one applies.
    pub const ALL: [Self; 24] = [
        Self(&execution_record::ExecutionRecord),
        Self(&yuangs_events::YuangsEvents),
        Self(&yuangs_transitions::YuangsTransitions),
        Self(&yuangs_turns::YuangsTurns),
        Self(&yuangs_runtime::YuangsReducer),
        Self(&yuangs_runtime::YuangsRuntime),
        Self(&yuangs_record::YuangsRecord),
        Self(&yuangs_cast::YuangsCast),
        Self(&session::claude_code::FORMAT),
        Self(&session::codex::FORMAT),
        Self(&session::codex_exec::FORMAT),
        Self(&session::codex_log::FORMAT),
        Self(&session::otlp::FORMAT),
        Self(&session::gemini::FORMAT),
        Self(&session::openhands::FORMAT),
        Self(&session::swe_agent::FORMAT),
        Self(&session::swe_agent::MINI),
        Self(&session::atif::FORMAT),
        Self(&session::atif::LANGFUSE),
        Self(&session::inspect::FORMAT),
        Self(&session::cline::FORMAT),
        Self(&session::cline::COPILOT),
        Self(&session::messages::PI),
        // Last, because records of most other formats contain messages too.
        Self(&session::messages::FORMAT),
    ];

    /// Returns the name for `--format-in` and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Returns the format with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Detects the format of a record; `None` when it matches none or isn't JSON.
    #[must_use]
    pub fn of_record(text: &str, max_depth: u32) -> Option<Self> {
        Unit::new(text, max_depth)?.format()
    }

    /// Like [`Self::of_record`], for a text that was validated when it was read.
    pub(super) fn of_valid_record(text: &str) -> Option<Self> {
        Unit::of_valid(text).format()
    }
}

impl std::ops::Deref for Format {
    type Target = dyn TraceFormat;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl BorshSerialize for Format {
    fn serialize<W: io::Write>(&self, to: &mut W) -> io::Result<()> {
        self.name().serialize(to)
    }
}

impl BorshDeserialize for Format {
    fn deserialize_reader<R: io::Read>(from: &mut R) -> io::Result<Self> {
        let name = String::deserialize_reader(from)?;
        let unknown = || io::Error::new(io::ErrorKind::InvalidData, "an unknown format");
        Self::parse(&name).ok_or_else(unknown)
    }
}

/// Properties of a format.
pub trait TraceFormat: Sync {
    /// Returns the name for `--format-in` and in reports.
    fn name(&self) -> &'static str;

    /// Returns what it records of executions.
    fn coverage(&self) -> Coverage;

    /// Returns how its records are assigned to executions.
    fn routing(&self) -> Routing;

    /// Returns the version of the state machine under which its records were written, if they name
    /// none.
    fn machine(&self) -> FsmVersion {
        FsmVersion::V0
    }

    /// Returns whether each record has a line of its own, whatever the file looks like.
    fn is_line_oriented(&self) -> bool {
        true
    }

    /// Returns whether a record may be an array.
    fn has_arrays(&self) -> bool {
        false
    }

    /// Returns whether logs of this format are known to repeat lines byte for byte.
    fn repeats_lines(&self) -> bool {
        false
    }

    /// Returns whether executions of one input have nothing to do with each other, so that parts of
    /// the input can be read apart.
    fn is_divisible(&self) -> bool {
        false
    }

    /// Returns whether its program is known to write the member at this place twice, so that this
    /// means nothing.
    fn repeats_member(&self, _pointer: &str) -> bool {
        false
    }

    /// Returns whether a unit of an input looks like one of its records.
    fn is_shape_of(&self, unit: &Unit<'_>) -> bool;

    /// Reads one record; the scanner is at the beginning of `text`.
    ///
    /// # Errors
    /// When the text isn't JSON or isn't a record of this format.
    fn read<'a>(&self, scanner: &mut Scanner<'a>, text: &'a str) -> Result<Record<'a>, Error>;

    /// Reads the valid parts of a record that violates its schema, if it consists of parts.
    fn recover<'a>(&self, _kind: RecordKind, _text: &'a str) -> Option<Recovered<'a>> {
        None
    }

    /// Creates the reader that turns the records of one input into executions. `stem` names the
    /// execution of records without one. `own_calls` are calls from other inputs of the run, so
    /// that copies of them are recognised.
    fn reader(&self, _stem: &str, _own_calls: &OwnCalls) -> Box<dyn Reader> {
        Box::new(reader::ByRecord)
    }

    /// Determines whether an incomplete last record shows an executed action. Returns `None` if it
    /// doesn't, or if that makes no difference.
    fn cut_action(&self, _cut: &CutMembers<'_>) -> Option<Certainty> {
        None
    }

    /// Names what its records never contain, for the note about it (YV212). `partial` selects a
    /// generation of the format that records less of a turn.
    fn not_recorded(&self, partial: bool) -> Option<&'static str>;

    /// Adds the schemas of its records.
    fn add_schemas(&self, catalogue: &mut Catalogue);

    /// Returns the name of the schema for a record.
    fn schema_of(&self, _kind: Option<RecordKind>, _text: &str) -> Cow<'static, str> {
        self.name().into()
    }
}

/// Certainty that something is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    Certain,
    /// It can't be ruled out.
    Possible,
}

/// What a format records of executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Every event and all evidence: signers, rules, prompt and policy versions.
    Complete,
    /// State transitions.
    Movements {
        /// The evidence is recorded too, on lines of its own.
        evidence: bool,
    },
    /// Whole turns, without a start of the execution.
    Turns,
    /// Input and output of a terminal, without a state machine.
    Terminal,
    /// Nothing about executions.
    Nothing,
}

/// How records are assigned to executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routing {
    /// Each record names its execution.
    ByRecord,
    /// All records of an input belong to one execution, which is named after the file.
    ByInput,
    /// The records belong to no execution.
    Nowhere,
}

/// A unit of an input for the detection of formats: a line, a document or an element of one.
#[derive(Debug)]
pub struct Unit<'a> {
    /// Members, if it is an object.
    members: Option<Members<'a>>,
    /// First elements, if it is an array.
    beginning: Option<Beginning<'a>>,
}

impl<'a> Unit<'a> {
    /// Parses a unit; `None` when the text isn't JSON.
    #[must_use]
    pub fn new(text: &'a str, max_depth: u32) -> Option<Self> {
        // No format nests its records deeper.
        let max_depth = max_depth.min(DEFAULT_MAX_DEPTH);
        Scanner::new(text, max_depth).skip().ok()?;
        Some(Self::of_valid(text))
    }

    /// Reads a unit of valid JSON.
    fn of_valid(text: &'a str) -> Self {
        let array = text.trim_start().starts_with('[');
        let value = Raw::trusted(text);
        Self {
            members: if array { None } else { value.read() },
            beginning: if array { Beginning::of(value) } else { None },
        }
    }

    /// Returns the first format with such units.
    fn format(&self) -> Option<Format> {
        Format::ALL.into_iter().find(|f| f.is_shape_of(self))
    }

    fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.members.as_ref()?.get(name)
    }

    fn has(&self, names: &[&str]) -> bool {
        self.members.as_ref().is_some_and(|m| m.has_all(names))
    }

    fn has_one(&self, names: &[&str]) -> bool {
        self.members.as_ref().is_some_and(|m| m.has_one(names))
    }

    /// Returns whether a member is one of some words.
    fn is_word(&self, name: &str, words: &[&str]) -> bool {
        self.get(name)
            .and_then(|value| value.read::<Str<'_>>())
            .is_some_and(|text| words.contains(&&*text.decode()))
    }
}

/// A record of a format.
pub trait FormatRecord<'a>: fmt::Debug {
    /// Returns what it is a record of.
    fn class(&self) -> RecordClass {
        RecordClass::Event
    }

    /// Returns the id of the execution that it names.
    fn execution_id(&self) -> Option<Str<'a>> {
        None
    }

    /// Passes its steps to `emit`, in their order.
    fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>));

    /// Returns whether records of version 1 that were derived from it contain everything.
    fn is_fully_derived(&self) -> bool {
        false
    }

    /// Returns whether a rejection may appear anywhere in it.
    fn may_refuse(&self) -> bool {
        false
    }

    /// Returns the member with the decision of a step, if that isn't the step's own member.
    fn decision_pointer(&self, _step: &Step<'_, '_>) -> Option<&'static str> {
        None
    }

    /// Returns the member with the executed action.
    fn action_pointer(&self) -> &'static str {
        "/action"
    }

    /// Returns what a report shows of it besides its steps.
    fn narrative(&self) -> Narrative<'a> {
        Narrative::Nothing
    }

    /// Compares its recorded hash of the model's messages with the messages. `None` when that isn't
    /// possible.
    fn input_hash_is_wrong(&self) -> Option<bool> {
        None
    }

    /// Returns the paths that it lists as added to, removed from and changed in the context.
    fn context_diff(&self) -> Option<[&[Str<'a>]; 3]> {
        None
    }

    /// Computes the hash of the recorded messages.
    fn input_hash(&self) -> Option<String> {
        None
    }
}

/// Declares the type of the records of all formats except version 1: one line for each type.
macro_rules! native_records {
    ($($(#[$meta:meta])* $name:ident($type:ty),)*) => {
        /// A record of another format than version 1.
        #[derive(Debug)]
        pub enum NativeRecord<'a> {
            $($(#[$meta])* $name(Box<$type>),)*
        }

        impl<'a> NativeRecord<'a> {
            /// Returns the record as a trait object.
            #[must_use]
            pub fn get(&self) -> &(dyn FormatRecord<'a> + 'a) {
                match self {
                    $(Self::$name(record) => &**record,)*
                }
            }
        }

        $(impl<'a> From<Box<$type>> for Record<'a> {
            fn from(record: Box<$type>) -> Self {
                Self::Native(NativeRecord::$name(record))
            }
        })*
    };
}

native_records! {
    /// A line of an event log.
    Event(yuangs_events::Event<'a>),
    /// A state transition without evidence.
    Transition(yuangs_transitions::Transition<'a>),
    /// A whole turn.
    Turn(yuangs_turns::NativeTurn<'a>),
    /// An event of a runtime.
    RuntimeEvent(yuangs_runtime::RuntimeEvent<'a>),
    /// An event of a reducer.
    ReducerEvent(yuangs_runtime::ReducerEvent<'a>),
    /// A command.
    Command(yuangs_record::CommandRecord<'a>),
    /// The first line of a recording.
    CastHeader(yuangs_cast::CastHeader<'a>),
    /// The first line of a recording whose frames have intervals.
    CastIntervals(yuangs_cast::CastIntervals<'a>),
    /// A recording that is one document.
    CastDocument(yuangs_cast::CastDocument<'a>),
    /// A comment in a recording.
    CastComment(yuangs_cast::CastComment),
    /// A frame of a recording.
    CastFrame(yuangs_cast::CastFrame<'a>),
    /// A record of a coding agent's session.
    Session(session::SessionRecord<'a>),
}

/// Class of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordClass {
    /// One event.
    Event,
    /// A whole turn.
    Turn,
    /// A frame of a terminal session.
    Frame,
    /// The description of a terminal session.
    Header,
    /// A command, without an execution.
    Command,
    /// Not an event: a summary, a setting, a measurement.
    Remark,
}

/// What a report shows of a record besides its steps.
#[derive(Debug, Clone)]
pub enum Narrative<'a> {
    Nothing,
    /// The members of a turn.
    Turn,
    Thought(Raw<'a>),
    Observation(Raw<'a>),
    /// Input or output of a terminal.
    Frame {
        /// Seconds since the session began.
        seconds: f64,
        /// Kind of the event, in a word.
        what: String,
        /// The typed text or other data.
        text: String,
    },
}

/// Members that locate an invalid record, read leniently.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::trace) struct Peek<'a> {
    #[serde(borrow)]
    pub(in crate::trace) record: Option<Raw<'a>>,
    #[serde(borrow)]
    pub(in crate::trace) execution_id: Option<Raw<'a>>,
    #[serde(borrow)]
    pub(in crate::trace) turn_id: Option<Raw<'a>>,
    #[serde(borrow)]
    pub(in crate::trace) prev: Option<Raw<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_tell_formats_apart() {
        let cases = [
            (r#"{"record":"turn"}"#, Some("execution-record")),
            (
                r#"{"id":"1","timestamp":1,"executionId":"e","type":"llm_call","data":{}}"#,
                Some("yuangs-events"),
            ),
            (
                r#"{"type":"llm_call","data":{},"timestamp":1}"#,
                Some("yuangs-events"),
            ),
            (r#"{"type":"session.start","data":{},"timestamp":1}"#, None),
            (
                r#"{"type":"session.start","data":{"sessionId":"s"},"timestamp":1}"#,
                Some("copilot-cli"),
            ),
            (
                r#"{"type":"tool.execution_start","data":{}}"#,
                Some("copilot-cli"),
            ),
            (
                r#"{"type":"progress","data":{},"timestamp":1,"sessionId":"s","uuid":"u"}"#,
                Some("claude-code"),
            ),
            (
                r#"{"type":"user","sessionId":"s","message":{"role":"user","content":"x"}}"#,
                Some("claude-code"),
            ),
            (
                r#"{"type":"custom-title","customTitle":"x","sessionId":"s"}"#,
                Some("claude-code"),
            ),
            (
                r#"{"type":"attribution-snapshot","messageId":"m"}"#,
                Some("claude-code"),
            ),
            (
                r#"{"type":"rate_limit_event","session_id":"s","uuid":"u"}"#,
                Some("claude-code"),
            ),
            (
                r#"{"id":"e","timestamp":"t","source":"agent","kind":"SystemPromptEvent"}"#,
                Some("openhands"),
            ),
            (r#"{"type":"note","data":{},"timestamp":1}"#, None),
            (
                r#"{"sessionId":"s","projectHash":"p","messages":[]}"#,
                Some("gemini-cli"),
            ),
            (
                r#"{"id":1,"source":"agent","action":"run"}"#,
                Some("openhands"),
            ),
            (
                r#"{"instance_id":"i","history":[{"role":"user"}]}"#,
                Some("openhands"),
            ),
            (r#"{"trajectory":[],"history":[]}"#, Some("swe-agent")),
            (
                r#"{"history":[{"role":"system","content":"x"}]}"#,
                Some("swe-agent"),
            ),
            (
                r#"{"info":{},"messages":[{"role":"user"}]}"#,
                Some("mini-swe-agent"),
            ),
            (r#"{"schema_version":"ATIF-v1.0","steps":[]}"#, Some("atif")),
            (r#"{"schema_version":"1","steps":[]}"#, None),
            (
                r#"{"version":2,"status":"success","eval":{},"samples":[]}"#,
                Some("inspect"),
            ),
            (r#"{"trace":{},"observations":[]}"#, Some("langfuse")),
            (
                r#"{"id":"t","observations":[{"id":"o","traceId":"t","type":"TOOL"}]}"#,
                Some("langfuse"),
            ),
            (
                r#"{"trajectory":[{"id":0,"source":"agent","action":"run"}]}"#,
                Some("openhands"),
            ),
            (r#"{"type":"ai","content":"x"}"#, Some("messages")),
            (r#"{"type":"tool","content":"x"}"#, None),
            (
                r#"{"info":{},"tasks":[],"simulations":[]}"#,
                Some("messages"),
            ),
            (
                r#"{"task_id":"0","info":null,"messages":[{"role":"user"}]}"#,
                Some("messages"),
            ),
            (
                r#"{"sessionId":"s","chatMessages":[],"timeline":[]}"#,
                Some("copilot-cli"),
            ),
            (r#"{"$set":{"lastUpdated":"x"}}"#, Some("gemini-cli")),
            (r#"{"ts":1,"type":"say","say":"text"}"#, Some("cline")),
            (r#"{"type":"session","id":"s","cwd":"/p"}"#, Some("pi")),
            (
                r#"{"type":"message","timestamp":"t","message":{"role":"user"}}"#,
                Some("pi"),
            ),
            (
                r#"{"type":"message","role":"user","content":"x"}"#,
                Some("messages"),
            ),
            (r#"{"role":"user","content":"hello"}"#, Some("messages")),
            (
                r#"[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]"#,
                Some("messages"),
            ),
            (
                r#"{"messages":[{"role":"user","content":"x"}]}"#,
                Some("messages"),
            ),
            (
                r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#,
                Some("messages"),
            ),
            (r#"{"role":"button","content":"x"}"#, None),
            (r#"{"messages":["a","b"]}"#, None),
            (r#"{"history":[]}"#, None),
            (
                r#"{"from":"IDLE","to":"THINKING","timestamp":1}"#,
                Some("yuangs-transitions"),
            ),
            (
                r#"{"from":"ctx:1","to":"exec:2","type":"used_in","timestamp":1}"#,
                None,
            ),
            (
                r#"{"type":"THOUGHT_GENERATED","output":{}}"#,
                Some("yuangs-runtime"),
            ),
            (
                r#"{"type":"ActionProposed","actionId":"a"}"#,
                Some("yuangs-runtime"),
            ),
            (r#"{"type":"START"}"#, Some("yuangs-reducer")),
            (r#"{"type":"ACTION_PROPOSED"}"#, Some("yuangs-reducer")),
            (r#"{"type":"START","message":"x"}"#, None),
            (
                r#"{"startTime":1,"contextSnapshot":{}}"#,
                Some("yuangs-turns"),
            ),
            (
                r#"{"id":"exec_1","meta":{},"decision":{},"outcome":{}}"#,
                Some("yuangs-record"),
            ),
            (
                r#"{"version":2,"width":80,"height":24}"#,
                Some("yuangs-cast"),
            ),
            (r#"[0.5,"o","x"]"#, Some("yuangs-cast")),
            (
                r#"{"version":1,"width":80,"height":24,"stdout":[]}"#,
                Some("yuangs-cast"),
            ),
            (
                r#"{"version":3,"term":{"cols":80,"rows":24}}"#,
                Some("yuangs-cast"),
            ),
            (r#"{"version":"3","term":{}}"#, None),
            (r#"{"version":4,"term":{"cols":80,"rows":24}}"#, None),
            (r#"{"name":"package"}"#, None),
            ("[1]", None),
            ("[1,2,3]", None),
            ("[]", None),
            ("7", None),
            ("{", None),
        ];
        for (text, expected) in cases {
            assert_eq!(
                Format::of_record(text, 32).map(Format::name),
                expected,
                "{text}"
            );
        }
    }
}
