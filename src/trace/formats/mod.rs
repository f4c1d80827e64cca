//! The formats that are read. Each is one file and one line of [`Format::ALL`]: how its records are
//! recognised, how they are read, and what it never records. Nothing outside of this folder asks
//! which format something is in; what follows from one is asked of it.

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
pub mod yuangs_transitions;
pub mod yuangs_turns;

pub use foreign::looks_like;
pub(super) use native::{DECISION_MEMBERS, names_action};
pub use reader::{Fed, OwnCalls, Reader};

use super::cut::CutMembers;
use super::entry::Record;
use super::record::RecordKind;
use super::recover::Recovered;
use super::step::Step;
use crate::schema::Catalogue;
use governance::FsmVersion;
use members::{Beginning, Members};
use serde::Deserialize;
use std::borrow::Cow;
use std::fmt;
use strict_json::{Error, Raw, Scanner, Str};

/// A format of traces.
#[derive(Clone, Copy)]
pub struct Format(&'static dyn TraceFormat);

impl Format {
    /// All formats. Where a record fits several, the first one is believed.
    pub const ALL: [Self; 21] = [
        Self(&execution_record::ExecutionRecord),
        Self(&yuangs_events::YuangsEvents),
        Self(&yuangs_transitions::YuangsTransitions),
        Self(&yuangs_turns::YuangsTurns),
        Self(&yuangs_record::YuangsRecord),
        Self(&yuangs_cast::YuangsCast),
        Self(&session::claude_code::FORMAT),
        Self(&session::codex::FORMAT),
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
        // Last: most others hold messages.
        Self(&session::messages::FORMAT),
    ];

    /// The name for `--format-in` and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The format of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// The format that a record is shaped like; `None` when it is like none of them or no JSON.
    #[must_use]
    pub fn of_record(text: &str, max_depth: u32) -> Option<Self> {
        let unit = Unit::new(text, max_depth)?;
        Self::ALL.into_iter().find(|f| f.is_shape_of(&unit))
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

/// What there is to know of a format.
pub trait TraceFormat: Sync {
    /// Its name for `--format-in` and in reports.
    fn name(&self) -> &'static str;

    /// How it tells of executions.
    fn coverage(&self) -> Coverage;

    /// How its records find their execution.
    fn routing(&self) -> Routing;

    /// The version of the state machine that its records were written under, where they don't name
    /// one.
    fn machine(&self) -> FsmVersion {
        FsmVersion::V0
    }

    /// Whether each record is on a line of its own, whatever else the file looks like.
    fn is_line_oriented(&self) -> bool {
        true
    }

    /// Whether a record may be an array.
    fn has_arrays(&self) -> bool {
        false
    }

    /// Whether logs of this format are known to repeat lines byte for byte.
    fn repeats_lines(&self) -> bool {
        false
    }

    /// Whether a unit of an input has the shape of one of its records.
    fn is_shape_of(&self, unit: &Unit<'_>) -> bool;

    /// Reads one record; the scanner is at the beginning of `text`.
    ///
    /// # Errors
    /// When the text isn't JSON, or no record of this format.
    fn read<'a>(&self, scanner: &mut Scanner<'a>, text: &'a str) -> Result<Record<'a>, Error>;

    /// Reads the parts of a record that breaks its schema, where it has several.
    fn recover<'a>(&self, _kind: RecordKind, _text: &'a str) -> Option<Recovered<'a>> {
        None
    }

    /// What turns the records of one input into executions. `stem`: the execution of records that
    /// name none.
    /// `own_calls`: those that other inputs of the run tell of, so that copies of them are known.
    fn reader(&self, _stem: &str, _own_calls: &OwnCalls) -> Box<dyn Reader> {
        Box::new(reader::ByRecord)
    }

    /// Whether a last record that breaks off tells of an action that was executed: that it does, or
    /// that it can't be ruled out. `None` if it doesn't, or if that makes no difference.
    fn cut_action(&self, _cut: &CutMembers<'_>) -> Option<Shown> {
        None
    }

    /// What its records never say, for the note about it (YV212). `partial`: of a generation that
    /// writes less of a turn.
    fn not_recorded(&self, partial: bool) -> Option<&'static str>;

    /// Adds the schemas of its records.
    fn add_schemas(&self, catalogue: &mut Catalogue);

    /// The name of the schema that a record has to keep.
    fn schema_of(&self, _kind: Option<RecordKind>, _text: &str) -> Cow<'static, str> {
        self.name().into()
    }
}

/// Whether something is shown, or only can't be ruled out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// It is shown.
    Yes,
    /// It may have been there.
    Perhaps,
}

