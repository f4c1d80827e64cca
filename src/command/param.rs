//! Parameters of a tool call, borrowed from wherever they stand.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// A parameter, as far as its effects can be told from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Param<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// Yes or no.
    Flag(bool),
    /// A list.
    List(Vec<Param<'a>>),
    /// Members by name, in their order.
    Members(Vec<(Cow<'a, str>, Param<'a>)>),
    /// A number: no path, no host, no command. Some runtimes write a switch as one.
    Number {
        /// Whether it is zero.
        zero: bool,
    },
    /// Null, or what can't be read.
    Nothing,
}

impl Param<'_> {
    /// The member of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Members(members) => members.iter().find(|(n, _)| n == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Whether it says nothing: null, or empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::List(list) => list.is_empty(),
            Self::Members(members) => members.is_empty(),
            Self::Nothing => true,
            Self::Flag(_) | Self::Number { .. } => false,
        }
    }

    /// Whether it is a switch that is on, in one of the ways that runtimes write one.
    #[must_use]
    pub fn is_on(&self) -> bool {
        match self {
            Self::Flag(on) => *on,
            Self::Number { zero } => !zero,
            Self::Text(text) => ["true", "yes", "on", "1"].iter().any(|word| text.eq_ignore_ascii_case(word)),
            Self::List(_) | Self::Members(_) | Self::Nothing => false,
        }
    }

    /// The tool of a call, by whichever of its two names the runtime has; none where they name two.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        let named = |member| self.get(member).and_then(Param::as_str).filter(|name| !name.is_empty());
        match (named("tool"), named("tool_name")) {
            (Some(one), Some(other)) if one != other => None,
            (one, other) => one.or(other),
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'a> From<&'a Value> for Param<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Bool(flag) => Self::Flag(*flag),
            Value::Array(list) => Self::List(list.iter().map(Self::from).collect()),
            Value::Object(map) => {
                Self::Members(map.iter().map(|(name, value)| (Cow::Borrowed(name.as_str()), Self::from(value))).collect())
            }
            Value::Number(number) => Self::Number { zero: number.as_f64() == Some(0.0) },
            Value::Null => Self::Nothing,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Param<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ParamVisitor)
    }
}

struct ParamVisitor;

impl<'de> Visitor<'de> for ParamVisitor {
    type Value = Param<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Param<'de>, E> {
        Ok(Param::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Param<'de>, E> {
        Ok(Param::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Param<'de>, E> {
        Ok(Param::Text(Cow::Owned(text)))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Param<'de>, E> {
        Ok(Param::Flag(flag))
    }

    fn visit_unit<E: Error>(self) -> Result<Param<'de>, E> {
        Ok(Param::Nothing)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Param<'de>, E> {
        Ok(Param::Number { zero: number == 0 })
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Param<'de>, E> {
        Ok(Param::Number { zero: number == 0 })
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Param<'de>, E> {
        Ok(Param::Number { zero: number == 0.0 })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Param<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = seq.next_element()? {
            list.push(element);
        }
        Ok(Param::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Param<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = map.next_key::<Name<'de>>()? {
            members.push((name.0, map.next_value()?));
        }
        Ok(Param::Members(members))
    }
}

/// A member name; `Cow` alone would always be copied.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Param::deserialize(deserializer)? {
            Param::Text(text) => Ok(Self(text)),
            _ => Err(D::Error::custom("expected a member name")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn borrows_what_needs_no_unescaping() {
        let text = r#"{"path":"src","n":1,"deep":[true,null,{"a\n":"b\n"}]}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        let read: Param<'_> = crate::json::from_text(text).unwrap();
        assert!(matches!(read.get("path"), Some(Param::Text(Cow::Borrowed("src")))));
        assert_eq!(read.get("deep"), Param::from(&value).get("deep"));
        assert_eq!(read.get("n"), Some(&Param::Number { zero: false }));
    }

    proptest! {
        #[test]
        fn reads_what_a_tree_would_hold(names in proptest::collection::btree_map("[a-c\\PC]{0,4}", "[^\u{0}]{0,12}", 0..6)) {
            let value = serde_json::to_value(&names).unwrap();
            let text = value.to_string();
            prop_assert_eq!(crate::json::from_text::<Param<'_>>(&text).unwrap(), Param::from(&value));
        }
    }
}
