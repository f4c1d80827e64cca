//! Changes to the text of one record that keep the rest unchanged.

use crate::trace::record::RecordKind;
use strict_json::{Raw, Str, resolve};

/// The replacement of a value.
pub(super) struct Edit<'e> {
    pub(super) pointer: &'e str,
    /// The new value, as JSON.
    pub(super) value: String,
}

/// Replaces the value at a pointer. Returns false if there is none.
pub(super) fn set(text: &mut String, edit: &Edit<'_>) -> bool {
    let Some(place) = resolve(text, edit.pointer).map(|located| located.value) else {
        return false;
    };
    if text.get(place.clone()).is_none() {
        return false;
    }
    text.replace_range(place, &edit.value);
    true
}

/// Returns the value at a pointer as it is written.
pub(super) fn value<'t>(text: &'t str, pointer: &str) -> Option<Raw<'t>> {
    text.get(resolve(text, pointer)?.value).map(Raw::trusted)
}

/// Returns the string at a pointer.
pub(super) fn string(text: &str, pointer: &str) -> Option<String> {
    Some(
        value(text, pointer)?
            .read::<Str<'_>>()?
            .decode()
            .into_owned(),
    )
}

/// Returns the kind of a record.
pub(super) fn kind(text: &str) -> Option<RecordKind> {
    RecordKind::parse(&string(text, "/record")?)
}

/// Records the redaction in the metadata of a record.
pub(super) fn note(text: &mut String, note: &str) {
    if set(
        text,
        &Edit {
            pointer: "/metadata/redaction",
            value: note.to_owned(),
        },
    ) {
        return;
    }
    let member = format!("\"redaction\":{note}");
    match value(text, "/metadata").map(|v| v.as_written().to_owned()) {
        Some(object) if object.starts_with('{') => {
            let rest = object.get(1..).unwrap_or_default();
            let comma = if rest.trim_start().starts_with('}') {
                ""
            } else {
                ","
            };
            set(
                text,
                &Edit {
                    pointer: "/metadata",
                    value: format!("{{{member}{comma}{rest}"),
                },
            );
        }
        Some(_) => {
            set(
                text,
                &Edit {
                    pointer: "/metadata",
                    value: format!("{{{member}}}"),
                },
            );
        }
        None => {
            if let Some(end) = text.rfind('}') {
                text.insert_str(end, &format!(",\"metadata\":{{{member}}}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_goes_into_the_metadata_that_is_there() {
        for (before, after) in [
            (r#"{"a":1} "#, r#"{"a":1,"metadata":{"redaction":{}}} "#),
            (
                r#"{"metadata":{},"a":1}"#,
                r#"{"metadata":{"redaction":{}},"a":1}"#,
            ),
            (
                r#"{"metadata": {"x":2}}"#,
                r#"{"metadata": {"redaction":{},"x":2}}"#,
            ),
            (r#"{"metadata":null}"#, r#"{"metadata":{"redaction":{}}}"#),
            (
                r#"{"metadata":{"x":2,"redaction":{"y":3}}}"#,
                r#"{"metadata":{"x":2,"redaction":{}}}"#,
            ),
        ] {
            let mut text = before.to_owned();
            note(&mut text, "{}");
            assert_eq!(text, after);
        }
    }
}
