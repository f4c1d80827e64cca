//! Finds members of a document that hold its messages or calls, and aren't lists.
//!
//! Readers skip a value of another type, since writers change their formats. Where it is in place
//! of a list of calls, the calls in it would be lost without a word.

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use strict_json::{DEFAULT_MAX_DEPTH, Deserializer, Raw, Scanner, Str};

/// Maximum number of such members that are reported of a record.
const MOST: usize = 20;
/// Maximum depth of lists in lists.
const DEPTH: usize = 16;

/// Returns the values in place of lists, and of objects in them. Only lists with the given names
/// are entered, so that no arguments of calls are.
/// `texts` says that calls in a text are read, too.
pub(super) fn malformed<'a>(
    names: &[&str],
    texts: bool,
    record: Raw<'a>,
) -> Vec<(&'a str, String)> {
    let mut found = Vec::new();
    if !names.is_empty() {
        match record.read::<Vec<Raw<'a>>>() {
            Some(elements) => {
                for element in elements {
                    members((names, texts), element, DEPTH, &mut found);
                }
            }
            None => members((names, texts), record, DEPTH, &mut found),
        }
    }
    found
}

fn members<'a>(
    (names, texts): (&[&str], bool),
    object: Raw<'a>,
    left: usize,
    found: &mut Vec<(&'a str, String)>,
) {
    let Some(left) = left.checked_sub(1) else {
        return;
    };
    let mut scanner = Scanner::new(object.as_written(), DEFAULT_MAX_DEPTH);
    let kept = Deserializer::new(&mut scanner).deserialize_map(Named(names));
    for (name, value) in kept.unwrap_or_default() {
        let written = value.as_written();
        match value.read::<Vec<Raw<'a>>>() {
            Some(elements) => {
                for element in elements {
                    // Old OpenHands lists pairs of an action and its observation.
                    let pair = element.read::<Vec<Raw<'a>>>().filter(|_| name == "history");
                    if let Some(pair) = pair {
                        for part in pair {
                            if part.as_written().starts_with('{') {
                                members((names, texts), part, left, found);
                            } else {
                                add(found, part, &format!("expected an object in `{name}`"));
                            }
                        }
                    } else if element.as_written().starts_with('[') {
                        add(found, element, &format!("expected an object in `{name}`"));
                    } else {
                        members((names, texts), element, left, found);
                    }
                }
            }
            None if written == "null" => {}
            None if texts && is_text_of_calls(&name, value) => {}
            None => add(found, value, &format!("expected a list in `{name}`")),
        }
    }
}

/// Returns whether a text contains calls as JSON.
fn is_text_of_calls(name: &str, value: Raw<'_>) -> bool {
    let named = matches!(name, "tool_calls" | "toolCalls");
    let text = value.as_str().filter(|_| named).map(Str::decode);
    text.is_some_and(|text| {
        let list = strict_json::from_text::<Vec<Raw<'_>>>(&text).unwrap_or_default();
        !list.is_empty() && list.iter().all(|one| one.as_written().starts_with('{'))
    })
}

/// Keeps the members with some names. An object may have millions of others.
struct Named<'n>(&'n [&'n str]);

impl<'de> Visitor<'de> for Named<'_> {
    type Value = Vec<(Cow<'de, str>, Raw<'de>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut kept = Vec::new();
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            if self.0.contains(&&*name) && kept.len() < MOST {
                kept.push((name, map.next_value()?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(kept)
    }
}

/// Adds a value of another type than expected.
pub(super) fn add<'a>(found: &mut Vec<(&'a str, String)>, value: Raw<'a>, expected: &str) {
    let what = match value.as_written().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "a string",
        _ => "another value",
    };
    if found.len() < MOST {
        let message = format!("{expected}, found {what}: calls in it may be lost");
        found.push((value.as_written(), message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_place_of_a_list_is_found() {
        for (record, count) in [
            (
                r#"{"messages":[{"tool_calls":[]},{"tool_calls":null},{}]}"#,
                0,
            ),
            (r#"[{"tool_calls":[]}]"#, 0),
            (r#"{"messages":{"0":{}}}"#, 1),
            (r#"{"messages":"[]"}"#, 1),
            (r#"{"messages":[[{}]]}"#, 1),
            (r#"{"history":[[{},{}],[{"messages":7}]]}"#, 1),
            (r#"{"history":[[{},{}],[[{},{}]],[7,{}]]}"#, 2),
            (r#"{"messages":[{"tool_calls":{}},{"tool_calls":7}]}"#, 2),
            (r#"[{"tool_calls":true}]"#, 1),
            // Behind many other members.
            (
                &format!("{{{}\"messages\":{{}}}}", "\"x\":1,".repeat(100)),
                1,
            ),
            // An argument.
            (
                r#"{"messages":[{"tool_calls":[{"arguments":{"messages":1}}]}]}"#,
                0,
            ),
        ] {
            let found = malformed(
                &["messages", "tool_calls", "history"],
                false,
                Raw::trusted(record),
            );
            assert_eq!(found.len(), count, "{record}: {found:?}");
        }
    }

    #[test]
    fn a_text_of_calls_is_one_where_texts_are_read() {
        for (record, count) in [
            (r#"{"tool_calls":"[{\"id\":1}]"}"#, 0),
            (r#"{"tool_calls":"[]"}"#, 1),
            (r#"{"tool_calls":"[7]"}"#, 1),
            (r#"{"tool_calls":"x"}"#, 1),
            (r#"{"messages":"[{\"id\":1}]"}"#, 1),
        ] {
            let names = ["messages", "tool_calls"];
            let found = |texts| malformed(&names, texts, Raw::trusted(record)).len();
            assert_eq!((found(true), found(false)), (count, 1), "{record}");
        }
    }
}
