//! The formats, told apart by the shape of their records, never by the name of a file.

use super::members::{Beginning, Members};
use super::native::events::EventType;
use governance::{FsmVersion, State};
use serde::Deserialize;
use strict_json::{Raw, Scanner};

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// `ExecutionRecord` JSONL, version 1.
    ExecutionRecord,
    /// Event log of the command-line runtime.
    YuangsEvents,
    /// Its bare log of transitions.
    YuangsTransitions,
    /// Whole turns, of either runtime.
    YuangsTurns,
    /// Record of one command.
    YuangsRecord,
    /// Terminal recording with governance frames.
    YuangsCast,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::ExecutionRecord,
        Self::YuangsEvents,
        Self::YuangsTransitions,
        Self::YuangsTurns,
        Self::YuangsRecord,
        Self::YuangsCast,
    ];

    /// The name for `--format-in` and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ExecutionRecord => "execution-record",
            Self::YuangsEvents => "yuangs-events",
            Self::YuangsTransitions => "yuangs-transitions",
            Self::YuangsTurns => "yuangs-turns",
            Self::YuangsRecord => "yuangs-record",
            Self::YuangsCast => "yuangs-cast",
        }
    }

    /// The format of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// The version of the machine that a format without a version of its own was written under.
    #[must_use]
    pub const fn native_version(self) -> FsmVersion {
        match self {
            Self::ExecutionRecord => FsmVersion::V1,
            Self::YuangsEvents
            | Self::YuangsTransitions
            | Self::YuangsTurns
            | Self::YuangsRecord
            | Self::YuangsCast => FsmVersion::V0,
        }
    }

    /// Whether all records of an input belong to the same execution, since none of them names one.
    #[must_use]
    pub const fn holds_one_execution(self) -> bool {
        match self {
            Self::YuangsTransitions | Self::YuangsTurns | Self::YuangsCast => true,
            Self::ExecutionRecord | Self::YuangsEvents | Self::YuangsRecord => false,
        }
    }

    /// Whether each record stands on a line of its own, whatever else the file looks like.
    #[must_use]
    pub const fn is_line_oriented(self) -> bool {
        match self {
            Self::ExecutionRecord
            | Self::YuangsEvents
            | Self::YuangsTransitions
            | Self::YuangsCast => true,
            Self::YuangsTurns | Self::YuangsRecord => false,
        }
    }

    /// The format that a record is shaped like; `None` when it is like none of them or no JSON.
    #[must_use]
    pub fn of_record(text: &str, max_depth: u32) -> Option<Self> {
        let mut scanner = Scanner::new(text, max_depth);
        scanner.skip().ok()?;
        if text.trim_start().starts_with('[') {
            let Beginning(first, second, more) = Beginning::of(text)?;
            let numeric = first
                .as_written()
                .starts_with(|c: char| c == '-' || c.is_ascii_digit());
            let code = second.as_written().starts_with('"');
            return (numeric && code && more).then_some(Self::YuangsCast);
        }
        let members = Members::of(text)?;
        let has = |name: &str| members.has(name);
        // Other agents write `type`, `data` and `timestamp` as well: only who names an execution or
        // a known type is told by them.
        let event = || {
            members
                .get("type")
                .is_some_and(|kind| kind.read::<EventType>().is_some())
        };
        let state = |name: &str| {
            members
                .get(name)
                .is_some_and(|raw| raw.read::<State>().is_some())
        };
        if has("record") {
            Some(Self::ExecutionRecord)
        } else if has("type") && has("data") && (has("executionId") || event()) {
            Some(Self::YuangsEvents)
        } else if has("from") && has("to") && (state("from") || state("to")) {
            Some(Self::YuangsTransitions)
        } else if has("contextSnapshot") && (has("turnId") || has("startTime")) {
            Some(Self::YuangsTurns)
        } else if has("meta") && has("outcome") && (has("decision") || has("intent")) {
            Some(Self::YuangsRecord)
        } else if has("version") && has("width") && has("height") {
            Some(Self::YuangsCast)
        } else {
            None
        }
    }
}

/// The members that place a broken record, read without asking for more.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Peek<'a> {
    #[serde(borrow)]
    pub(super) record: Option<Raw<'a>>,
    #[serde(borrow)]
    pub(super) execution_id: Option<Raw<'a>>,
    #[serde(borrow)]
    pub(super) turn_id: Option<Raw<'a>>,
    #[serde(borrow)]
    pub(super) prev: Option<Raw<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_tell_formats_apart() {
        let cases = [
            (r#"{"record":"turn"}"#, Some(Format::ExecutionRecord)),
            (
                r#"{"id":"1","timestamp":1,"executionId":"e","type":"llm_call","data":{}}"#,
                Some(Format::YuangsEvents),
            ),
            (
                r#"{"type":"llm_call","data":{},"timestamp":1}"#,
                Some(Format::YuangsEvents),
            ),
            (r#"{"type":"session.start","data":{},"timestamp":1}"#, None),
            (
                r#"{"from":"IDLE","to":"THINKING","timestamp":1}"#,
                Some(Format::YuangsTransitions),
            ),
            (
                r#"{"from":"ctx:1","to":"exec:2","type":"used_in","timestamp":1}"#,
                None,
            ),
            (
                r#"{"startTime":1,"contextSnapshot":{}}"#,
                Some(Format::YuangsTurns),
            ),
            (
                r#"{"id":"exec_1","meta":{},"decision":{},"outcome":{}}"#,
                Some(Format::YuangsRecord),
            ),
            (
                r#"{"version":2,"width":80,"height":24}"#,
                Some(Format::YuangsCast),
            ),
            (r#"[0.5,"o","x"]"#, Some(Format::YuangsCast)),
            (r#"{"name":"package"}"#, None),
            ("[1]", None),
            ("[1,2,3]", None),
            ("[]", None),
            ("7", None),
            ("{", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Format::of_record(text, 32), expected, "{text}");
        }
    }
}
