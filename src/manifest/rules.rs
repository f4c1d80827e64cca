//! Values that manifests may write in several forms: rules of permissions, and sizes.

use agent_policy::NetworkPattern;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;

/// The rules of a permission.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Rules {
    /// Globs of what is allowed.
    Allow(Vec<String>),
    /// Globs of what is allowed, and of what isn't although a glob of `allow` matches it.
    Both(AllowDeny),
}

/// Globs of what is allowed and denied. Without `allow`, nothing is allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllowDeny {
    /// Globs of what is allowed.
    #[serde(default)]
    pub allow: Vec<String>,
    /// Globs of what is denied.
    #[serde(default)]
    pub deny: Vec<String>,
}

/// Compiles a rule for the network that is about more than hosts: `GET:https://api.test/v1/*`.
/// `None` for a glob of hosts. The error says what is wrong.
#[must_use]
pub fn request_pattern(rule: &str) -> Option<Result<NetworkPattern, String>> {
    rule.contains(['/', ':']).then(|| NetworkPattern::new(rule))
}

impl Default for Rules {
    fn default() -> Self {
        Self::Allow(Vec::new())
    }
}

impl Rules {
    /// Returns the globs of what is allowed.
    #[must_use]
    pub fn allow(&self) -> &[String] {
        match self {
            Self::Allow(globs) => globs,
            Self::Both(both) => &both.allow,
        }
    }

    /// Returns the globs of what is denied.
    #[must_use]
    pub fn deny(&self) -> &[String] {
        match self {
            Self::Allow(_) => &[],
            Self::Both(both) => &both.deny,
        }
    }
}

/// A size in bytes, written as a number or as a text with a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size(f64);

/// Units of a size in lower case, with their bytes. As in the SI, `KB`, `MB` and `GB` are powers of
/// 1000; `KiB`, `MiB` and `GiB` are powers of 1024.
const UNITS: [(&str, f64); 11] = [
    ("", 1.0),
    ("b", 1.0),
    ("k", 1e3),
    ("kb", 1e3),
    ("m", 1e6),
    ("mb", 1e6),
    ("g", 1e9),
    ("gb", 1e9),
    ("kib", 1_024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
];

impl Size {
    /// Returns the size in bytes.
    #[must_use]
    pub const fn bytes(&self) -> f64 {
        self.0
    }

    /// Parses a number with an optional unit, as `512MB`.
    ///
    /// # Errors
    /// When the text has another form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` isn't a size, as `512MB` or `1.5GiB`");
        let text = text.trim();
        let end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let unit = unit.trim().to_ascii_lowercase();
        let number: f64 = number.parse().map_err(|_| wrong())?;
        let bytes = UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .map(|(_, bytes)| number * bytes)
            .ok_or_else(wrong)?;
        if bytes.is_finite() {
            Ok(Self(bytes))
        } else {
            Err(wrong())
        }
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Bytes(f64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Bytes(bytes) if bytes >= 0.0 => Ok(Self(bytes)),
            Written::Bytes(_) => Err(serde::de::Error::custom("a size isn't negative")),
            Written::Text(text) => Self::parse(&text).map_err(serde::de::Error::custom),
        }
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A size in bytes: a number, or a text with a unit. `KB`, `MB` and `GB` are powers of 1000, `KiB`, `MiB` and `GiB` of 1024.",
            "anyOf": [
                { "type": "number", "minimum": 0 },
                { "type": "string", "pattern": "^ *[0-9]+([.][0-9]+)? *([KkMmGg]([Ii]?[Bb])?|[Bb])? *$" }
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("512MB", 512e6),
            ("512 mb", 512e6),
            ("1.5GiB", 1_610_612_736.0),
            ("64k", 64e3),
            ("100", 100.0),
            ("7B", 7.0),
        ] {
            assert_eq!(Size::parse(text), Ok(Size(bytes)), "{text}");
            assert_eq!(
                serde_json::from_value::<Size>(text.into()).unwrap(),
                Size(bytes)
            );
        }
        for text in [
            "", "MB", "-1MB", "5 MBs", "1e400", "NaN", "inf", "1.2.3", "5TB",
        ] {
            assert!(Size::parse(text).is_err(), "{text}");
        }
        for value in [serde_json::json!(-1), true.into(), serde_json::json!([])] {
            assert!(serde_json::from_value::<Size>(value).is_err());
        }
    }

    #[test]
    fn rules_are_a_list_or_an_object() {
        let read = |text: &str| serde_json::from_str::<Rules>(text);
        assert_eq!(read(r#"["a"]"#).unwrap().allow(), ["a"]);
        let both = read(r#"{"allow":["a"],"deny":["b"]}"#).unwrap();
        assert_eq!(
            (both.allow(), both.deny()),
            (&["a".to_owned()][..], &["b".to_owned()][..])
        );
        assert!(read(r#"{"deny":["b"]}"#).unwrap().allow().is_empty());
        for bad in [r#"{"allows":["a"]}"#, r#""a""#, r#"{"allow":"a"}"#] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
