//! Arguments of a call that a record may contain under several names.

use super::{arguments, input_text};
use std::borrow::Cow;
use strict_json::{Raw, canonical_eq};

/// Returns the arguments of a call from the members that may contain them.
pub(super) fn of_members<'a>(members: &[(&str, Option<Raw<'a>>)]) -> Cow<'a, str> {
    let present = members.iter().filter_map(|(name, raw)| {
        let raw = (*raw)?;
        let blank = is_blank(raw.as_written());
        Some((*name, arguments(Some(raw)), blank))
    });
    combined(present)
}

/// Like [`of_members`], for texts. A text that isn't an object becomes the member `input`.
pub(super) fn of_texts<'a>(texts: &[(&str, Option<Cow<'a, str>>)]) -> Cow<'a, str> {
    let present = texts.iter().filter_map(|(name, text)| {
        let text = text.clone()?;
        let blank = is_blank(&text);
        Some((*name, input_text(text, "input"), blank))
    });
    combined(present)
}

/// Adds other arguments of the same call. If both differ, all of them count.
pub(super) fn add<'a>(known: &mut Cow<'a, str>, other: Cow<'a, str>) {
    let before = std::mem::take(known);
    *known = of_texts(&[
        ("arguments", Some(before)),
        ("other_arguments", Some(other)),
    ]);
}

/// Returns whether a value contains no arguments.
pub(super) fn is_blank(written: &str) -> bool {
    let text = written.trim();
    let empty = |open, close| {
        let inside = text.strip_prefix(open).and_then(|t| t.strip_suffix(close));
        inside.is_some_and(|inside: &str| inside.trim().is_empty())
    };
    text.is_empty() || text == "null" || empty('{', '}') || empty('[', ']') || empty('"', '"')
}

/// Returns the only arguments that aren't blank. If several differ, it is unknown which of them
/// were used, so all are returned under their names.
fn combined<'n, 'a>(present: impl Iterator<Item = (&'n str, Cow<'a, str>, bool)>) -> Cow<'a, str> {
    let mut blank = None;
    let mut kept: Vec<(&str, Cow<'a, str>)> = Vec::new();
    for (name, input, is_empty) in present {
        if is_empty || is_blank(&input) {
            blank = blank.or(Some(input)).filter(|input| is_blank(input));
        } else if !kept.iter().any(|(_, other)| is_same(other, &input)) {
            kept.push((name, input));
        }
    }
    match kept.len() {
        0 => blank.unwrap_or(Cow::Borrowed("{}")),
        1 => kept.pop().map_or(Cow::Borrowed("{}"), |(_, input)| input),
        _ => {
            let members = kept
                .iter()
                .map(|(name, input)| format!("\"{name}\":{input}"));
            Cow::Owned(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
        }
    }
}

/// Returns the texts in arguments, but not the names of members.
pub(super) fn texts(input: &str) -> Vec<String> {
    fn add(value: &serde_json::Value, texts: &mut Vec<String>) {
        match value {
            serde_json::Value::String(text) => texts.push(text.clone()),
            serde_json::Value::Array(list) => list.iter().for_each(|one| add(one, texts)),
            serde_json::Value::Object(all) => all.values().for_each(|one| add(one, texts)),
            _ => {}
        }
    }
    let mut texts = Vec::new();
    match strict_json::from_text_clamped(input) {
        Ok(value) => add(&value, &mut texts),
        Err(_) => texts.push(input.to_owned()),
    }
    texts
}

fn is_same(a: &str, b: &str) -> bool {
    canonical_eq(Raw::trusted(a), Raw::trusted(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_member_hides_no_arguments() {
        for (first, second, expected) in [
            ("{}", r#"{"a":1}"#, r#"{"a":1}"#),
            ("{ }", r#"{"a":1}"#, r#"{"a":1}"#),
            ("null", r#"{"a":1}"#, r#"{"a":1}"#),
            (r#""""#, r#"{"a":1}"#, r#"{"a":1}"#),
            (r#""{}""#, r#"{"a":1}"#, r#"{"a":1}"#),
            ("[]", r#"{"a":1}"#, r#"{"a":1}"#),
            (r#"{"a":1}"#, "{}", r#"{"a":1}"#),
            (r#"{"a":1}"#, r#""{\"a\": 1}""#, r#"{"a":1}"#),
            (r#"{"a":1}"#, r#"{"a":2}"#, r#"{"x":{"a":1},"y":{"a":2}}"#),
            ("{}", "{}", "{}"),
            (r#""ls""#, "{}", r#"{"arguments":"ls"}"#),
        ] {
            let (first, second) = (Raw::trusted(first), Raw::trusted(second));
            let given = of_members(&[("x", Some(first)), ("z", None), ("y", Some(second))]);
            assert_eq!(given, expected, "{first:?} {second:?}");
        }
        assert_eq!(of_members(&[("x", None)]), "{}");
        let texts = [("x", Some("{}".into())), ("y", Some("ls".into()))];
        assert_eq!(of_texts(&texts), r#"{"input":"ls"}"#);
    }
}
