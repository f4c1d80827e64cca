//! Scalars of records: numbers and times, with the bounds of the schema.

use borsh::{BorshDeserialize, BorshSerialize};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Unexpected, Visitor};
use std::borrow::Cow;
use std::fmt;
use util::time::parse_rfc3339_with_unit;

/// Largest integer that every JSON reader represents exactly (2^53 - 1).
const MAX_SAFE: i64 = 9_007_199_254_740_991;

/// An integer from `MIN` to 2^53 - 1. As in JSON Schema, `2.0` is an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Int<const MIN: i64>(i64);

impl<const MIN: i64> Int<MIN> {
    /// Returns the value.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }
}

struct IntVisitor<const MIN: i64>;

impl<const MIN: i64> Visitor<'_> for IntVisitor<MIN> {
    type Value = Int<MIN>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an integer from {MIN} to {MAX_SAFE}")
    }

    fn visit_i64<E: de::Error>(self, v: i64) -> Result<Int<MIN>, E> {
        if (MIN..=MAX_SAFE).contains(&v) {
            Ok(Int(v))
        } else {
            Err(E::invalid_value(Unexpected::Signed(v), &self))
        }
    }

    fn visit_u64<E: de::Error>(self, v: u64) -> Result<Int<MIN>, E> {
        match i64::try_from(v) {
            Ok(v) => self.visit_i64(v),
            Err(_) => Err(E::invalid_value(Unexpected::Unsigned(v), &self)),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range is checked first"
    )]
    fn visit_f64<E: de::Error>(self, v: f64) -> Result<Int<MIN>, E> {
        if v.fract() == 0.0 && v.abs() <= 9_007_199_254_740_991.0 {
            self.visit_i64(v as i64)
        } else {
            Err(E::invalid_value(Unexpected::Float(v), &self))
        }
    }
}

impl<'de, const MIN: i64> Deserialize<'de> for Int<MIN> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_i64(IntVisitor)
    }
}

impl<const MIN: i64> JsonSchema for Int<MIN> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Int".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX_SAFE })
    }
}

/// The integer `N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exactly<const N: i64>;

impl<'de, const N: i64> Deserialize<'de> for Exactly<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Int::<{ i64::MIN }>::deserialize(deserializer)?.get();
        if found == N {
            Ok(Self)
        } else {
            Err(de::Error::custom(format_args!(
                "expected {N}, found {found}"
            )))
        }
    }
}

impl<const N: i64> JsonSchema for Exactly<N> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Exactly".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": N })
    }
}

/// A time in milliseconds since the Unix epoch, written as an integer or as RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Timestamp {
    millis: i64,
    /// Precision in milliseconds, by the last digit as written: 1, 10, 100 or 1000.
    unit: i64,
}

impl Timestamp {
    /// Creates a time with a precision of one millisecond.
    #[must_use]
    pub const fn of_millis(millis: i64) -> Self {
        Self { millis, unit: 1 }
    }

    /// Returns the milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.millis
    }

    /// Returns the last millisecond that it may mean: a time in whole seconds means any time in
    /// that second.
    #[must_use]
    pub const fn latest_millis(self) -> i64 {
        self.millis.saturating_add(self.unit - 1)
    }

    /// Returns whether its precision is lower than another's.
    #[must_use]
    pub const fn is_coarser_than(self, other: Self) -> bool {
        self.unit > other.unit
    }

    /// Returns whether it is before another, compared in the lower of both precisions.
    #[must_use]
    pub fn is_before(self, other: Self) -> bool {
        let unit = self.unit.max(other.unit);
        self.millis.div_euclid(unit) < other.millis.div_euclid(unit)
    }
}

/// Returns whether a value is a time in the notation of records.
#[must_use]
pub fn is_timestamp(value: &serde_json::Value) -> bool {
    <Timestamp as Deserialize>::deserialize(value).is_ok()
}

struct TimestampVisitor;

impl Visitor<'_> for TimestampVisitor {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("milliseconds since the epoch or an RFC 3339 date-time")
    }

    fn visit_i64<E: de::Error>(self, v: i64) -> Result<Timestamp, E> {
        IntVisitor::<0>
            .visit_i64(v)
            .map(|n| Timestamp::of_millis(n.0))
    }

    fn visit_u64<E: de::Error>(self, v: u64) -> Result<Timestamp, E> {
        IntVisitor::<0>
            .visit_u64(v)
            .map(|n| Timestamp::of_millis(n.0))
    }

    fn visit_f64<E: de::Error>(self, v: f64) -> Result<Timestamp, E> {
        IntVisitor::<0>
            .visit_f64(v)
            .map(|n| Timestamp::of_millis(n.0))
    }

    fn visit_str<E: de::Error>(self, v: &str) -> Result<Timestamp, E> {
        let time = parse_rfc3339_with_unit(v).map(|(millis, unit)| Timestamp { millis, unit });
        time.ok_or_else(|| E::invalid_value(Unexpected::Str(v), &self))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TimestampVisitor)
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Milliseconds since the Unix epoch, or RFC 3339.",
            "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": MAX_SAFE },
                { "type": "string", "format": "date-time" }
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_spellings_of_a_time() {
        let read = |text| {
            strict_json::from_text::<Timestamp>(text)
                .map(Timestamp::millis)
                .ok()
        };
        assert_eq!(read("1768800000000"), Some(1_768_800_000_000));
        assert_eq!(read("1.7688e12"), Some(1_768_800_000_000));
        assert_eq!(read(r#""2026-01-19T05:20:00Z""#), Some(1_768_800_000_000));
        assert_eq!(
            read(r#""2026-01-19t06:20:00.1239+01:00""#),
            Some(1_768_800_000_123)
        );
        assert_eq!(read(r#""1969-12-31T23:59:60Z""#), Some(-1000));
        for wrong in [
            "-1",
            "1.5",
            r#""2026-02-29T00:00:00Z""#,
            r#""2026-01-19 05:20:00Z""#,
            r#""2026-01-19T05:20:00""#,
            "null",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_are_compared_as_coarsely_as_they_are_written() {
        let read = |text: &str| strict_json::from_text::<Timestamp>(text).unwrap();
        let second = read(r#""2026-01-19T05:20:00Z""#);
        let exact = read(r#""2026-01-19T05:20:00.000Z""#);
        let tenth = read(r#""2026-01-19T05:20:00.1Z""#);
        let number = read("1768800000150");
        for (a, b, before) in [
            (second, number, false),
            (number, second, false),
            (exact, number, true),
            (tenth, number, false),
            (number, tenth, false),
            (second, read("1768800001000"), true),
            (read("1768799999999"), second, true),
            (exact, exact, false),
        ] {
            assert_eq!(a.is_before(b), before, "{a:?} {b:?}");
        }
        assert_eq!(second.latest_millis(), 1_768_800_000_999);
        assert_eq!(number.latest_millis(), number.millis());
        let before_the_epoch = read(r#""1969-12-31T23:59:59.5Z""#);
        assert!(!before_the_epoch.is_before(read(r#""1969-12-31T23:59:59Z""#)));
    }

    #[test]
    fn integers_keep_their_bounds() {
        let read = |text| strict_json::from_text::<Int<1>>(text).map(Int::get).ok();
        assert_eq!(read("1"), Some(1));
        assert_eq!(read("3.0"), Some(3));
        for wrong in ["0", "-1", "1.5", "9007199254740992", "1e300", "\"1\""] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
