//! A session as its transcript records it: what was said, what was decided, where it was compacted.
//!
//! | line | is |
//! | --- | --- |
//! | `{"type":"message","message":{"role":…,"content":…}}` | a message; its lines that begin with `Decision:` or `Decided:` (`决定：`, `决策：`) are decisions |
//! | `{"type":"decision","text":…}` | a decision |
//! | `{"type":"compaction","summary":…,"decisions":[…]}`, also `summary`; a message with `"isCompactSummary":true` | a compaction |

use super::extract::message;
use serde_json::Value;

/// Words that mark a decision at the beginning of a line.
const MARKS: [&str; 6] = [
    "decision:",
    "decided:",
    "决定:",
    "决定：",
    "决策:",
    "决策：",
];

/// Something that a session records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Somebody said something; that decides nothing by itself.
    Message(String),
    /// What a tool was handed, and what it answered, beside what was said: nobody decides by it,
    /// and it fills the window.
    Tool(String),
    /// Something was decided.
    Decision(String),
    /// From here on this stands for all that was said before.
    Compaction(String),
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Session {
    /// What it records, with the line that records it, from 1.
    pub events: Vec<(u64, Event)>,
    /// Lines that can't be read. What they say is unknown.
    pub unreadable: Vec<u64>,
}

impl Session {
    /// Reads a transcript, JSON a line.
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
            // Claude Code names the record after who speaks.
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
            // The title of another conversation.
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
            // Other lines hold what surrounds a session, and nothing that was said.
            Some(_) => return,
            None => None,
        };
        match event {
            Some(event) => self.events.push((line, event)),
            None => self.unreadable.push(line),
        }
    }

    /// How many messages there are.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.events
            .iter()
            .filter(|(_, event)| matches!(event, Event::Message(_)))
            .count()
    }
}

/// The parts of a message that aren't text, as they are written: uses of tools and their results.
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
                // A picture's bytes are no tokens; what else there may be is.
                None if part.get("type").and_then(Value::as_str) == Some("image") => String::new(),
                None => part.to_string(),
            }
        })
}

/// What a line decides, if it says that it does.
fn decision(line: &str) -> Option<String> {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '-' | '*' | '+' | '#' | '>')
    });
    let lower: String = line.chars().take(12).flat_map(char::to_lowercase).collect();
    let mark = MARKS.iter().find(|mark| lower.starts_with(**mark))?;
    // A mark has as many characters in either case.
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
        let session = Session::parse(
            "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"Go on\\n- **Decision:** use SQLite\"}}\n\
             {\"type\":\"decision\",\"text\":\"no network\"}\n\
             \n\
             {\"type\":\"compaction\",\"summary\":\"s\",\"decisions\":[\"a\"]}\n\
             {\"type\":\"message\",\"isCompactSummary\":true,\"message\":{\"role\":\"user\",\"content\":\"t\"}}\n\
             {\"type\":\"meta\"}\n{\"type\":\"message\"}\n[]\nnot json\n",
        );
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
