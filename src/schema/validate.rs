//! The general validator, which is slow but reports exact positions.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use strict_json::Located;

/// Maximum number of violations listed for one record. A hostile record could have millions.
const MAX_VIOLATIONS: usize = 20;

/// Maximum number of values of a record that are searched for violations. The library collects all
/// violations of an array before it returns the first, and each takes a hundred times the memory of
/// its text. Whether a record is valid is still decided on all of it.
const SEARCHED_VALUES: usize = 10_000;

/// The keyword of a violation after the searched values.
const UNPLACED: &str = "";

/// An error in a schema.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The text isn't JSON.
    #[error("the schema is not valid JSON: {0}")]
    Json(String),
    /// The value isn't a schema, or refers to something outside itself.
    #[error("{0}")]
    Schema(String),
}

/// One position at which a record violates its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer to the offending value; to the object if a member is missing.
    pub pointer: String,
    /// Byte range of the offending value, or of the unexpected member's name.
    pub at: Range<usize>,
    /// The expected and the actual value. Contains hostile text.
    pub message: String,
    /// Keyword of the schema that is violated.
    pub keyword: String,
}

impl Violation {
    /// Returns true if the violation has no position.
    #[must_use]
    pub fn is_unplaced(&self) -> bool {
        self.keyword == UNPLACED
    }
}

/// A compiled schema.
#[derive(Debug, Clone)]
pub struct Validator {
    inner: jsonschema::Validator,
}

impl Validator {
    /// Compiles a schema. References must stay inside it, because nothing is fetched.
    ///
    /// # Errors
    /// When the value isn't a schema, or refers to something outside itself.
    pub fn new(schema: &Value) -> Result<Self, SchemaError> {
        jsonschema::options()
            .should_validate_formats(true)
            .with_format("date-time", |text: &str| date_time(text))
            .with_retriever(NoRetriever)
            .build(schema)
            .map(|inner| Self { inner })
            .map_err(|e| SchemaError::Schema(e.to_string()))
    }

    /// Wraps a schema that is compiled with other options.
    pub(super) const fn from_inner(inner: jsonschema::Validator) -> Self {
        Self { inner }
    }

    /// Compiles a schema from its text.
    ///
    /// # Errors
    /// When the text isn't JSON or isn't a schema, or refers to something outside itself.
    pub fn from_text(text: &str) -> Result<Self, SchemaError> {
        let value: Value =
            serde_json::from_str(text).map_err(|e| SchemaError::Json(e.to_string()))?;
        Self::new(&value)
    }

    /// Returns true if a record is valid.
    #[must_use]
    pub fn accepts(&self, text: &str) -> bool {
        value(text).is_some_and(|v| self.inner.is_valid(&v))
    }

