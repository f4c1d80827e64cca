//! Strings and values as written. They are decoded only on demand.

use super::scan::{Scanner, hex4};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use std::borrow::Cow;
use std::fmt;

/// The type names for which [`super::Deserializer`] returns unparsed text. They aren't valid Rust
/// names, and a comparison of lengths distinguishes them from most others.
pub(super) const STR_TOKEN: &str = "$str";
pub(super) const RAW_TOKEN: &str = "$json";
/// The name of a newtype whose value may be any object; see
/// [`super::Scanner::has_met_open_object`].
pub const OPEN_OBJECT: &str = "$open";

/// A JSON string without its quotes: borrowed, with escapes as written.
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

    /// Creates a string that needs no escapes.
    #[must_use]
    pub fn plain(inner: &'a str) -> Self {
        Self {
            inner,
            escaped: false,
        }
    }

    /// Returns the text between the quotes as written.
    #[must_use]
    #[inline]
    pub fn as_written(self) -> &'a str {
        self.inner
    }

    /// Returns the decoded text. Lone surrogates become U+FFFD.
    #[must_use]
    #[inline]
    pub fn decode(self) -> Cow<'a, str> {
        if self.escaped {
            Cow::Owned(decode(self.inner))
        } else {
            Cow::Borrowed(self.inner)
        }
    }

    /// Returns whether the text contains escapes.
    #[must_use]
    #[inline]
    pub fn is_escaped(self) -> bool {
        self.escaped
    }

    /// Returns whether the string may contain a lone surrogate, which [`Str::decode`] makes equal
    /// to any other. An escaped U+FFFD counts as one.
    #[must_use]
    pub fn is_torn(self) -> bool {
        self.escaped && self.decode().contains(char::REPLACEMENT_CHARACTER)
    }

    /// Returns text for comparison: the decoded text, or the text as written if it may contain a
    /// lone surrogate. Decoding would make all lone surrogates equal.
    #[must_use]
    pub fn distinct(self) -> Cow<'a, str> {
        if self.is_torn() {
            Cow::Borrowed(self.inner)
        } else {
            self.decode()
        }
    }

    /// Returns whether the string is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.inner.is_empty()
    }

    /// Returns whether the decoded text starts with `prefix`.
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

/// A JSON value as written. The scanner has validated it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// Wraps text that must be one valid JSON value.
    #[must_use]
    pub fn trusted(text: &'a str) -> Self {
        Self(text)
    }

    /// Returns the value as written, without surrounding white space.
    #[must_use]
    pub fn as_written(self) -> &'a str {
        self.0
    }

    /// Parses the value as a `T`; `None` if it has another type.
    #[must_use]
    pub fn read<T: Deserialize<'a>>(self) -> Option<T> {
        let mut scanner = Scanner::validated(self.0);
        let mut value = T::deserialize(&mut super::Deserializer::new(&mut scanner));
        if matches!(&value, Err(error) if error.is_repeated()) {
            // Of duplicate members, the first is used.
            scanner.reset(self.0);
            scanner.trust_types(false);
            value = T::deserialize(&mut super::Deserializer::new(&mut scanner));
        }
        scanner.end().ok()?;
        value.ok()
    }

    /// Returns the value if it is a string.
    #[must_use]
    pub fn as_str(self) -> Option<Str<'a>> {
        let inner = self.0.strip_prefix('"')?.strip_suffix('"')?;
        let is_escaped = memchr::memchr(b'\\', inner.as_bytes()).is_some();
        Some(Str::new(inner, is_escaped))
    }

    /// Like [`Self::read`], for types such as trees that are built from any value. Returns `None`
    /// if the value is too large for memory, by [`has_few_values`].
    #[must_use]
    pub fn read_all<T: Deserialize<'a>>(self) -> Option<T> {
        has_few_values(self.0).then(|| self.read())?
    }

    /// Like [`Self::read_all`], but a number that is too large for a float becomes the largest one.
    #[must_use]
    pub fn read_clamped<T: Deserialize<'a>>(self) -> Option<T> {
        has_few_values(self.0).then(|| super::from_text_clamped(self.0).ok())?
    }
}

