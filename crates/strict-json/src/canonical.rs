//! Canonical JSON (RFC 8785), the form in which values are compared and hashed.
//!
//! It deviates from the RFC twice, and is stricter in both cases:
//!
//! - The RFC rounds every number to a double, so that `9007199254740993` equals `9007199254740992`.
//!   Here, an integer that a double can't represent keeps its digits.
//! - The RFC refuses lone surrogates. Here, they are kept as `\udhhh`, so that they equal neither
//!   U+FFFD nor each other.

use super::scan::{Scanner, ValueKind, special};
use super::text::{Raw, Str};
use std::borrow::Cow;
use std::fmt::Write as _;
use text_simd::CHUNK;

/// Maximum nesting depth. Values of a record have passed a lower limit before.
const MAX_DEPTH: u32 = 4096;

/// Returns whether two values are equal, whatever their spelling.
#[must_use]
pub fn canonical_eq(a: Raw<'_>, b: Raw<'_>) -> bool {
    a.as_written() == b.as_written() || canonicalise(a) == canonicalise(b)
}

/// Returns the canonical form of a value.
#[must_use]
pub fn canonicalise(value: Raw<'_>) -> String {
    rewrite(value, true)
}

/// Returns the value as ECMAScript's `JSON.stringify` writes it: in canonical form, except that
/// members keep their order.
#[must_use]
pub fn stringify(value: Raw<'_>) -> String {
    rewrite(value, false)
}

/// Maximum length in bytes of a value that is written in one piece. Longer ones are written without
/// copying them.
const PIECE: usize = 64 << 10;

/// Writes the canonical form of a value in pieces. A long value is never in memory as a whole.
pub fn canonical_pieces(value: Raw<'_>, out: &mut dyn FnMut(&str)) {
    let text = value.as_written();
    if text.len() <= PIECE || Scanner::new(text, MAX_DEPTH).skip().is_err() {
        return out(&canonicalise(value));
    }
    // The text was validated, so this can't stop early.
    let _ = pieces(text, out);
}

/// A long container of which a part was written.
enum LongContainer<'a> {
    Members(std::vec::IntoIter<(Cow<'a, str>, &'a str)>),
    Elements(Box<Scanner<'a>>),
}