    /// Returns the violations in a record that is valid JSON, in the order of the text.
    ///
    /// At most 20 violations in the first 10,000 values are returned, or one without a position if
    /// only later values violate the schema.
    #[must_use]
    pub fn violations(&self, text: &str) -> Vec<Violation> {
        let Some(mut value) = value(text).filter(|v| !self.inner.is_valid(v)) else {
            return Vec::new();
        };
        let mut left = SEARCHED_VALUES;
        shorten(&mut value, &mut left);
        let cut = left == 0;
        let real = |e: &ValidationError<'_>| {
            !(cut && matches!(e.kind(), Kind::MinItems { .. } | Kind::Contains))
        };
        let errors: Vec<ValidationError<'_>> = self
            .inner
            .iter_errors(&value)
            .filter(real)
            .take(MAX_VIOLATIONS)
            .collect();
        if errors.is_empty() {
            let message = format!(
                "the record violates the schema after its first {SEARCHED_VALUES} values; the exact place isn't determined"
            );
            return vec![Violation {
                pointer: String::new(),
                at: 0..text.len(),
                message,
                keyword: UNPLACED.into(),
            }];
        }
        let mut pointers = BTreeSet::new();
        for error in &errors {
            collect_pointers(error, &mut pointers);
        }
        let text = Text {
            text,
            places: strict_json::resolve_all(text, &pointers),
        };
        let mut all = Vec::new();
        for error in &errors {
            collect(&text, error, &mut all);
        }
        all.truncate(MAX_VIOLATIONS);
        let wrong_type: Vec<String> = all
            .iter()
            .filter(|v| v.keyword == "type")
            .map(|v| v.pointer.clone())
            .collect();
        // A value of the wrong type also violates other keywords, which adds nothing.
        all.retain(|v| {
            let combined = matches!(
                v.keyword.as_str(),
                "not" | "oneOf" | "anyOf" | "enum" | "const" | "if" | "then" | "else"
            );
            !(combined
                && wrong_type.iter().any(|p| {
                    *p == v.pointer
                        || p.strip_prefix(&v.pointer)
                            .is_some_and(|rest| rest.starts_with('/'))
                }))
        });
        all.sort_by(|a, b| {
            (a.at.start, &a.pointer, &a.message).cmp(&(b.at.start, &b.pointer, &b.message))
        });
        // Several violations about one value are merged. Several members may be missing or
        // unexpected, so those are kept.
        let plural =
            |v: &Violation| matches!(v.keyword.as_str(), "required" | "additionalProperties");
        all.dedup_by(|b, a| {
            a == b || (a.pointer == b.pointer && a.at == b.at && !plural(a) && !plural(b))
        });
        all
    }
}

/// Refuses every reference that leaves the schema.
pub(super) struct NoRetriever;

impl jsonschema::Retrieve for NoRetriever {
    fn retrieve(
        &self,
        uri: &jsonschema::Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(
            format!("`{uri}` lies outside the schema; only references inside it are followed")
                .into(),
        )
    }
}

/// Parses a record as a tree by the same rules as elsewhere: lone surrogates become U+FFFD, and the
/// first of two equal members applies. A number out of range is the largest one, since a schema
/// that isn't applied finds nothing.
fn value(text: &str) -> Option<Value> {
    strict_json::from_text_clamped(text).ok()
}

/// Removes array elements after the first `left` values. Members of objects stay, because removing
/// them would cause new violations.
fn shorten(value: &mut Value, left: &mut usize) {
    *left = left.saturating_sub(1);
    match value {
        Value::Array(elements) => {
            let mut kept = 0;
            for element in elements.iter_mut() {
                if *left == 0 {
                    break;
                }
                shorten(element, left);
                kept += 1;
            }
            elements.truncate(kept);
        }
        Value::Object(members) => members
            .values_mut()
            .for_each(|member| shorten(member, left)),
        _ => {}
    }
}

/// Checks a time as RFC 3339, as the typed records do.
fn date_time(text: &str) -> bool {
    util::time::parse_rfc3339(text).is_some()
}

/// A record with the positions of its violations.
struct Text<'a> {
    text: &'a str,
    places: HashMap<String, Located>,
}

/// Returns the pointer to a member.
fn member(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Collects the pointers whose positions [`collect`] will look up.
fn collect_pointers(error: &ValidationError<'_>, pointers: &mut BTreeSet<String>) {
    let pointer = error.instance_path().to_string();
    match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            for inner in own_branch(error, context)
                .into_iter()
                .flatten()
                .take(MAX_VIOLATIONS)
            {
                collect_pointers(inner, pointers);
            }
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            pointers.extend(
                unexpected
                    .iter()
                    .take(MAX_VIOLATIONS)
                    .map(|name| member(&pointer, name)),
            );
        }
        _ => {}
    }
    pointers.insert(pointer);
}

