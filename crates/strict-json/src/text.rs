//! Strings and values as they are written, decoded only when a rule asks.

use super::scan::{Scanner, hex4};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Names under which [`super::Deserializer`] hands out unparsed text: no type of Rust can be called
/// that, and their lengths tell them apart at once.
pub(super) const STR_TOKEN: &str = "$str";
pub(super) const RAW_TOKEN: &str = "$json";
/// The name of a newtype whose value may hold anything: see
/// [`super::Scanner::has_met_open_object`].
pub const OPEN_OBJECT: &str = "$open";

/// The inside of a JSON string: borrowed, escapes untouched.
#[derive(Clone, Copy, Default)]
pub struct Str<'a> {
    inner: &'a str,
    escaped: bool,
}

impl<'a> Str<'a> {
    #[inline]
    pub(super) fn new(inner: &'a str, escaped: bool) -> Self {
        Self { inner, escaped }
    }

    /// A string that needs no escapes.
    #[must_use]
    pub fn plain(inner: &'a str) -> Self {
        Self {
            inner,
            escaped: false,
        }
    }

    /// The text between the quotes as it is written.
    #[must_use]
    #[inline]
    pub fn as_written(self) -> &'a str {
        self.inner
    }

    /// The text that is meant; halves of surrogate pairs become U+FFFD.
    #[must_use]
    #[inline]
    pub fn decode(self) -> Cow<'a, str> {
        if self.escaped {
            Cow::Owned(decode(self.inner))
        } else {
            Cow::Borrowed(self.inner)
        }
    }

    /// Whether the text is written with escapes.
    #[must_use]
    #[inline]
    pub fn is_escaped(self) -> bool {
        self.escaped
    }

    /// Whether half of a surrogate pair may stand in it, which [`Str::decode`] makes equal to every
    /// other half. An escape that spells out U+FFFD is taken for one.
    #[must_use]
    pub fn is_torn(self) -> bool {
        self.escaped && self.decode().contains(char::REPLACEMENT_CHARACTER)
    }

    /// The text that is meant, to be compared with others: as it is written where half of a
    /// surrogate pair may be in it, since all halves decode to the same character.
    #[must_use]
    pub fn distinct(self) -> Cow<'a, str> {
        if self.is_torn() {
            Cow::Borrowed(self.inner)
        } else {
            self.decode()
        }
    }

    /// Whether the string is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.inner.is_empty()
    }

    /// Whether the meant text starts with `prefix`; decodes no more than that.
    #[must_use]
    pub fn starts_with(self, prefix: &str) -> bool {
        if self.escaped {
            self.decode().starts_with(prefix)
        } else {
            self.inner.starts_with(prefix)
        }
    }
}

impl PartialEq for Str<'_> {
    fn eq(&self, other: &Self) -> bool {
        if self.escaped || other.escaped {
            self.decode() == other.decode()
        } else {
            self.inner == other.inner
        }
    }
}

impl Eq for Str<'_> {}

impl PartialEq<str> for Str<'_> {
    fn eq(&self, other: &str) -> bool {
        if self.escaped {
            self.decode() == other
        } else {
            self.inner == other
        }
    }
}

impl fmt::Debug for Str<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.decode().fmt(f)
    }
}

/// A JSON value as it is written: checked by the scanner, but not built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// Takes text that is known to be one valid JSON value.
    #[must_use]
    pub fn trusted(text: &'a str) -> Self {
        Self(text)
    }

    /// The value as it is written, without white space around it.
    #[must_use]
    pub fn as_written(self) -> &'a str {
        self.0
    }

    /// Reads the value as a `T`; `None` when it is of another shape.
    #[must_use]
    pub fn read<T: Deserialize<'a>>(self) -> Option<T> {
        super::from_text(self.0).ok()
    }

    /// As [`Self::read`], for what is built of any value; nothing where there are too many for
    /// memory, as [`has_few_values`] tells.
    #[must_use]
    pub fn read_all<T: Deserialize<'a>>(self) -> Option<T> {
        has_few_values(self.0).then(|| self.read())?
    }

    /// As [`Self::read_all`], where a number that is too large for a float is an infinite one.
    #[must_use]
    pub fn read_with_infinite_numbers<T: Deserialize<'a>>(self) -> Option<T> {
        if !has_few_values(self.0) {
            return None;
        }
        let mut scanner = Scanner::new(self.0, super::DEFAULT_MAX_DEPTH);
        scanner.has_infinite_numbers = true;
        let value = T::deserialize(&mut super::Deserializer::new(&mut scanner)).ok()?;
        scanner.end().ok()?;
        Some(value)
    }
}