impl fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Returns whether a JSON text has at most about 100,000 values. In a tree, each takes up to 100
/// bytes, but only two bytes as text.
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

/// Resolves escapes. The scanner has validated them; an invalid one would be kept as written.
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

/// Splits a text at its first backslash.
fn split_escape(text: &str) -> Option<(&str, &str)> {
    let at = memchr::memchr(b'\\', text.as_bytes())?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Decodes `uhhhh` (or `uhhhh\uhhhh`) at the start of `escape`. Returns the character and the
/// length.
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

    /// The deserialiser includes the opening quote for a string with escapes. A string without
    /// escapes can't start with a quote.
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
    use std::collections::BTreeMap;

    #[test]
    fn a_number_out_of_range_hides_nothing() {
        let raw: Raw<'_> = crate::from_text("[1e999,-1e999,2]").unwrap();
        let clamped = vec![f64::MAX, f64::MIN, 2.0];
        assert_eq!(raw.read_clamped::<Vec<f64>>(), Some(clamped));
        let tree = crate::from_text_clamped::<serde_json::Value>(r#"{"a":1e999,"b":"\ud800"}"#);
        assert_eq!(tree.unwrap()["b"], "\u{fffd}");
        assert_eq!(raw.read_all::<Vec<f64>>(), None);
        let raw: Raw<'_> = crate::from_text("[1] ").unwrap();
        assert_eq!(raw.read_clamped::<Vec<u8>>(), Some(vec![1]));
        assert_eq!(raw.read_clamped::<Vec<bool>>(), None);
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

    /// Two known members; all others are skipped.
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Known<'a> {
        #[serde(borrow)]
        a: Option<Raw<'a>>,
        #[serde(borrow)]
        b: Option<Str<'a>>,
    }

    /// JSON with repeated members, escaped names, brackets in strings and white space.
    fn json() -> impl Strategy<Value = String> {
        let string = r#"([a-c"\\\]\[{}\n,:]|\PC){0,6}"#;
        let name = prop::sample::select(vec![r#""a""#, r#""b""#, r#""\u0061""#, r#""c\"""#]);
        let leaf = prop_oneof![
            string.prop_map(|text| serde_json::to_string(&text).unwrap()),
            prop::sample::select(vec!["0", "-1.5e3", "true", "null", r#""\ud83d\\""#])
                .prop_map(str::to_owned),
        ];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            let members = prop::collection::vec((name.clone(), inner.clone()), 0..5);
            let elements = prop::collection::vec(inner, 0..5);
            prop_oneof![
                members.prop_map(|members| {
                    let one = |(name, value): &(&str, String)| format!(" {name} : {value}");
                    let all: Vec<_> = members.iter().map(one).collect();
                    format!("{{{} }}", all.join(","))
                }),
                elements.prop_map(|elements| format!("[{}\n]", elements.join(" ,"))),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_validated_value_is_read_like_any_text(text in json()) {
            let raw = Raw(&text);
            prop_assert_eq!(raw.read::<Known<'_>>(), crate::from_text(&text).ok());
            prop_assert_eq!(raw.read::<Vec<Raw<'_>>>(), crate::from_text(&text).ok());
            prop_assert_eq!(raw.read::<Vec<Known<'_>>>(), crate::from_text(&text).ok());
            prop_assert_eq!(raw.read::<BTreeMap<String, Raw<'_>>>(), crate::from_text(&text).ok());
        }

        #[test]
        fn a_text_that_is_no_json_is_no_danger(text in r#"[\[\]{}:,"a0\\]{0,40}"#) {
            let _ = Raw(&text).read::<BTreeMap<String, Raw<'_>>>();
            let _ = Raw(&text).read::<Vec<Known<'_>>>();
        }

        #[test]
        fn decodes_like_serde_json(text in any::<String>()) {
            let written = serde_json::to_string(&text).unwrap();
            let read: Str<'_> = super::super::from_text(&written).unwrap();
            prop_assert_eq!(read.decode(), text);
        }
    }
}
