//! Formats of other agents and tools that aren't replayed: recognised by their shape, so that
//! whoever hands one in learns what it is.
//!
//! Nothing is checked by these shapes; a finding (YV108) names them.

use super::members::Members;
use strict_json::Str;

/// A noun with its article, and whether an object looks like that.
type Shape = (&'static str, fn(&Members<'_>) -> bool);

/// What an object looks like, if it looks like something that is known: a noun with its article.
#[must_use]
pub fn looks_like(text: &str) -> Option<&'static str> {
    let members = Members::of(text)?;
    let shapes: [Shape; 15] = [
        ("an OpenTelemetry export (OTLP)", |m| {
            has(m, &["resourceMetrics"])
        }),
        ("a Claude Code session", is_claude_session),
        ("a Claude Code stream (stream-json)", is_claude_stream),
        ("a Gemini CLI chat", |m| {
            has(m, &["sessionId", "projectHash", "messages"])
        }),
        ("a Copilot CLI session", |m| {
            has(m, &["type", "data", "timestamp"])
                && word(m, "type").is_some_and(|t| t.contains('.'))
        }),
        ("a pi session", |m| {
            word(m, "type").is_some_and(|t| t == "session") && has(m, &["id", "cwd"])
        }),
        ("a Cline or Roo task", |m| {
            has(m, &["ts", "type"]) && has_one(m, &["say", "ask"])
        }),
        ("an OpenHands session", |m| {
            has(m, &["id", "source"]) && has_one(m, &["action", "observation"])
        }),
        ("a SWE-agent trajectory", |m| {
            has(m, &["trajectory", "history"])
        }),
        ("an ATIF trajectory", |m| {
            word(m, "schema_version").is_some_and(|v| v.starts_with("ATIF"))
        }),
        ("a Langfuse export", |m| has(m, &["trace", "observations"])),
        ("an Inspect log", |m| {
            has(m, &["eval", "version"]) && has_one(m, &["samples", "plan", "status"])
        }),
        ("a terminal recording of another version (asciicast)", |m| {
            has(m, &["version"]) && (has(m, &["width", "height", "stdout"]) || has(m, &["term"]))
        }),
        ("an event log in a shape that several programs write", |m| {
            has(m, &["type", "data", "timestamp"])
        }),
        ("a conversation of messages", |m| {
            has(m, &["messages"]) || has(m, &["role"]) && has_one(m, &["content", "tool_calls"])
        }),
    ];
    shapes
        .into_iter()
        .find(|(_, fits)| fits(&members))
        .map(|(name, _)| name)
}

fn has(members: &Members<'_>, names: &[&str]) -> bool {
    members.has_all(names)
}

fn has_one(members: &Members<'_>, names: &[&str]) -> bool {
    members.has_one(names)
}

/// The text of a member that is one.
fn word(members: &Members<'_>, name: &str) -> Option<String> {
    members
        .get(name)?
        .read::<Str<'_>>()
        .map(|text| text.decode().into_owned())
}

fn is_claude_session(members: &Members<'_>) -> bool {
    let kinds = [
        "summary",
        "file-history-snapshot",
        "queue-operation",
        "permission-mode",
    ];
    has(members, &["type", "sessionId"])
        && has_one(members, &["uuid", "message", "permissionMode", "operation"])
        || word(members, "type").is_some_and(|t| kinds.contains(&t.as_str()))
            && has_one(
                members,
                &[
                    "leafUuid",
                    "messageId",
                    "snapshot",
                    "operation",
                    "permissionMode",
                ],
            )
}

fn is_claude_stream(members: &Members<'_>) -> bool {
    word(members, "type").is_some_and(|kind| match kind.as_str() {
        "system" | "result" => has(members, &["subtype", "session_id"]),
        "assistant" | "user" => has(members, &["message", "session_id"]),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::looks_like;
    use proptest::prelude::*;

    #[test]
    fn sessions_of_other_agents_are_named() {
        let cases = [
            (
                r#"{"type":"user","sessionId":"s","uuid":"u","message":{}}"#,
                Some("a Claude Code session"),
            ),
            (
                r#"{"type":"summary","summary":"s","leafUuid":"u"}"#,
                Some("a Claude Code session"),
            ),
            (
                r#"{"type":"system","subtype":"init","session_id":"s"}"#,
                Some("a Claude Code stream (stream-json)"),
            ),
            (
                r#"{"sessionId":"s","projectHash":"p","messages":[]}"#,
                Some("a Gemini CLI chat"),
            ),
            (
                r#"{"type":"session.start","data":{},"timestamp":"t"}"#,
                Some("a Copilot CLI session"),
            ),
            (
                r#"{"resourceMetrics":[]}"#,
                Some("an OpenTelemetry export (OTLP)"),
            ),
            (
                r#"{"ts":1,"type":"say","say":"text"}"#,
                Some("a Cline or Roo task"),
            ),
            (
                r#"{"id":1,"source":"agent","action":"run"}"#,
                Some("an OpenHands session"),
            ),
            (
                r#"{"trajectory":[],"history":[]}"#,
                Some("a SWE-agent trajectory"),
            ),
            (
                r#"{"schema_version":"ATIF-v1.0","steps":[]}"#,
                Some("an ATIF trajectory"),
            ),
            (
                r#"{"trace":{},"observations":[]}"#,
                Some("a Langfuse export"),
            ),
            (
                r#"{"version":3,"term":{"cols":80}}"#,
                Some("a terminal recording of another version (asciicast)"),
            ),
            (
                r#"{"role":"user","content":"hello"}"#,
                Some("a conversation of messages"),
            ),
            (r#"{"name":"package"}"#, None),
            ("[1]", None),
            ("{", None),
        ];
        for (text, expected) in cases {
            assert_eq!(looks_like(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_look_or_none(text in "(\\PC|[{}\\[\\]\":,a-z]){0,60}") {
            let _ = looks_like(&text);
        }
    }
}
