//! Some members of an object, read without keeping the others: an object may have millions.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use strict_json::Raw;

/// First members of an object, by which formats are detected. Of several with the same name, the
/// first one is kept.
#[derive(Debug, Default)]
pub(super) struct Members<'a>(Vec<(Cow<'a, str>, Raw<'a>)>);

/// Maximum number of kept members.
const KEPT: usize = 64;

impl<'a> Members<'a> {
    /// Reads the members of an object; `None` when the text isn't one.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        strict_json::from_text(text).ok()
    }

    pub(super) fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.0
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(super) fn has_all(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.has(name))
    }

    pub(super) fn has_one(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }
}

struct MembersVisitor<'m, 'a>(&'m mut Members<'a>);

impl<'de: 'a, 'a> Visitor<'de> for MembersVisitor<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self(members) = self;
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            if members.0.len() < KEPT && !members.has(&name) {
                members.0.push((name, map.next_value()?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = Self::default();
        deserializer.deserialize_map(MembersVisitor(&mut members))?;
        Ok(members)
    }
}

/// First two elements of an array.
#[derive(Debug)]
pub(super) struct Beginning<'a> {
    pub(super) first: Raw<'a>,
    pub(super) second: Raw<'a>,
    /// Whether there is a third one.
    pub(super) more: bool,
}

struct BeginningVisitor;

impl<'de> Visitor<'de> for BeginningVisitor {
    type Value = Option<Beginning<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let (first, second) = (seq.next_element()?, seq.next_element()?);
        let more = seq.next_element::<IgnoredAny>()?.is_some();
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(first.zip(second).map(|(first, second)| Beginning {
            first,
            second,
            more,
        }))
    }
}

impl<'a> Beginning<'a> {
    /// Reads the beginning of an array; `None` when it has fewer elements or the value isn't one.
    pub(super) fn of(value: Raw<'a>) -> Option<Self> {
        struct Read<'a>(Option<Beginning<'a>>);
        impl<'de: 'a, 'a> Deserialize<'de> for Read<'a> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_seq(BeginningVisitor).map(Read)
            }
        }
        value.read::<Read<'a>>()?.0
    }
}