impl fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Whether a JSON text holds no more than about 100,000 values: as a tree each takes up to 100
/// bytes, and two bytes as text.
#[must_use]
pub fn has_few_values(text: &str) -> bool {
    const MOST: usize = 100_000;
    if text.len() <= 2 * MOST {
        return true;
    }
    let (mut values, mut quoted, mut escaped) = (1, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b',' | b'[' | b'{' if !quoted => values += 1,
            _ => {}
        }
    }
    values <= MOST
}

/// Resolves escapes. The scanner has checked them: what doesn't parse can't get here, and would be
/// kept as it stands.
pub(super) fn decode(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((plain, escape)) = split_escape(rest) {
        out.push_str(plain);
        let mut chars = escape.chars();
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('u') => {
                let (unit, length) = code_point(escape);
                out.push(unit);
                rest = escape.get(length..).unwrap_or_default();
                continue;
            }
            Some(other) => out.push(other),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out
}

/// What stands before the first backslash and behind it.
fn split_escape(text: &str) -> Option<(&str, &str)> {
    let at = memchr::memchr(b'\\', text.as_bytes())?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The character that `uhhhh` (or `uhhhh\uhhhh`) at the start of `escape` means, and how long it
/// is.
fn code_point(escape: &str) -> (char, usize) {
    let bytes = escape.as_bytes();
    let Ok(high) = hex4(bytes, 1) else {
        return (char::REPLACEMENT_CHARACTER, escape.len());
    };
    if let 0xD800..=0xDBFF = high
        && bytes.get(5..7) == Some(br"\u".as_slice())
        && let Ok(low @ 0xDC00..=0xDFFF) = hex4(bytes, 7)
    {
        let scalar = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        return (
            char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER),
            11,
        );
    }
    (
        char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER),
        5,
    )
}

struct StrVisitor;

impl<'de> Visitor<'de> for StrVisitor {
    type Value = Str<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    /// The deserialiser leaves the opening quote on a string that holds escapes; an unescaped
    /// string can't begin with one.
    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Str<'de>, E> {
        Ok(match v.strip_prefix('"') {
            Some(inner) => Str::new(inner, true),
            None => Str::new(v, false),
        })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Str<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(STR_TOKEN, StrVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, v: &'de str) -> Result<Raw<'de>, E> {
        if v.is_empty() {
            Err(E::custom("expected a value"))
        } else {
            Ok(Raw(v))
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_newtype_struct(RAW_TOKEN, RawVisitor)
            .map_err(D::Error::custom)
    }
}

impl JsonSchema for Str<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Str".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

impl JsonSchema for Raw<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Raw".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_out_of_range_hides_nothing() {
        let raw: Raw<'_> = crate::from_text("[1e999,-1e999,2]").unwrap();
        let (inf, two) = (f64::INFINITY, 2.0);
        assert_eq!(
            raw.read_with_infinite_numbers::<Vec<f64>>(),
            Some(vec![inf, -inf, two])
        );
        assert_eq!(raw.read_all::<Vec<f64>>(), None);
        let raw: Raw<'_> = crate::from_text("[1] ").unwrap();
        assert_eq!(raw.read_with_infinite_numbers::<Vec<u8>>(), Some(vec![1]));
        assert_eq!(raw.read_with_infinite_numbers::<Vec<bool>>(), None);
    }

    #[test]
    fn values_are_counted_outside_strings() {
        let list = |values: usize| format!("[{}0]", "0,".repeat(values - 1));
        assert!(has_few_values(&list(99_000)));
        assert!(!has_few_values(&list(100_000)));
        assert!(!has_few_values(&"[".repeat(300_000)));
        let text = format!(r#"{{"a":"\"{}","b":"\\"}}"#, "{[,".repeat(100_000));
        assert!(has_few_values(&text));
        assert_eq!(
            Raw(&text).read_all::<serde_json::Value>(),
            serde_json::from_str(&text).ok()
        );
        assert!(
            Raw(&list(100_000))
                .read_all::<serde_json::Value>()
                .is_none()
        );
    }

    #[test]
    fn decodes_every_escape() {
        assert_eq!(
            decode(r#"a\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00z"#),
            "a\"\\/\u{8}\u{c}\n\r\tAé😀z"
        );
        assert_eq!(
            decode(r"\ud83dx\ude00\ud83d\u0041"),
            "\u{fffd}x\u{fffd}\u{fffd}A"
        );
    }

    #[test]
    fn compares_what_is_meant() {
        assert_eq!(Str::new(r"\u0061", true), Str::plain("a"));
        assert!(Str::new(r"\u0061b", true).starts_with("ab"));
        assert_ne!(Str::new(r"\u0061", true), Str::plain(r"\u0061"));
    }

    proptest! {
        #[test]
        fn decodes_like_serde_json(text in any::<String>()) {
            let written = serde_json::to_string(&text).unwrap();
            let read: Str<'_> = super::super::from_text(&written).unwrap();
            prop_assert_eq!(read.decode(), text);
        }
    }
}
