//! The last line of an input that breaks off: what it still shows.

use super::formats::{Format, Shown, names_action};
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
    let shown = format.cut_action(&members)? == Shown::Yes;
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
pub struct CutMembers<'a> {
    /// The kind of a record of version 1.
    pub(super) record: Option<Raw<'a>>,
    /// The type of an event.
    pub(super) kind: Option<Raw<'a>>,
    execution: Option<Raw<'a>>,
    /// A member that only an executed action has.
    pub(super) acts: bool,
    /// A member that a result has or is.
    pub(super) result: bool,
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
        let of = |text: &str| action(Format::parse("execution-record").unwrap(), text);
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
