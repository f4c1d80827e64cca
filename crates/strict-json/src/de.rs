//! A serde deserialiser over the scanner. Derived types are read without an intermediate tree.

use super::scan::{Error, ErrorKind, Scanner, ValueKind};
use super::text::{OPEN_OBJECT, RAW_TOKEN, STR_TOKEN};
use serde::Deserialize;
use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};
use std::borrow::Cow;
use std::fmt::Display;

/// Parses a complete text as a `T`, with the default limits.
///
/// # Errors
/// Fails if the text isn't valid JSON, has text after the value, or isn't of type `T`.
pub fn from_text<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, Error> {
    let mut scanner = Scanner::new(text, super::DEFAULT_MAX_DEPTH);
    let value = T::deserialize(&mut Deserializer::new(&mut scanner))?;
    scanner.end()?;
    Ok(value)
}

/// Like [`from_text`], but a number that is too large for a float becomes the largest one. A trace
/// may contain such a number, and it must not hide what is beside it.
///
/// # Errors
/// Fails if the text isn't valid JSON, has text after the value, or isn't of type `T`.
pub fn from_text_clamped<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, Error> {
    let mut scanner = Scanner::new(text, super::DEFAULT_MAX_DEPTH);
    scanner.clamps_numbers = true;
    let value = T::deserialize(&mut Deserializer::new(&mut scanner))?;
    scanner.end()?;
    Ok(value)
}

/// A serde deserialiser over a [`Scanner`]. The scanner keeps the notes and the position.
#[derive(Debug)]
pub struct Deserializer<'s, 'de> {
    scanner: &'s mut Scanner<'de>,
    /// The value belongs to a member whose name isn't remembered yet.
    unremembered: bool,
}

impl<'s, 'de> Deserializer<'s, 'de> {
    /// Creates a deserialiser that starts at the position of the scanner.
    pub fn new(scanner: &'s mut Scanner<'de>) -> Self {
        Self {
            scanner,
            unremembered: false,
        }
    }

    /// Handles a value of another type than requested. If the text was validated, nobody reads the
    /// message, and the value isn't decoded for it.
    #[cold]
    fn other_type<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        if self.scanner.is_validated() {
            return self.scanner.error(ErrorKind::Data(String::new()));
        }
        de::Deserializer::deserialize_any(self, visitor)
    }

    fn number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        if let Some(n) = self.scanner.small_integer() {
            return visitor.visit_u64(n);
        }
        let at = self.scanner.position();
        let text = self.scanner.number()?;
        if !text.bytes().any(|b| matches!(b, b'.' | b'e' | b'E')) {
            if let Ok(n) = text.parse::<u64>() {
                return visitor.visit_u64(n);
            }
            if let Ok(n) = text.parse::<i64>() {
                return visitor.visit_i64(n);
            }
        }
        match text.parse::<f64>() {
            Ok(n) if n.is_finite() => visitor.visit_f64(n),
            Ok(n) if self.scanner.clamps_numbers => visitor.visit_f64(n.clamp(f64::MIN, f64::MAX)),
            _ => Err(Error::new(
                at,
                ErrorKind::Data("number out of range".into()),
            )),
        }
    }

    fn string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        match self.scanner.string()?.decode() {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    fn map<V: Visitor<'de>>(&mut self, visitor: V, typed: bool) -> Result<V::Value, Error> {
        let remembers = self.scanner.open_object(typed)?;
        visitor.visit_map(Members {
            scanner: self.scanner,
            first: true,
            remembers,
        })
    }

    fn seq<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        self.scanner.open_array()?;
        visitor.visit_seq(Elements {
            scanner: self.scanner,
            first: true,
            ended: false,
        })
    }
}

/// Adds the position of the value to an error of serde.
fn with_position(error: Error, at: usize) -> Error {
    if error.at == usize::MAX {
        Error { at, ..error }
    } else {
        error
    }
}

impl de::Error for Error {
    fn custom<T: Display>(message: T) -> Self {
        Error::new(usize::MAX, ErrorKind::Data(message.to_string()))
    }