fn pieces(text: &str, out: &mut dyn FnMut(&str)) -> Option<()> {
    let mut open: Vec<(LongContainer<'_>, bool)> = Vec::new();
    let mut next = Some(text);
    loop {
        match next.take() {
            Some(text) if text.len() <= PIECE => out(&canonicalise(Raw::trusted(text))),
            Some(text) if text.starts_with('{') => {
                out("{");
                open.push((LongContainer::Members(members(text)?.into_iter()), true));
            }
            Some(text) if text.starts_with('[') => {
                let mut scanner = Scanner::new(text, MAX_DEPTH);
                scanner.open_array().ok()?;
                out("[");
                open.push((LongContainer::Elements(Box::new(scanner)), true));
            }
            Some(text) => match text
                .strip_prefix('"')
                .and_then(|text| text.strip_suffix('"'))
            {
                Some(written) => write_long_string(written, out),
                None => out(&canonicalise(Raw::trusted(text))),
            },
            None => {}
        }
        let Some((container, first)) = open.last_mut() else {
            return Some(());
        };
        let close = match container {
            LongContainer::Members(members) => match members.next() {
                Some((name, value)) => {
                    let mut quoted = String::from(if *first { "" } else { "," });
                    push_quoted(&mut quoted, &name);
                    quoted.push(':');
                    out(&quoted);
                    next = Some(value);
                    None
                }
                None => Some("}"),
            },
            LongContainer::Elements(scanner) => {
                if scanner.element(*first).ok()? {
                    out(if *first { "" } else { "," });
                    next = Some(scanner.skip().ok()?);
                    None
                } else {
                    Some("]")
                }
            }
        };
        *first = false;
        if let Some(close) = close {
            out(close);
            open.pop();
        }
    }
}

/// Returns the members of a long object in canonical order, with their values as written.
fn members(text: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    let mut scanner = Scanner::new(text, MAX_DEPTH);
    scanner.open_object(false).ok()?;
    let (mut members, mut first) = (Vec::new(), true);
    while let Some(name) = scanner.member(first).ok()? {
        first = false;
        let is_first = scanner.remember();
        let value = scanner.skip().ok()?;
        if is_first {
            members.push((name.decode(), value));
        }
    }
    members.sort_by(|(a, _): &(Cow<'_, str>, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    Some(members)
}

/// Writes a long string, given without its quotes, in pieces.
fn write_long_string(written: &str, out: &mut dyn FnMut(&str)) {
    let mut rest = written;
    out("\"");
    while !rest.is_empty() {
        let mut end = PIECE.min(rest.len());
        // A piece must end neither inside an escape nor between the escapes of a surrogate pair.
        while end < rest.len() && !(rest.is_char_boundary(end) && is_plain(rest.as_bytes(), end)) {
            end += 1;
        }
        let (piece, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let spelled = quoted(Str::new(piece, true));
        out(spelled.get(1..spelled.len() - 1).unwrap_or_default());
        rest = behind;
    }
    out("\"");
}

/// Returns whether no escape starts in the twelve bytes before `at`, which is the length of an
/// escaped surrogate pair.
fn is_plain(text: &[u8], at: usize) -> bool {
    !text
        .get(at.saturating_sub(12)..at)
        .unwrap_or_default()
        .contains(&b'\\')
}

fn rewrite(value: Raw<'_>, sorted: bool) -> String {
    let mut out = String::with_capacity(value.as_written().len());
    let mut scanner = Scanner::new(value.as_written(), MAX_DEPTH);
    // The text was validated when it was read. If not, it is compared as written.
    if write(&mut scanner, sorted, &mut out).is_none() {
        return value.as_written().to_owned();
    }
    out
}

/// An open container. The members of an object are sorted at its end.
enum Open<'a> {
    Object {
        first: bool,
        members: Vec<(Cow<'a, str>, String)>,
        name: Option<Cow<'a, str>>,
    },
    Array {
        first: bool,
        text: String,
    },
}

/// Writes one value. It uses an explicit stack, so that nesting can't overflow the call stack.
fn write(scanner: &mut Scanner<'_>, sorted: bool, out: &mut String) -> Option<()> {
    let mut open: Vec<Open<'_>> = Vec::new();
    loop {
        let mut done = match scanner.kind().ok()? {
            ValueKind::Object => {
                scanner.open_object(false).ok()?;
                open.push(Open::Object {
                    first: true,
                    members: Vec::new(),
                    name: None,
                });
                None
            }
            ValueKind::Array => {
                scanner.open_array().ok()?;
                open.push(Open::Array {
                    first: true,
                    text: "[".into(),
                });
                None
            }
            ValueKind::String => Some(quoted(scanner.string().ok()?)),
            ValueKind::Number => Some(number(scanner.number().ok()?)),
            ValueKind::True | ValueKind::False | ValueKind::Null => {
                Some(scanner.skip().ok()?.to_owned())
            }
        };
        loop {
            let Some(container) = open.last_mut() else {
                out.push_str(&done?);
                return Some(());
            };
            let more = match container {
                Open::Object {
                    first,
                    members,
                    name,
                } => {
                    if let (Some(name), Some(text)) = (name.take(), done.take()) {
                        members.push((name, text));
                    }
                    *name = loop {
                        match scanner.member(*first).ok()? {
                            None => break None,
                            Some(found) => {
                                *first = false;
                                if scanner.remember() {
                                    break Some(found.decode());
                                }
                                scanner.skip().ok()?;
                            }
                        }
                    };
                    name.is_some()
                }
                Open::Array { first, text } => {
                    if let Some(element) = done.take() {
                        if text.len() > 1 {
                            text.push(',');
                        }
                        text.push_str(&element);
                    }
                    let more = scanner.element(*first).ok()?;
                    *first = false;
                    more
                }
            };
            if more {
                break;
            }
            done = Some(match open.pop()? {
                Open::Object { members, .. } => object(members, sorted),
                Open::Array { mut text, .. } => {
                    text.push(']');
                    text
                }
            });
        }
    }
}

/// Formats members. If `sorted`, they are ordered by UTF-16 code units (RFC 8785, 3.2.3).
fn object(mut members: Vec<(Cow<'_, str>, String)>, sorted: bool) -> String {
    if sorted {
        members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    }
    let size: usize = members.iter().map(|(a, b)| a.len() + b.len() + 4).sum();
    let mut text = String::with_capacity(size + 2);
    text.push('{');
    for (index, (name, value)) in members.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        push_quoted(&mut text, name);
        text.push(':');
        text.push_str(value);
    }
    text.push('}');
    text
}

fn quoted(string: Str<'_>) -> String {
    let written = string.as_written();
    let mut out = String::with_capacity(written.len() + 2);
    if memchr::memchr(b'\\', written.as_bytes()).is_none() {
        // The only way to write it.
        out.push('"');
        out.push_str(written);
        out.push('"');
        return out;
    }
    let decoded = string.decode();
    if decoded.contains(char::REPLACEMENT_CHARACTER) {
        // U+FFFD may be itself or a lone surrogate, which only the text as written shows.
        return quoted_with_halves(written);
    }
    push_quoted(&mut out, &decoded);
    out
}

/// Decodes piece by piece, and keeps each lone surrogate as a lower-case escape.
fn quoted_with_halves(written: &str) -> String {
    let mut out = String::from("\"");
    let mut rest = written;
    while !rest.is_empty() {
        let length = if rest.starts_with("\\u") {
            escape_length(rest)
        } else {
            plain_length(rest)
        };
        let (piece, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let decoded = Str::new(piece, true).decode();
        if piece.starts_with("\\u")
            && decoded == "\u{fffd}"
            && !piece.eq_ignore_ascii_case("\\ufffd")
        {
            out.push_str(&piece.to_ascii_lowercase());
        } else {
            push_escaped(&mut out, &decoded);
        }
        rest = tail;
    }
    out.push('"');
    out
}

/// Returns the length of `\uhhhh`, or of a surrogate pair, at the start of `text`.
fn escape_length(text: &str) -> usize {
    let pair = text.get(..12).is_some_and(|p| {
        p.get(6..8) == Some("\\u") && Str::new(p, true).decode().chars().count() == 1
    });
    if pair { 12 } else { 6.min(text.len()) }
}

/// Returns the length of the text before the next `\u` escape.
fn plain_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1)) {
            (b'\\', Some(b'u')) => break,
            (b'\\', _) => at += 2,
            _ => at += 1,
        }
    }
    at.min(text.len())
}

/// Appends a text as a JSON string, with the escapes of RFC 8785, 3.2.2.2.
pub fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    push_escaped(out, text);
    out.push('"');
}

