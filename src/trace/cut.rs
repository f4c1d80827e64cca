//! The last line of an input that breaks off: what it still shows.

use super::format::Format;
use super::members::Members;
use super::native::events::EventType;
use super::record::RecordKind;
use crate::json::Str;

/// A record that breaks off and may have told of an action that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutAction {
    /// The execution, where the line still names it.
    pub execution: Option<String>,
}

/// Whether the beginning of a record shows that it told of an action that ran, or may have.
#[must_use]
pub fn action(format: Format, text: &str) -> Option<CutAction> {
    let members = Members::of_cut(text);
    let acts = match format {
        Format::ExecutionRecord => members.get("record").is_some_and(|kind| {
            let kind = kind.read::<Str<'_>>().and_then(|word| RecordKind::parse(&word.decode()));
            matches!(kind, None | Some(RecordKind::ExecutionFinished | RecordKind::Turn | RecordKind::Execution))
        }),
        Format::YuangsEvents => members
            .get("type")
            .is_some_and(|kind| matches!(kind.read(), None | Some(EventType::ToolExecution | EventType::StateTransition))),
        // All records of such an input belong to one execution, which is in doubt whatever was lost; or to none.
        Format::YuangsTransitions | Format::YuangsTurns | Format::YuangsRecord | Format::YuangsCast => false,
    };
    let id = || members.get("executionId").and_then(|id| id.read::<Str<'_>>()).map(|id| id.decode().into_owned());
    acts.then(|| CutAction { execution: id() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_left_of_a_line_names_what_ran() {
        let of = |text: &str| action(Format::ExecutionRecord, text);
        let whole = r#"{"record":"execution_finished","executionId":"e","turnId":1,"actionId":"a","result":{"succ"#;
        assert_eq!(of(whole), Some(CutAction { execution: Some("e".into()) }));
        assert_eq!(of(r#"{"record":"execution_finished","executionId":"e"#), Some(CutAction { execution: None }));
        assert_eq!(of(r#"{"executionId":"e","record":"turn","gov"#), Some(CutAction { execution: Some("e".into()) }));
        assert_eq!(of(r#"{"record":"execution_ended","exec"#), None);
        assert_eq!(of(r#"{"rec"#), None);
        let event = r#"{"type":"tool_execution","executionId":"e","data":{"#;
        assert_eq!(action(Format::YuangsEvents, event), Some(CutAction { execution: Some("e".into()) }));
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