    /// A text of the wrong type may be as long as a file, so the message only contains its start.
    fn invalid_type(found: de::Unexpected<'_>, wanted: &dyn de::Expected) -> Self {
        const SHOWN: usize = 128;
        let found = match found {
            de::Unexpected::Str(text) if text.len() > SHOWN => de::Unexpected::Str(
                text.get(..text.floor_char_boundary(SHOWN))
                    .unwrap_or_default(),
            ),
            found => found,
        };
        Self::custom(format_args!("invalid type: {found}, expected {wanted}"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Error::new(usize::MAX, ErrorKind::Repeated(field))
    }
}

macro_rules! any {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.deserialize_any(visitor)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'_, 'de> {
    type Error = Error;

    any! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64 deserialize_char deserialize_str
        deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit deserialize_identifier
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let kind = self.scanner.kind()?;
        let at = self.scanner.position();
        let value = match kind {
            ValueKind::Object => self.map(visitor, false),
            ValueKind::Array => self.seq(visitor),
            ValueKind::String => self.string(visitor),
            ValueKind::Number => self.number(visitor),
            ValueKind::True => {
                self.scanner.literal("true", "a value")?;
                visitor.visit_bool(true)
            }
            ValueKind::False => {
                self.scanner.literal("false", "a value")?;
                visitor.visit_bool(false)
            }
            ValueKind::Null => {
                self.scanner.literal("null", "a value")?;
                visitor.visit_unit()
            }
        };
        value.map_err(|e| with_position(e, at))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.scanner.kind()? == ValueKind::Null {
            self.scanner.literal("null", "a value")?;
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match name {
            STR_TOKEN => {
                let kind = self.scanner.kind()?;
                let at = self.scanner.position();
                if kind != ValueKind::String {
                    return self.other_type(visitor);
                }
                let string = self.scanner.string()?;
                let inner = string.as_written();
                let text = if string.is_escaped() {
                    // With the opening quote; see the visitor of `Str`.
                    self.scanner
                        .text()
                        .get(at..=at + inner.len())
                        .unwrap_or_default()
                } else {
                    inner
                };
                visitor
                    .visit_borrowed_str(text)
                    .map_err(|e| with_position(e, at))
            }
            RAW_TOKEN => visitor.visit_borrowed_str(self.scanner.skip()?),
            OPEN_OBJECT => {
                self.scanner.meet_open_object();
                visitor.visit_newtype_struct(self)
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.scanner.kind()? != ValueKind::Object {
            return self.other_type(visitor);
        }
        let at = self.scanner.position();
        self.map(visitor, true).map_err(|e| with_position(e, at))
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.scanner.kind()? {
            ValueKind::Array => self.deserialize_any(visitor),
            _ => self.other_type(visitor),
        }
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.scanner.kind()? {
            ValueKind::Object => self.deserialize_any(visitor),
            _ => self.other_type(visitor),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let kind = self.scanner.kind()?;
        let at = self.scanner.position();
        if kind != ValueKind::String {
            // Only strings can be read as enums here. The visitor reports the error.
            return self.deserialize_any(visitor);
        }
        let name = self.scanner.string()?.decode();
        visitor
            .visit_enum(IntoDeserializer::<Error>::into_deserializer(name))
            .map_err(|e| with_position(e, at))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.unremembered && !self.scanner.is_validated() {
            // The type doesn't know this member, so only the scanner can find a duplicate.
            self.scanner.remember();
        }
        self.scanner.skip()?;
        visitor.visit_unit()
    }
}

struct Members<'s, 'de> {
    scanner: &'s mut Scanner<'de>,
    first: bool,
    /// Whether names are remembered before they are returned.
    remembers: bool,
}

impl<'de> de::MapAccess<'de> for Members<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        loop {
            let Some(name) = self.scanner.member(self.first)? else {
                return Ok(None);
            };
            self.first = false;
            if self.remembers && !self.scanner.remember() {
                // The scanner has added a note. The first of the two members is used.
                self.scanner.skip()?;
                continue;
            }
            let at = self.scanner.position();
            let key = match name.decode() {
                Cow::Borrowed(name) => {
                    seed.deserialize(de::value::BorrowedStrDeserializer::new(name))
                }
                Cow::Owned(name) => seed.deserialize(name.into_deserializer()),
            };
            return key.map(Some).map_err(|e: Error| with_position(e, at));
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut Deserializer {
            scanner: self.scanner,
            unremembered: !self.remembers,
        })
    }
}

struct Elements<'s, 'de> {
    scanner: &'s mut Scanner<'de>,
    first: bool,
    /// Whether the bracket was consumed. Serde may ask for another element after that.
    ended: bool,
}

impl<'de> de::SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if self.ended || !self.scanner.element(self.first)? {
            self.ended = true;
            return Ok(None);
        }
        self.first = false;
        seed.deserialize(&mut Deserializer::new(self.scanner))
            .map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Raw, Str};
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Sample<'a> {
        #[serde(borrow)]
        name: Str<'a>,
        #[serde(borrow, default)]
        payload: Option<Raw<'a>>,
        #[serde(default)]
        count: Option<u64>,
    }

