//! Text that was put before a model: messages that contain items of the context, and the context's
//! token budget.

use super::record::Message;
use memchr::memmem::Finder;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;
use strict_json::{OPEN_OBJECT, Raw, Str};

/// Beginning of an item's line: `[Reference] TYPE: NAME (PATH)`.
pub const MARK: &str = "[Reference] ";

/// Headings of the items in a message, by confidence.
const HEADINGS: [&str; 3] = [
    "Background Knowledge (High Confidence)",
    "Supporting Information (Medium Confidence)",
    "Archived References (Low Confidence)",
];

/// Messages, which are checked and counted. Only those that may contain items are kept.
#[derive(Debug, Clone, Default)]
pub struct Messages<'a> {
    /// Number of messages.
    pub count: usize,
    /// Texts of the messages that may contain items.
    pub carrying: Vec<Str<'a>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Messages<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Messages<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Messages<'de>, A::Error> {
                let mut messages = Messages::default();
                while let Some(message) = seq.next_element::<Message<'de>>()? {
                    messages.count += 1;
                    if may_carry(message.content) {
                        messages.carrying.push(message.content);
                    }
                }
                Ok(messages)
            }
        }
        deserializer.deserialize_seq(V)
    }
}

impl JsonSchema for Messages<'_> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Messages".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": generator.subschema_for::<Message<'_>>() })
    }
}

/// Returns whether a text may mark an item: it contains `[Reference]`, or an escape that may be a
/// letter of it.
fn may_carry(content: Str<'_>) -> bool {
    static MARKED: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("Reference]"));
    static ESCAPED: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(r"\u00"));
    let written = content.as_written().as_bytes();
    MARKED.find(written).is_some() || content.is_escaped() && ESCAPED.find(written).is_some()
}

/// Metadata of a snapshot: an object with any members, two of which have a meaning.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotMetadata<'a>(Raw<'a>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
struct Known<'a> {
    token_budget: Option<Raw<'a>>,
    tokenizer: Option<Raw<'a>>,
}

impl SnapshotMetadata<'_> {
    /// Returns `tokenBudget`, the maximum number of tokens of the injected context. `None` when it
    /// isn't a whole number.
    #[must_use]
    pub fn token_budget(self) -> Option<u64> {
        self.0
            .read::<Known<'_>>()?
            .token_budget?
            .as_written()
            .parse()
            .ok()
    }

    /// Returns `tokenizer`, the published name of the encoding that counts.
    #[must_use]
    pub fn tokenizer(self) -> Option<String> {
        Some(
            self.0
                .read::<Known<'_>>()?
                .tokenizer?
                .read::<Str<'_>>()?
                .decode()
                .into_owned(),
        )
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for SnapshotMetadata<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Raw<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<Raw<'de>, D::Error> {
                Raw::deserialize(deserializer)
            }
        }
        let raw = deserializer.deserialize_newtype_struct(OPEN_OBJECT, V)?;
        if raw.as_written().starts_with('{') {
            Ok(Self(raw))
        } else {
            Err(de::Error::custom("expected an object"))
        }
    }
}

impl JsonSchema for SnapshotMetadata<'_> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "SnapshotMetadata".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}

/// Returns the path of the item that a line marks: `[Reference] TYPE: NAME (PATH)`.
#[must_use]
pub fn marked(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(MARK)?;
    let (kind, named) = rest.split_once(": ")?;
    let word = !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let (_, path) = named.split_once(" (").filter(|_| word)?;
    path.split_once(')').map(|(path, _)| path)
}

/// Returns the paths of references in a text: `[Reference] TYPE: NAME (PATH)`, each within its
/// line.
pub fn references(text: &str) -> impl Iterator<Item = &str> {
    let each = text
        .match_indices(MARK)
        .filter_map(|(at, _)| text.get(at..)?.lines().next());
    each.filter_map(marked)
}

/// Returns the first paths that an answer declares as used: its references, and `"used_context":
/// ["PATH"]` in a block of JSON.
#[must_use]
pub fn declared(answer: &str) -> Vec<String> {
    const MOST: usize = 200;
    let lists = answer
        .split("\"used_context\"")
        .skip(1)
        .take(MOST)
        .filter_map(|after| {
            let list = after.trim_start().strip_prefix(':')?.trim_start();
            let list = list.starts_with('[').then_some(list)?;
            serde_json::Deserializer::from_str(list)
                .into_iter::<Vec<String>>()
                .next()?
                .ok()
        });
    references(answer)
        .map(str::to_owned)
        .chain(lists.flatten())
        .take(MOST)
        .collect()
}

/// Returns path and text of the items in a message, in their order. A text ends before the next
/// mark or heading.
#[must_use]
pub fn items(message: &str) -> Vec<(&str, String)> {
    let mut items: Vec<(&str, String)> = Vec::new();
    let mut open = false;
    for line in message.lines() {
        if let Some(path) = marked(line) {
            items.push((path, String::new()));
            open = true;
        } else if is_heading(line) {
            open = false;
        } else if let Some((_, text)) = items.last_mut().filter(|_| open) {
            text.push_str(line);
            text.push('\n');
        }
    }
    items
}