fn collect(text: &Text<'_>, error: &ValidationError<'_>, all: &mut Vec<Violation>) {
    if all.len() >= MAX_VIOLATIONS {
        return;
    }
    let pointer = error.instance_path().to_string();
    let here = text
        .places
        .get(&pointer)
        .map_or(0..text.text.len(), |l| l.value.clone());
    let found = shown(text.text, here.clone());
    if let Kind::AnyOf { context } | Kind::OneOfNotValid { context } = error.kind()
        && let Some(branch) = own_branch(error, context)
    {
        for inner in branch.iter().take(MAX_VIOLATIONS) {
            collect(text, inner, all);
        }
        return;
    }
    let keyword = error.kind().keyword().to_owned();
    let mut push = |pointer: String, at: Range<usize>, message: String| {
        all.push(Violation {
            pointer,
            at,
            message,
            keyword: keyword.clone(),
        });
    };
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            for name in unexpected.iter().take(MAX_VIOLATIONS) {
                let member = member(&pointer, name);
                let place = text.places.get(&member).and_then(|l| l.name);
                let at = place.map_or(here.clone(), |start| start..start + name.len() + 2);
                push(member, at, format!("unknown member `{name}`"));
            }
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            push(
                pointer,
                here.start..here.start + 1,
                format!("required member `{name}` is missing"),
            );
        }
        Kind::Type { kind } => push(
            pointer,
            here,
            format!("expected {}, found {found}", types(kind)),
        ),
        Kind::Enum { options } => {
            let options: Vec<String> = options
                .as_array()
                .into_iter()
                .flatten()
                .map(|v| format!("`{}`", plain(v)))
                .collect();
            push(
                pointer,
                here,
                format!("expected one of {}, found {found}", options.join(", ")),
            );
        }
        Kind::Constant { expected_value } => push(
            pointer,
            here,
            format!("expected `{}`, found {found}", plain(expected_value)),
        ),
        Kind::Format { format } => push(
            pointer,
            here,
            format!("expected the format {format}, found {found}"),
        ),
        Kind::Minimum { limit } => push(
            pointer,
            here,
            format!("expected at least {limit}, found {found}"),
        ),
        Kind::Maximum { limit } => push(
            pointer,
            here,
            format!("expected at most {limit}, found {found}"),
        ),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let expected: Vec<String> = context
                .iter()
                .filter_map(|branch| branch.first())
                .filter_map(expectation)
                .filter(|e| e != "null")
                .collect();
            let expected = if expected.is_empty() {
                "another value".to_owned()
            } else {
                expected.join(" or ")
            };
            push(pointer, here, format!("expected {expected}, found {found}"));
        }
        Kind::Not { .. } => push(pointer, here, "these members must not be together".into()),
        _ => push(pointer, here, error.to_string()),
    }
}

/// Returns the branch of an `anyOf` whose violations are inside the value, so the value has that
/// branch's type. Its violations are more precise.
fn own_branch<'c, 'e>(
    error: &ValidationError<'_>,
    context: &'c [Vec<ValidationError<'e>>],
) -> Option<&'c Vec<ValidationError<'e>>> {
    let here = error.instance_path();
    let inside = |e: &ValidationError<'_>| {
        e.instance_path() != here
            || matches!(
                e.kind(),
                Kind::AdditionalProperties { .. } | Kind::Required { .. } | Kind::Not { .. }
            )
    };
    context
        .iter()
        .find(|branch| !branch.is_empty() && branch.iter().all(inside))
}

/// Describes what one of several branches expects.
fn expectation(error: &ValidationError<'_>) -> Option<String> {
    Some(match error.kind() {
        Kind::Type { kind } => types(kind),
        Kind::Format { format } => format!("a string in the format {format}"),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::Enum { options } => {
            let options: Vec<String> = options
                .as_array()?
                .iter()
                .map(|v| format!("`{}`", plain(v)))
                .collect();
            options.join(" or ")
        }
        Kind::Constant { expected_value } => format!("`{}`", plain(expected_value)),
        _ => return None,
    })
}

