//! Reads a session from its transcript: messages, decisions and compactions.
//!
//! | line | is |
//! | --- | --- |
//! | `{"type":"message","message":{"role":…,"content":…}}` | a message |
//! | `{"type":"decision","text":…}` | a decision |
//! | `{"type":"compaction","summary":…,"decisions":[…]}`, also `summary` | a compaction |
//! | a message with `"isCompactSummary":true` | a compaction |
//!
//! Lines of a message that begin with `Decision:` or `Decided:` (`决定：`, `决策：`) are decisions.

use super::extract::message;
use serde_json::Value;

/// Prefixes that mark a line as a decision.
const MARKS: [&str; 6] = [
    "decision:",
    "decided:",
    "决定:",
    "决定：",
    "决策:",
    "决策：",
];

/// An event of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A message; it isn't a decision by itself.
    Message(String),
    /// The input or output of a tool. It contains no decisions but uses space in the context
    /// window.
    Tool(String),
    /// A decision.
    Decision(String),
    /// A compaction, which replaces everything before it.
    Compaction(String),
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Session {
    /// The events, each with its line number from 1.
    pub events: Vec<(u64, Event)>,
    /// Lines that can't be read; their content is unknown.
    pub unreadable: Vec<u64>,
}

impl Session {
    /// Parses a transcript in JSON Lines.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut session = Self::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty())
        {
            match serde_json::from_str::<Value>(line) {
                Ok(record @ Value::Object(_)) => session.take(number, &record),
                _ => session.unreadable.push(number),
            }
        }
        session
    }

    fn take(&mut self, line: u64, record: &Value) {
        let text = |members: &[&str]| {
            members
                .iter()
                .find_map(|m| record.get(m)?.as_str())
                .map(str::to_owned)
        };
        let event = match record.get("type").and_then(Value::as_str) {
            // Claude Code uses the speaker as the type of the record.
            Some("message" | "user" | "assistant") => match message(record) {
                Some((_, said)) if record.get("isCompactSummary") == Some(&Value::Bool(true)) => {
                    Some(Event::Compaction(said))
                }
                Some((_, said)) => {
                    let decided: Vec<String> = said.lines().filter_map(decision).collect();
                    self.events.push((line, Event::Message(said)));
                    self.events
                        .extend(tools(record).map(|used| (line, Event::Tool(used))));
                    self.events.extend(
                        decided
                            .into_iter()
                            .map(|text| (line, Event::Decision(text))),
                    );
                    return;
                }
                None => None,
            },
            // The title of another conversation, not a compaction.
            Some("summary") if record.get("leafUuid").is_some() => return,
            Some("decision") => text(&["text", "decision", "content"]).map(Event::Decision),
            Some("compaction" | "summary") => {
                let listed = record
                    .get("decisions")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str);
                let summary = text(&["summary", "content", "text"]);
                let all: Vec<String> = summary
                    .into_iter()
                    .chain(listed.map(str::to_owned))
                    .collect();
                (!all.is_empty()).then(|| Event::Compaction(all.join("\n")))
            }
            // Other types are metadata of the session.
            Some(_) => return,
            None => None,
        };
        match event {
            Some(event) => self.events.push((line, event)),
            None => self.unreadable.push(line),
        }
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.events
            .iter()
            .filter(|(_, event)| matches!(event, Event::Message(_)))
            .count()
    }
}

/// Returns the parts of a message that aren't text, in JSON: tool calls and their results.
fn tools(record: &Value) -> impl Iterator<Item = String> {
    let parts = record
        .pointer("/message/content")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    parts
        .filter(|part| part.is_object() && !part.get("text").is_some_and(Value::is_string))
        .map(|part| {
            let held = ["input", "content"]
                .iter()
                .find_map(|member| part.get(member));
            match held {
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                // Image bytes aren't text tokens; everything else is counted.
                None if part.get("type").and_then(Value::as_str) == Some("image") => String::new(),
                None => part.to_string(),
            }
        })
}

/// Returns the decision that a line is marked as, if any.
fn decision(line: &str) -> Option<String> {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '-' | '*' | '+' | '#' | '>')
    });
    let lower: String = line.chars().take(12).flat_map(char::to_lowercase).collect();
    let mark = MARKS.iter().find(|mark| lower.starts_with(**mark))?;
    // A mark has the same number of characters in upper and lower case.
    let rest: String = line.chars().skip(mark.chars().count()).collect();
    let rest = rest.trim_matches(|c: char| c.is_whitespace() || c == '*');
    (!rest.is_empty()).then(|| rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decisions_and_compactions_are_told_apart() {
        let session = Session::parse(include_str!("session/decisions.jsonl"));
        let events = [
            (
                1,
                Event::Message("Go on\n- **Decision:** use SQLite".into()),
            ),
            (1, Event::Decision("use SQLite".into())),
            (2, Event::Decision("no network".into())),
            (4, Event::Compaction("s\na".into())),
            (5, Event::Compaction("t".into())),
        ];
        assert_eq!(session.events, events);
        assert_eq!(session.unreadable, [7, 8, 9]);
        assert_eq!(session.messages(), 1);
        let used = Session::parse(
            r#"{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"I look"},{"type":"tool_use","name":"read","input":{"path":"a"}},{"type":"tool_result","content":"Decision: no"}]}}"#,
        );
        let expected = [
            Event::Message("I look".into()),
            Event::Tool("{\"path\":\"a\"}".into()),
            Event::Tool("Decision: no".into()),
        ];
        assert_eq!(used.events, expected.map(|event| (1, event)));
        let claude = Session::parse(
            "{\"type\":\"summary\",\"summary\":\"s\",\"leafUuid\":\"u\"}\n\
             {\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Done\"}]}}\n",
        );
        assert_eq!(claude.events, [(2, Event::Message("Done".into()))]);
        assert_eq!(decision("决定：使用 SQLite"), Some("使用 SQLite".into()));
        assert_eq!(decision("a decision: no"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_a_session(text in "(\\PC|\n|\\{\"type\":\"(message|decision|summary)\"[,:\\{\\}\"a-z]*){0,40}") {
            let session = Session::parse(&text);
            let lines = text.lines().count() as u64;
            prop_assert!(session.unreadable.iter().all(|n| (1..=lines).contains(n)));
        }
    }
}