/// Returns the injected part of a message, which begins with its first heading or mark. `None` when
/// it has neither.
#[must_use]
pub fn injection(message: &str) -> Option<&str> {
    let mut at = 0;
    for line in message.split_inclusive('\n') {
        if is_heading(line) || marked(line).is_some() {
            return message.get(at..);
        }
        at += line.len();
    }
    None
}

/// Returns the first two headings of a message that are in the wrong order: the one that comes too
/// late, and the less certain one before it.
#[must_use]
pub fn misplaced_section(message: &str) -> Option<(&'static str, &'static str)> {
    let mut last = 0;
    for level in message.lines().filter_map(heading) {
        if level < last {
            return HEADINGS
                .get(level)
                .copied()
                .zip(HEADINGS.get(last).copied());
        }
        last = level;
    }
    None
}

fn is_heading(line: &str) -> bool {
    heading(line).is_some()
}

/// Returns the position of a line's heading among the headings.
fn heading(line: &str) -> Option<usize> {
    let text = line.trim().trim_start_matches('#').trim();
    let text = text.trim_matches('*').trim_end_matches(':');
    HEADINGS.iter().position(|heading| *heading == text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MESSAGE: &str = "You are a helper.\n## Background Knowledge (High Confidence)\n\
        ### [Reference] FILE: add (src/add.ts)\nexport one\ntwo\n\
        ## Archived References (Low Confidence)\nold\n[Reference] DOC: n (n.md)\nthree\n";

    #[test]
    fn items_end_where_the_next_begins() {
        let found = items(MESSAGE);
        assert_eq!(
            found,
            [
                ("src/add.ts", "export one\ntwo\n".to_owned()),
                ("n.md", "three\n".to_owned())
            ]
        );
        assert!(injection(MESSAGE).unwrap().starts_with("## Background"));
        assert_eq!(injection("You say \"Reference] is a word\""), None);
        assert_eq!(marked("see [Reference] is a word (no/path)"), None);
    }

    #[test]
    fn references_are_told_from_talk() {
        let text = "x [Reference] FILE: add.ts (src/add.ts)\n[Reference] is a word (no/path)\n\
            [Reference] DIR: src (src/a b/) y";
        assert_eq!(
            references(text).collect::<Vec<_>>(),
            ["src/add.ts", "src/a b/"]
        );
    }

    #[test]
    fn answers_declare_in_two_ways() {
        let text = "Done.\n[Reference] FILE: add (src/add.ts)\n```json\n\
            {\"used_context\": [\"a.md\", \"b (c).md\"]}\n```\n";
        assert_eq!(declared(text), ["src/add.ts", "a.md", "b (c).md"]);
        assert!(
            declared("[Reference] (\n\"used_context\" \"used_context\": 3 [Reference]").is_empty()
        );
    }

    #[test]
    fn messages_are_checked_and_mostly_not_kept() {
        let text = concat!(
            r#"[{"role":"user","content":"hello","timestamp":1},{"role":"system","#,
            r#""content":"[Reference] FILE: a (a)\nx","timestamp":2}]"#,
        );
        let messages: Messages<'_> = strict_json::from_text(text).unwrap();
        assert_eq!((messages.count, messages.carrying.len()), (2, 1));
        assert!(strict_json::from_text::<Messages<'_>>(r#"[{"role":"user"}]"#).is_err());
    }

    #[test]
    fn a_budget_is_a_whole_number() {
        let read = |text| strict_json::from_text::<SnapshotMetadata<'_>>(text).unwrap();
        assert_eq!(
            read(r#"{"tokenBudget":800,"tokenizer":"cl100k_base"}"#).token_budget(),
            Some(800)
        );
        assert_eq!(
            read(r#"{"tokenBudget":800,"tokenizer":"cl100k_base"}"#)
                .tokenizer()
                .as_deref(),
            Some("cl100k_base")
        );
        for none in [
            "{}",
            r#"{"tokenBudget":"800"}"#,
            r#"{"tokenBudget":-1}"#,
            r#"{"tokenBudget":1.5}"#,
        ] {
            assert_eq!(read(none).token_budget(), None, "{none}");
        }
        assert!(strict_json::from_text::<SnapshotMetadata<'_>>("[]").is_err());
    }

    const PARTS: &str = "(\\[Reference\\] |F: |a \\(|p|\\)|\n\
        |## Archived References \\(Low Confidence\\)|é| ){0,30}";

    proptest! {
        #[test]
        fn any_message_is_taken_apart(text in PARTS) {
            for (path, body) in items(&text) {
                prop_assert!(text.contains(path) && body.lines().all(|l| text.contains(l)));
            }
            if let Some(part) = injection(&text) {
                prop_assert!(text.ends_with(part));
            }
        }
    }
}
