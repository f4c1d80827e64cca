//! The last line of an input that breaks off: what it still shows.

use super::format::Format;
use super::native::events::EventType;
use super::native::names_action;
use super::record::RecordKind;
use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use strict_json::{DEFAULT_MAX_DEPTH, Deserializer, Raw, Scanner, Str};

/// A record that breaks off and may tell of an action that was executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutAction {
    /// The execution, where the line still names it.
    pub execution: Option<String>,
    /// The line shows that something was executed. Otherwise that only can't be ruled out.
    pub shown: bool,
}

/// What the beginning of a record tells of an executed action. `None` if its kind is known and no
/// such record tells of one.
#[must_use]
pub fn action(format: Format, text: &str) -> Option<CutAction> {
    let members = CutMembers::new(text);
    let kind = |value: Raw<'_>| {
        value
            .read::<Str<'_>>()
            .map(|word| word.decode().into_owned())
    };
    // The member that tells the kind may be the part that is missing: then the record may be any.
    let acts = match format {
        Format::ExecutionRecord => match members
            .record
            .map(|value| kind(value).and_then(|word| RecordKind::parse(&word)))
        {
            Some(Some(
                RecordKind::ExecutionFinished | RecordKind::Turn | RecordKind::Execution,
            )) => Some(true),
            Some(Some(_)) => Some(false),
            Some(None) | None => None,
        },
        Format::YuangsEvents => match members.kind.map(|value| value.read::<EventType>()) {
            Some(Some(EventType::ToolExecution | EventType::StateTransition)) => Some(true),
            Some(Some(_)) => Some(false),
            Some(None) | None => None,
        },
        // All records of such an input belong to one execution, which is in doubt whatever was
        // lost; or to none.
        Format::YuangsTransitions
        | Format::YuangsTurns
        | Format::YuangsRecord
        | Format::YuangsCast => return None,
    };
    // A result stands in records of other kinds of event as well; in version 1 it is what was
    // executed.
    let shown = acts == Some(true)
        || members.acts
        || members.result && (acts.is_none() || format == Format::ExecutionRecord);
    if acts == Some(false) && !shown {
        return None;
    }
    // Half of a surrogate pair may stand for any other.
    let id = members
        .execution
        .and_then(|id| id.read::<Str<'_>>())
        .filter(|id| !id.is_torn());
    Some(CutAction {
        execution: id.map(|id| id.decode().into_owned()),
        shown,
    })
}

/// The members of an object that breaks off, and of its member `data`.
#[derive(Debug, Default)]
struct CutMembers<'a> {
    record: Option<Raw<'a>>,
    kind: Option<Raw<'a>>,
    execution: Option<Raw<'a>>,
    /// A member that only an executed action has.
    acts: bool,
    /// A member that a result has or is.
    result: bool,
}

impl<'a> CutMembers<'a> {
    fn new(text: &'a str) -> Self {
        let mut members = Self::default();
        let mut scanner = Scanner::new(text, DEFAULT_MAX_DEPTH);
        // Where it breaks off is known; what was read before stays.
        drop(
            Level {
                members: &mut members,
                top: true,
            }
            .deserialize(&mut Deserializer::new(&mut scanner)),
        );
        members
    }
}

struct Level<'m, 'a> {
    members: &'m mut CutMembers<'a>,
    top: bool,
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for Level<'_, 'a> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Level<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { members, top } = self;
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            match &*name {
                "record" if top && members.record.is_none() => {
                    members.record = Some(map.next_value()?);
                }
                "type" if top && members.kind.is_none() => members.kind = Some(map.next_value()?),
                "executionId" if top && members.execution.is_none() => {
                    members.execution = Some(map.next_value()?);
                }
                "data" if top => map.next_value_seed(Level {
                    members: &mut *members,
                    top: false,
                })?,
                other => {
                    members.result |= matches!(
                        other,
                        "result"
                            | "executionResult"
                            | "turns"
                            | "exitCode"
                            | "success"
                            | "capabilityId"
                    );
                    members.acts |= names_action(other);
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_left_of_a_line_names_what_ran() {
        let of = |text: &str| action(Format::ExecutionRecord, text);
        let whole = r#"{"record":"execution_finished","executionId":"e","turnId":1,"actionId":"a","result":{"succ"#;
        let cut = |execution: Option<&str>, shown| {
            Some(CutAction {
                execution: execution.map(Into::into),
                shown,
            })
        };
        assert_eq!(of(whole), cut(Some("e"), true));
        assert_eq!(
            of(r#"{"record":"execution_finished","executionId":"e"#),
            cut(None, true)
        );
        assert_eq!(
            of(r#"{"executionId":"e","record":"turn","gov"#),
            cut(Some("e"), true)
        );
        assert_eq!(of(r#"{"record":"execution_ended","exec"#), None);
        let event = |text| action(Format::YuangsEvents, text);
        assert_eq!(
            event(r#"{"type":"tool_execution","executionId":"e","data":{"#),
            cut(Some("e"), true)
        );
    }

    #[test]
    fn what_is_left_of_a_line_without_its_kind_may_be_anything() {
        let of = |text: &str| action(Format::ExecutionRecord, text);
        let cut = |execution: Option<&str>, shown| {
            Some(CutAction {
                execution: execution.map(Into::into),
                shown,
            })
        };
        assert_eq!(of(r#"{"rec"#), cut(None, false));
        assert_eq!(of(r#"{"record":"execution_fin"#), cut(None, false));
        assert_eq!(of(r#"{"executionId":"e","rec"#), cut(Some("e"), false));
        assert_eq!(
            of(r#"{"executionId":"e","result":{"succ"#),
            cut(Some("e"), true)
        );
        assert_eq!(
            of(r#"{"result":{"success":true},"executionId":"e","rec"#),
            cut(Some("e"), true)
        );
        assert_eq!(of(r#"{"turns":[{"turnId":1,"#), cut(None, true));
        assert_eq!(
            of(r#"{"record":"evaluation_made","executionId":"e","command":"rm -r"#),
            cut(Some("e"), true)
        );
        assert_eq!(
            of(r#"{"record":"execution_finished","executionId":"a\ud83d","result"#),
            cut(None, true)
        );
        let event = |text| action(Format::YuangsEvents, text);
        assert_eq!(
            event(r#"{"executionId":"e","data":{"result":{"success":true}},"ty"#),
            cut(Some("e"), true)
        );
        assert_eq!(
            event(r#"{"type":"observation_recorded","executionId":"e","data":{"result":{"summ"#),
            None
        );
        assert_eq!(
            event(r#"{"type":"llm_call","executionId":"e","data":{"toolCalls":[{"#),
            cut(Some("e"), true)
        );
    }

    proptest! {
        #[test]
        fn any_beginning_is_read(text in "(\\PC|[{}\\[\\]\":,a-z]){0,80}") {
            for format in Format::ALL {
                let _ = action(format, &text);
            }
        }
    }
}
