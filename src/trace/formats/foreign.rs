//! Formats of other agents and tools that aren't replayed. They are detected by shape, so that a
//! finding (YV108) can name them.

use super::members::Members;

/// A noun with its article, and whether an object has that shape.
type Shape = (&'static str, fn(&Members<'_>) -> bool);

/// Returns what an object looks like, as a noun with its article.
#[must_use]
pub fn looks_like(text: &str) -> Option<&'static str> {
    let members = Members::of(text)?;
    let shapes: [Shape; 3] = [
        ("an OpenTelemetry export (OTLP)", |m| {
            has(m, &["resourceMetrics"])
        }),
        ("a terminal recording of another version (asciicast)", |m| {
            has(m, &["version", "term"])
        }),
        ("an event log in a shape that several programs write", |m| {
            has(m, &["type", "data", "timestamp"])
        }),
    ];
    shapes
        .into_iter()
        .find(|(_, fits)| fits(&members))
        .map(|(name, _)| name)
}

fn has(members: &Members<'_>, names: &[&str]) -> bool {
    members.has_all(names)
}

#[cfg(test)]
mod tests {
    use super::looks_like;
    use proptest::prelude::*;

    #[test]
    fn sessions_of_other_agents_are_named() {
        let cases = [
            (
                r#"{"resourceMetrics":[]}"#,
                Some("an OpenTelemetry export (OTLP)"),
            ),
            (
                r#"{"version":4,"term":{"cols":80}}"#,
                Some("a terminal recording of another version (asciicast)"),
            ),
            (r#"{"name":"package"}"#, None),
            ("[1]", None),
            ("{", None),
        ];
        for (text, expected) in cases {
            assert_eq!(looks_like(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_look_or_none(text in "(\\PC|[{}\\[\\]\":,a-z]){0,60}") {
            let _ = looks_like(&text);
        }
    }
}
