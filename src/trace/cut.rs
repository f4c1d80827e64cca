//! The last line of an input if it is incomplete: what it still shows.

use super::formats::{Certainty, Format, names_action};
use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use strict_json::{DEFAULT_MAX_DEPTH, Deserializer, Raw, Scanner, Str};

/// An incomplete record that may be about an executed action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutAction {
    /// Id of the execution, if the line still contains it.
    pub execution: Option<String>,
    /// The line shows an execution; otherwise one can't be ruled out.
    pub shown: bool,
}

/// Determines what the beginning of a record shows of an executed action. Returns `None` if no
/// record of its kind contains one.
#[must_use]
pub fn action(format: Format, text: &str) -> Option<CutAction> {
    let members = CutMembers::new(text);
    let shown = format.cut_action(&members)? == Certainty::Certain;
    // A lone surrogate may be part of any character.
    let id = members
        .execution
        .and_then(|id| id.read::<Str<'_>>())
        .filter(|id| !id.is_torn());
    Some(CutAction {
        execution: id.map(|id| id.decode().into_owned()),
        shown,
    })
}

/// Members of an incomplete object, and of its member `data`.
#[derive(Debug, Default)]
pub struct CutMembers<'a> {
    /// Kind of a record of version 1.
    pub(super) record: Option<Raw<'a>>,
    /// Type of an event.
    pub(super) kind: Option<Raw<'a>>,
    execution: Option<Raw<'a>>,
    /// It has a member that only an executed action has.
    pub(super) acts: bool,
    /// It has a member of a result.
    pub(super) result: bool,
}

impl<'a> CutMembers<'a> {
    fn new(text: &'a str) -> Self {
        let mut members = Self::default();
        let mut scanner = Scanner::new(text, DEFAULT_MAX_DEPTH);
        // An error is expected at the cut; members before it are kept.
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
        let of = |text: &str| action(Format::parse("execution-record").unwrap(), text);
        let whole = concat!(
            r#"{"record":"execution_finished","executionId":"e","turnId":1,"actionId":"a","#,
            r#""result":{"succ"#,
        );
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
        let event = |text| action(Format::parse("yuangs-events").unwrap(), text);
        assert_eq!(
            event(r#"{"type":"tool_execution","executionId":"e","data":{"#),
            cut(Some("e"), true)
        );
    }

    #[test]
    fn what_is_left_of_a_line_without_its_kind_may_be_anything() {
        let of = |text: &str| action(Format::parse("execution-record").unwrap(), text);
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
        let event = |text| action(Format::parse("yuangs-events").unwrap(), text);
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