fn push_escaped(out: &mut String, text: &str) {
    let bytes = text.as_bytes();
    let mut written = 0;
    for start in (0..bytes.len()).step_by(CHUNK) {
        let mut hits = special(bytes, start);
        while hits != 0 {
            let at = start + hits.trailing_zeros() as usize;
            let Some(byte) = bytes.get(at) else {
                break;
            };
            out.push_str(text.get(written..at).unwrap_or_default());
            written = at + 1;
            match byte {
                b'"' => out.push_str("\\\""),
                b'\\' => out.push_str("\\\\"),
                8 => out.push_str("\\b"),
                b'\t' => out.push_str("\\t"),
                b'\n' => out.push_str("\\n"),
                12 => out.push_str("\\f"),
                b'\r' => out.push_str("\\r"),
                control => {
                    let _ = write!(out, "\\u{control:04x}");
                }
            }
            hits &= hits - 1;
        }
    }
    out.push_str(text.get(written..).unwrap_or_default());
}

/// Formats a number like ECMAScript (RFC 8785, 3.2.2.3) if a double can represent it.
fn number(text: &str) -> String {
    let Ok(value) = text.parse::<f64>() else {
        return text.to_owned();
    };
    if !value.is_finite() {
        return text.to_owned();
    }
    let integer = !text.bytes().any(|b| matches!(b, b'.' | b'e' | b'E'));
    if integer && value.abs() > 9_007_199_254_740_991.0 && format!("{value:.0}") != text {
        return text.to_owned();
    }
    ryu_js::Buffer::new().format(value).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        canonicalise(Raw::trusted(text))
    }

    /// The examples of RFC 8785, sections 3.2.2 and 3.2.3.
    #[test]
    fn agrees_with_the_examples_of_the_rfc() {
        let text = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let expected = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
                        \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(canonical(text), expected);
        let keys = r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#;
        assert_eq!(
            canonical(keys),
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}"
        );
    }

    #[test]
    fn stringified_values_keep_the_order_of_their_members() {
        let text = r#"{ "b" : "\u4f60\u00e9\ud800\/", "a": [1.0, 1E2, null] }"#;
        assert_eq!(
            stringify(Raw::trusted(text)),
            r#"{"b":"你é\ud800/","a":[1,100,null]}"#
        );
    }

    #[test]
    fn spelling_does_not_matter_and_value_does() {
        let eq = |a, b| canonical_eq(Raw::trusted(a), Raw::trusted(b));
        assert!(eq(
            r#"{"a":1,"b":[1.0,"x"]}"#,
            r#"{ "b" : [1, "\u0078"], "a":1e0 }"#
        ));
        assert!(!eq(r#"{"a":1}"#, r#"{"a":"1"}"#));
        assert!(eq("-0", "0"));
        assert!(!eq("[]", "{}"));
    }

    #[test]
    fn what_a_double_or_a_replacement_would_blur_stays_apart() {
        let eq = |a, b| canonical_eq(Raw::trusted(a), Raw::trusted(b));
        assert!(!eq("9007199254740993", "9007199254740992"));
        assert!(!eq(r#""\ud800""#, r#""\ufffd""#));
        assert!(!eq(r#""\ud800""#, r#""\ud801""#));
        assert!(eq(r#""\uFFFD \uD83D""#, r#""\ufffd \ud83d""#));
        assert!(eq(r#""\ud83d\ude00 \ud800""#, r#""😀 \uD800""#));
        assert_eq!(canonical(r#""\\ud800 \ud800""#), r#""\\ud800 \ud800""#);
    }

    #[test]
    fn pieces_are_the_same_form() {
        let pieced = |text: &str| {
            let (mut all, mut longest) = (String::new(), 0);
            canonical_pieces(Raw::trusted(text), &mut |piece| {
                longest = longest.max(piece.len());
                all.push_str(piece);
            });
            assert!(longest <= 8 * PIECE, "{longest}");
            all
        };
        let long =
            r#"pl\u00e9in \ud83d\ude00 \ud800 \\ \n \" é, and words in between "#.repeat(20_000);
        let many: String = (0..30_000)
            .map(|n| format!(r#" "n{}" : {n}.0 ,"#, n * 7 % 30_000))
            .collect();
        let escapes = "\\ud83d\\ude00".repeat(30_000);
        for text in [
            format!(
                r#"{{"z":"{long}", "a" : [ 1.0, [{}2], "{long}" ], "a":3}}"#,
                "1e2 , ".repeat(40_000)
            ),
            format!(r#"{{{many} "last":{{{many} "x":null}}}}"#),
            format!(r#"["{escapes}"]"#),
            format!("\"{}\"", "é".repeat(100_000)),
            "[".repeat(100_000),
        ] {
            assert!(
                pieced(&text) == canonical(&text),
                "{}",
                text.get(..40).unwrap()
            );
        }
    }

    #[test]
    fn deep_values_do_not_overflow() {
        let deep = format!("{}{}", "[".repeat(4000), "]".repeat(4000));
        assert_eq!(canonical(&deep), deep);
    }

    proptest::proptest! {
        #[test]
        fn texts_are_quoted_like_serde_json(text in "([a-zé]{0,70}[\\x00-\\x7f]){0,5}") {
            let mut quoted = String::new();
            push_quoted(&mut quoted, &text);
            proptest::prop_assert_eq!(quoted, serde_json::to_string(&text).unwrap());
        }
    }
}