fn types(kind: &TypeKind) -> String {
    let name = |t: JsonType| match t {
        JsonType::Array => "an array",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    };
    match kind {
        TypeKind::Single(t) => name(*t).to_owned(),
        // Null only represents an absent member, so mentioning it would distract.
        TypeKind::Multiple(set) => set
            .iter()
            .filter(|t| *t != JsonType::Null)
            .map(name)
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the text in a range, truncated.
fn shown(text: &str, range: Range<usize>) -> String {
    const MOST: usize = 40;
    let written = text.get(range).unwrap_or_default();
    match written.as_bytes().first() {
        Some(b'{') => "an object".into(),
        Some(b'[') => "an array".into(),
        _ if written.len() <= MOST => format!("`{written}`"),
        _ => {
            let cut = (0..=MOST)
                .rev()
                .find(|n| written.is_char_boundary(*n))
                .unwrap_or_default();
            format!("`{}…`", written.get(..cut).unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn violations(schema: &Value, text: &str) -> Vec<(String, String, String)> {
        Validator::new(schema)
            .unwrap()
            .violations(text)
            .into_iter()
            .map(|v| (v.pointer, text.get(v.at).unwrap().to_owned(), v.message))
            .collect()
    }

    #[test]
    fn long_arrays_are_judged_whole_and_listed_in_part() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}, "minItems": 1}}});
        let array = |bad: usize, good: usize, more: usize| {
            let element =
                |text: &str, n| std::iter::repeat_n(text, n).collect::<Vec<_>>().join(",");
            let parts: Vec<String> = [("1", bad), ("\"x\"", good), ("2", more)]
                .map(|(t, n)| element(t, n))
                .into();
            format!(
                "{{\"a\":[{}]}}",
                parts
                    .into_iter()
                    .filter(|p| !p.is_empty())
                    .collect::<Vec<_>>()
                    .join(",")
            )
        };
        assert_eq!(
            violations(&schema, &array(30_000, 0, 0)).len(),
            MAX_VIOLATIONS
        );
        assert_eq!(violations(&schema, &array(0, 30_000, 0)), []);
        let behind = violations(&schema, &array(0, 30_000, 1));
        assert!(
            matches!(&*behind, [(pointer, _, message)] if pointer.is_empty() && message.contains("after")),
            "{behind:?}"
        );
    }

    #[test]
    fn says_where_and_what() {
        let schema = json!({
            "type": "object",
            "required": ["a"],
            "additionalProperties": false,
            "properties": { "a": { "type": "integer", "minimum": 1 }, "b": { "enum": ["x", "y"] }, "t": { "type": "string", "format": "date-time" } }
        });
        let text = r#"{"a":0,"b":"z","c":1,"t":"yesterday"}"#;
        let expected = [
            ("/a", "0", "expected at least 1, found `0`"),
            ("/b", "\"z\"", "expected one of `x`, `y`, found `\"z\"`"),
            ("/c", "\"c\"", "unknown member `c`"),
            (
                "/t",
                "\"yesterday\"",
                "expected the format date-time, found `\"yesterday\"`",
            ),
        ];
        let found = violations(&schema, text);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((p, t, m), (ep, et, em)) in found.iter().zip(expected) {
            assert_eq!((p.as_str(), t.as_str(), m.as_str()), (ep, et, em));
        }
        assert_eq!(
            violations(&schema, "{}")[0].2,
            "required member `a` is missing"
        );
    }

    #[test]
    fn references_stay_inside() {
        assert!(Validator::new(&json!({ "$ref": "https://example.com/other.json" })).is_err());
        assert!(Validator::new(&json!({ "$ref": "file:///etc/passwd" })).is_err());
        assert!(
            Validator::new(&json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "string" } } }))
                .is_ok()
        );
    }

    #[test]
    fn many_violations_are_cut() {
        let text = format!("[{}]", vec!["1"; 1000].join(","));
        assert_eq!(
            violations(&json!({ "items": { "type": "string" } }), &text).len(),
            MAX_VIOLATIONS
        );
    }
}