    #[test]
    fn a_message_shows_the_beginning_of_a_text() {
        let text = format!("\"{}\"", "é".repeat(100_000));
        let error = from_text::<Vec<u64>>(&text).unwrap_err().to_string();
        assert!(
            error.starts_with("invalid type: string \"éé"),
            "{error:.80}"
        );
        assert!(error.len() < 300, "{}", error.len());
    }

    #[test]
    fn borrows_strings_and_values() {
        let text = r#"{"name":"a\nb","payload":{ "x" : [1] },"count":null}"#;
        let sample: Sample<'_> = from_text(text).unwrap();
        assert_eq!(sample.name.decode(), "a\nb");
        assert_eq!(sample.payload.unwrap().as_written(), r#"{ "x" : [1] }"#);
        assert_eq!(sample.count, None);
    }

    #[test]
    fn the_first_of_two_members_counts_and_the_second_is_noted() {
        let text = r#"{"name":"a","name":"b"}"#;
        let mut scanner = Scanner::new(text, 8);
        let sample = Sample::deserialize(&mut Deserializer::new(&mut scanner)).unwrap();
        assert_eq!(sample.name, Str::plain("a"));
        assert_eq!(scanner.notes().len(), 1);
        assert_eq!(scanner.notes()[0].at, 12);
    }

    #[test]
    fn types_that_are_trusted_find_their_own_members_twice_and_unknown_ones_are_still_remembered() {
        #[derive(Debug, Deserialize)]
        struct Open {
            #[serde(rename = "name")]
            _name: Option<String>,
        }
        let read = |text: &'static str| {
            let mut scanner = Scanner::new(text, 8);
            scanner.trust_types(true);
            let result = Open::deserialize(&mut Deserializer::new(&mut scanner)).map(|_| ());
            (
                result.map_err(|e| e.kind),
                scanner.notes().iter().map(|n| n.at).collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            read(r#"{"name":"a","name":"b"}"#),
            (Err(ErrorKind::Repeated("name")), vec![])
        );
        assert_eq!(read(r#"{"x":1,"name":"a","x":2}"#), (Ok(()), vec![18]));
        assert_eq!(
            read(r#"{"x":{"y":1,"y":2},"name":"a","y":1}"#),
            (Ok(()), vec![12])
        );
    }

    #[test]
    fn integers_are_read_like_any_number() {
        for text in [
            "0",
            "7",
            "00",
            "01",
            "123456789012345678",
            "1234567890123456789",
            "18446744073709551616",
            "1.5",
            "1e2",
            "12E1",
            "-3",
        ] {
            assert_eq!(
                from_text::<Value>(text).ok(),
                serde_json::from_str::<Value>(text).ok(),
                "{text}"
            );
        }
    }

    #[test]
    fn complains_about_shape_with_the_place() {
        let error = from_text::<Sample<'_>>(r#"{"name":7}"#).unwrap_err();
        assert!(error.is_data());
        assert_eq!(error.at, 8);
        assert!(
            from_text::<Sample<'_>>(r#"{"name":"a","other":1}"#)
                .unwrap_err()
                .is_data()
        );
        assert!(
            from_text::<Sample<'_>>(r#"{"name":"a"} x"#)
                .unwrap_err()
                .kind
                == ErrorKind::TrailingText
        );
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>()
                .prop_filter("finite", |n| n.is_finite())
                .prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                proptest::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn reads_what_serde_json_writes(value in values()) {
            let compact = serde_json::to_string(&value).unwrap();
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(&from_text::<Value>(&compact).unwrap(), &value);
            prop_assert_eq!(&from_text::<Value>(&pretty).unwrap(), &value);
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = from_text::<Value>(&text);
        }
    }
}