/// How a format tells of executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Every event, and all that a decision rests on: signers, rules, prompt and policy version.
    Complete,
    /// Movements of the state machine.
    Movements {
        /// What they rest on is recorded next to them, on lines of its own. Otherwise it isn't.
        evidence: bool,
    },
    /// Whole turns, without a start of the execution.
    Turns,
    /// What was typed and printed at a terminal, without a state machine.
    Terminal,
    /// Nothing of executions.
    Nothing,
}

/// How records find their execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routing {
    /// Each record names it.
    ByRecord,
    /// All records of an input belong to one, which is named after the file.
    ByInput,
    /// They belong to none.
    Nowhere,
}

/// A unit of an input (a line, a whole document or an element of one), as far as formats are
/// detected by it.
#[derive(Debug)]
pub struct Unit<'a> {
    /// The members of an object.
    members: Option<Members<'a>>,
    /// The first elements of an array.
    beginning: Option<Beginning<'a>>,
}

impl<'a> Unit<'a> {
    /// A unit; `None` when the text isn't JSON.
    #[must_use]
    pub fn new(text: &'a str, max_depth: u32) -> Option<Self> {
        Scanner::new(text, max_depth).skip().ok()?;
        let array = text.trim_start().starts_with('[');
        Some(Self {
            members: if array { None } else { Members::of(text) },
            beginning: if array { Beginning::of(text) } else { None },
        })
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

    /// Whether a member is one of some words.
    fn is_word(&self, name: &str, words: &[&str]) -> bool {
        self.get(name)
            .and_then(|value| value.read::<Str<'_>>())
            .is_some_and(|text| words.contains(&&*text.decode()))
    }
}

/// A record of a format.
pub trait FormatRecord<'a>: fmt::Debug {
    /// What it is a record of.
    fn class(&self) -> RecordClass {
        RecordClass::Event
    }

    /// The execution that it names.
    fn execution_id(&self) -> Option<Str<'a>> {
        None
    }

    /// Unfolds it into its steps, in their order.
    fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>));

    /// Whether all that it tells is told by records of version 1 that came of it.
    fn is_told(&self) -> bool {
        false
    }

    /// Whether a rejection may appear anywhere in it.
    fn may_refuse(&self) -> bool {
        false
    }

    /// The member that holds the decision of a step, where that isn't the step's own.
    fn decision_pointer(&self, _step: &Step<'_, '_>) -> Option<&'static str> {
        None
    }

    /// The member that holds the executed action.
    fn action_pointer(&self) -> &'static str {
        "/action"
    }

    /// What a report shows of it besides its steps.
    fn narrative(&self) -> Narrative<'a> {
        Narrative::Nothing
    }

    /// Whether its recorded hash of the messages that the model was shown is wrong. `None` when
    /// that can't be told.
    fn input_hash_is_wrong(&self) -> Option<bool> {
        None
    }

    /// What it says was added to, removed from and changed in the context.
    fn context_diff(&self) -> Option<[&[Str<'a>]; 3]> {
        None
    }

    /// The hash that those messages have, as far as the list is kept.
    fn input_hash(&self) -> Option<String> {
        None
    }
}

/// Declares the type of the records of all formats but version 1: one line for each type.
macro_rules! native_records {
    ($($(#[$meta:meta])* $name:ident($type:ty),)*) => {
        /// A record of another format than version 1.
        #[derive(Debug)]
        pub enum NativeRecord<'a> {
            $($(#[$meta])* $name(Box<$type>),)*
        }

        impl<'a> NativeRecord<'a> {
            /// What is asked of it.
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
    /// A bare movement of the state.
    Transition(yuangs_transitions::Transition<'a>),
    /// A whole turn.
    Turn(yuangs_turns::NativeTurn<'a>),
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

/// What a record is of.
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
    /// Nothing that happened: a summary, a setting, a measurement.
    Remark,
}

/// What a report shows of a record besides its steps.
#[derive(Debug, Clone)]
pub enum Narrative<'a> {
    /// Nothing.
    Nothing,
    /// What the members of a turn say.
    Turn,
    /// A thought.
    Thought(Raw<'a>),
    /// What was observed.
    Observation(Raw<'a>),
    /// What happened at a terminal.
    Frame {
        /// Seconds since the session began.
        seconds: f64,
        /// What happened, in a word.
        what: String,
        /// What was typed, or what goes with it.
        text: String,
    },
}

/// The members that place a broken record, read without asking for more.
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
