//! Decisions of hooks and arguments that they gave, in what the program attaches to a conversation.

use crate::trace::formats::session::{
    Call, EventKind, Lenient, LenientStr, is_word, one_or_all, text,
};
use governance::DecidedBy;
use serde::Deserialize;
use std::borrow::Cow;
use strict_json::{Raw, from_text};

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
    /// What the hook printed, and what the program made of it.
    #[serde(borrow)]
    stdout: LenientStr<'a>,
    #[serde(borrow)]
    content: LenientStr<'a>,
}

/// Returns the decisions in an attachment or in a list of them.
pub(super) fn decisions(attached: Raw<'_>) -> Vec<EventKind<'_>> {
    let all = one_or_all(attached).into_iter();
    let objects = all.filter(|raw| raw.as_written().starts_with('{'));
    let objects = objects.filter_map(|raw| raw.read::<Attachment<'_>>());
    objects
        .flat_map(|attachment| {
            let updates = attachment.updates();
            attachment.decision().into_iter().chain(updates)
        })
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

    /// Returns the event and the tool of the hook.
    fn named(self) -> (Cow<'a, str>, Cow<'a, str>) {
        let name = text(self.name).unwrap_or_default();
        let (event, tool) = match name.split_once(':') {
            Some((event, tool)) => (event.to_owned().into(), tool.to_owned().into()),
            None => (name, Cow::Borrowed("")),
        };
        (text(self.event).unwrap_or(event), tool)
    }

    /// Returns the arguments that a hook gave its call, in place of the requested ones. A hook that
    /// denies the call gives it none.
    fn updates(self) -> Vec<EventKind<'a>> {
        let (event, tool) = self.named();
        let Some(id) = self.id().filter(|_| is_word(self.kind, &["hook_success"])) else {
            return Vec::new();
        };
        if !matches!(&*event, "PreToolUse" | "PermissionRequest") {
            return Vec::new();
        }
        let printed = [self.stdout, self.content].into_iter().filter_map(text);
        let mut all: Vec<String> = printed
            .filter_map(|printed| updated_input(&printed))
            .collect();
        all.dedup();
        let updates = all.into_iter().map(|input| {
            let call = Call {
                id: None,
                tool: tool.clone(),
                input: input.into(),
            };
            let id = id.clone();
            EventKind::Updated { id, call }
        });
        updates.collect()
    }

    /// Returns a hook's decision about a call. Other hooks may still overrule an approval by a hook
    /// that is called before the question, so only a rejection by such a hook is final.
    fn decision(self) -> Option<EventKind<'a>> {
        let (id, by) = (self.id()?, DecidedBy::Policy);
        let (event, _) = self.named();
        match (&*text(self.kind)?, &*event) {
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

/// Returns the arguments in what a hook printed, if it changes those of the call.
fn updated_input(printed: &str) -> Option<String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Printed<'a> {
        #[serde(borrow, rename = "hookSpecificOutput")]
        output: Lenient<Output<'a>>,
    }
    #[derive(Clone, Copy, Default, Deserialize)]
    #[serde(default)]
    struct Output<'a> {
        #[serde(borrow, rename = "permissionDecision")]
        decision: LenientStr<'a>,
        #[serde(borrow, rename = "updatedInput")]
        input: Option<Raw<'a>>,
        /// The decision of a hook for permissions.
        #[serde(borrow, rename = "decision")]
        permission: Lenient<Permission<'a>>,
    }
    #[derive(Clone, Copy, Default, Deserialize)]
    #[serde(default)]
    struct Permission<'a> {
        #[serde(borrow)]
        behavior: LenientStr<'a>,
        #[serde(borrow, rename = "updatedInput")]
        input: Option<Raw<'a>>,
    }
    let output = from_text::<Printed<'_>>(printed.trim()).ok()?.output.0?;
    let permission = output.permission.0.unwrap_or_default();
    if is_word(output.decision, &["deny"]) || is_word(permission.behavior, &["deny"]) {
        return None;
    }
    let input = output.input.or(permission.input)?;
    let is_object = input.as_written().starts_with('{');
    is_object.then(|| input.as_written().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::formats::session::claude_code::FORMAT;
    use crate::trace::formats::session::testing::fed;

    #[test]
    fn the_arguments_that_a_hook_gave_are_the_executed_ones() {
        let asked = concat!(
            r#"{"type":"assistant","sessionId":"s","uuid":"1","message":{"content":[{"type":"#,
            r#""tool_use","id":"a","name":"Bash","input":{"command":"rm x"}}]}}"#,
        );
        let hook = |n: u8, event: &str, printed: &str| {
            let printed = serde_json::to_string(printed).unwrap();
            format!(
                r#"{{"type":"attachment","sessionId":"s","uuid":"h{n}","attachment":{{"type":
                    "hook_success","hookName":"{event}:Bash","toolUseID":"a","stdout":{printed}}}}}"#
            )
        };
        let gives = |command: &str| {
            format!(r#"{{"hookSpecificOutput":{{"updatedInput":{{"command":"{command}"}}}}}}"#)
        };
        let result = concat!(
            r#"{"type":"user","sessionId":"s","uuid":"2","message":{"content":[{"type":"#,
            r#""tool_result","tool_use_id":"a","content":"done"}]}}"#,
        );
        let calls = |lines: &[&str]| {
            let all = fed(&FORMAT, lines).into_iter();
            all.filter(|record| record.contains(r#""record":"call""#))
                .collect::<Vec<_>>()
        };
        let updated = hook(1, "PreToolUse", &gives("ls"));
        let all = calls(&[asked, &updated, result]);
        assert_eq!(all.len(), 1);
        assert!(
            all[0].contains(r#"{"command":"ls"}"#) && all[0].contains("done"),
            "{all:#?}"
        );
        // Of two, it is unknown which one was used.
        let all = calls(&[
            asked,
            &updated,
            &hook(2, "PreToolUse", &gives("pwd")),
            result,
        ]);
        assert!(
            all.len() == 1 && all[0].contains("ls") && all[0].contains("pwd"),
            "{all:#?}"
        );
        // Those of a call that is over aren't lost.
        let all = calls(&[asked, result, &updated]);
        assert!(all.len() == 2 && all[0].contains("rm x"), "{all:#?}");
        assert!(all[1].contains(r#"{"command":"ls"}"#) && all[1].contains("not_recorded"));

        let permission = concat!(
            r#"{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedInput":"#,
            r#"{"command":"ls"}}}}"#,
        );
        let all = calls(&[asked, &hook(1, "PermissionRequest", permission), result]);
        assert!(all[0].contains(r#"{"command":"ls"}"#), "{all:#?}");
        let denied =
            gives("ls").replace("{\"updated", "{\"permissionDecision\":\"deny\",\"updated");
        for (event, printed) in [
            ("PostToolUse", gives("ls")),
            ("PreToolUse", denied),
            ("PreToolUse", "{}".to_owned()),
            (
                "PreToolUse",
                r#"{"hookSpecificOutput":{"updatedInput":"ls"}}"#.to_owned(),
            ),
            ("PreToolUse", format!("x {}", gives("ls"))),
        ] {
            let all = calls(&[asked, &hook(1, event, &printed), result]);
            assert!(
                all.len() == 1 && all[0].contains("rm x"),
                "{printed} {all:#?}"
            );
        }
    }

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
