//! Decisions of hooks in what the program attaches to a conversation.

use crate::trace::formats::session::{EventKind, LenientStr, is_word, text};
use governance::DecidedBy;
use serde::Deserialize;
use std::borrow::Cow;
use strict_json::Raw;

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    kind: LenientStr<'a>,
    #[serde(borrow, rename = "toolUseID")]
    call: LenientStr<'a>,
    /// The name of `toolUseID` in messages.
    #[serde(borrow)]
    tool_use_id: LenientStr<'a>,
    #[serde(borrow, rename = "hookEvent")]
    event: LenientStr<'a>,
    /// The event and the tool: `PreToolUse:Bash`.
    #[serde(borrow, rename = "hookName")]
    name: LenientStr<'a>,
    #[serde(borrow)]
    decision: LenientStr<'a>,
}

/// Returns the decisions in an attachment or in a list of them.
pub(super) fn decisions(attached: Raw<'_>) -> Vec<EventKind<'_>> {
    let list = attached.read::<Vec<Raw<'_>>>();
    let all = list.unwrap_or_else(|| vec![attached]).into_iter();
    let objects = all.filter(|raw| raw.as_written().starts_with('{'));
    objects
        .filter_map(|raw| raw.read::<Attachment<'_>>()?.decision())
        .collect()
}

impl<'a> Attachment<'a> {
    /// Returns the id of its call; `None` if it names two.
    fn id(self) -> Option<Cow<'a, str>> {
        let (one, other) = (text(self.call), text(self.tool_use_id));
        match (one, other) {
            (Some(one), Some(other)) if one != other => None,
            (one, other) => one.or(other),
        }
    }

    /// Returns a hook's decision about a call. Other hooks may still overrule an approval by a hook
    /// that is called before the question, so only a rejection by such a hook is final.
    fn decision(self) -> Option<EventKind<'a>> {
        let (id, by) = (self.id()?, DecidedBy::Policy);
        let name = text(self.name).unwrap_or_default();
        let name = name.split(':').next().unwrap_or_default();
        let event = text(self.event);
        let event = event.as_deref().unwrap_or(name);
        match (&*text(self.kind)?, event) {
            ("hook_blocking_error", "PreToolUse") => Some(EventKind::Rejected { id, by }),
            ("hook_permission_decision", "PermissionRequest")
                if is_word(self.decision, &["allow"]) =>
            {
                Some(EventKind::Approved { id, by })
            }
            ("hook_permission_decision", "PreToolUse" | "PermissionRequest")
                if is_word(self.decision, &["deny"]) =>
            {
                Some(EventKind::Rejected { id, by })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_attachments_holds_decisions() {
        let denial = |id: &str| {
            format!(
                r#"{{"type":"hook_permission_decision","hookEvent":"PreToolUse","decision":"deny",{id}}}"#
            )
        };
        let told = |text: &str| format!("{:?}", decisions(Raw::trusted(text)));
        let one = denial(r#""toolUseID":"a""#);
        let expected = told(&one);
        assert!(expected.contains("Rejected"), "{expected}");
        assert_eq!(told(&denial(r#""tool_use_id":"a""#)), expected);
        assert_eq!(
            told(&denial(r#""toolUseID":"a","tool_use_id":"a""#)),
            expected
        );
        assert_eq!(told(&denial(r#""toolUseID":"a","tool_use_id":"b""#)), "[]");
        let two = format!("[{one},7,{}]", denial(r#""toolUseID":"b""#));
        assert_eq!(told(&two).matches("Rejected").count(), 2);
    }
}
