//! Reads a session from its transcript: messages, compactions, and what they have to keep.
//!
//! | line | is |
//! | --- | --- |
//! | `{"type":"message","message":{"role":…,"content":…}}` | a message |
//! | `{"type":"decision","text":…}`, also `fact`, `todo` and `preference` | an item to keep |
//! | `{"type":"compaction","summary":…,"decisions":[…]}`, also `summary` | a compaction |
//! | a message with `"isCompactSummary":true` | a compaction |
//!
//! Lines of a message that begin with a mark, such as `Decision:` or `决定：`, are items to keep.

use super::extract::message;
use serde_json::Value;

/// The kind of an item that a compaction has to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    Decision,
    Fact,
    /// Until it is done.
    Todo,
    Preference,
}

impl ItemKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Decision, Self::Fact, Self::Todo, Self::Preference];

    /// Returns the name in output, and as the type of a record.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Fact => "fact",
            Self::Todo => "todo",
            Self::Preference => "preference",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Words that mark a line with a colon behind them. `None` is a to-do that is done.
const MARKS: [(&str, Option<ItemKind>); 16] = [
    ("decision", Some(ItemKind::Decision)),
    ("decided", Some(ItemKind::Decision)),
    ("决定", Some(ItemKind::Decision)),
    ("决策", Some(ItemKind::Decision)),
    ("fact", Some(ItemKind::Fact)),
    ("事实", Some(ItemKind::Fact)),
    ("todo", Some(ItemKind::Todo)),
    ("to do", Some(ItemKind::Todo)),
    ("to-do", Some(ItemKind::Todo)),
    ("待办", Some(ItemKind::Todo)),
    ("preference", Some(ItemKind::Preference)),
    ("prefers", Some(ItemKind::Preference)),
    ("偏好", Some(ItemKind::Preference)),
    ("done", None),
    ("完成", None),
    ("已完成", None),
];

/// An event of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A message; it is no item by itself.
    Message(String),
    /// The input or output of a tool. It contains no items but uses space in the context window.
    Tool(String),
    /// An item that compactions have to keep.
    Item(ItemKind, String),
    /// A to-do that is done.
    Done(String),
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
                    let marked: Vec<Event> = said.lines().filter_map(marked).collect();
                    self.events.push((line, Event::Message(said)));
                    self.events
                        .extend(tools(record).map(|used| (line, Event::Tool(used))));
                    self.events
                        .extend(marked.into_iter().map(|event| (line, event)));
                    return;
                }
                None => None,
            },
            // The title of another conversation, not a compaction.
            Some("summary") if record.get("leafUuid").is_some() => return,
            Some("compaction" | "summary") => {
                let lists = ["decisions", "facts", "todos", "preferences"];
                let listed = lists
                    .iter()
                    .filter_map(|list| record.get(list)?.as_array())
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
            Some(name) => match ItemKind::parse(name) {
                Some(kind) => text(&["text", name, "content"]).map(|text| Event::Item(kind, text)),
                None => return,
            },
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

/// Returns what a line is marked as, if anything.
fn marked(line: &str) -> Option<Event> {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '-' | '*' | '+' | '#' | '>')
    });
    if let Some(done) = line.strip_prefix("[x] ") {
        return Some(Event::Done(done.trim().to_owned()));
    }
    let (mark, rest) = line.split_once([':', '：'])?;
    // Longer ones are no marks.
    let mark = mark.get(..mark.len().min(32))?.trim().to_lowercase();
    let (_, kind) = MARKS.iter().find(|(known, _)| *known == mark)?;
    let rest = rest.trim_matches(|c: char| c.is_whitespace() || c == '*');
    let text = Some(rest.to_owned()).filter(|rest| !rest.is_empty())?;
    Some(kind.map_or(Event::Done(text.clone()), |kind| Event::Item(kind, text)))
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
            (1, Event::Item(ItemKind::Decision, "use SQLite".into())),
            (2, Event::Item(ItemKind::Decision, "no network".into())),
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
        for (line, kind, text) in [
            ("决定：使用 SQLite", ItemKind::Decision, "使用 SQLite"),
            (
                "- **Fact:** the port is 8080",
                ItemKind::Fact,
                "the port is 8080",
            ),
            ("TODO: write the docs", ItemKind::Todo, "write the docs"),
            ("偏好: 中文", ItemKind::Preference, "中文"),
        ] {
            assert_eq!(marked(line), Some(Event::Item(kind, text.into())), "{line}");
        }
        assert_eq!(marked("a decision: no"), None);
        assert_eq!(marked("Fact:"), None);
        for line in ["- [x] write the docs", "Done: write the docs"] {
            assert_eq!(marked(line), Some(Event::Done("write the docs".into())));
        }
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
