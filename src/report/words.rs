//! Small words that several formats share.

use crate::diag::Place;
use std::borrow::Cow;

/// A count with its noun.
pub(super) fn plural(count: u64, word: &str) -> String {
    if count == 1 {
        format!("1 {word}")
    } else {
        format!("{count} {word}s")
    }
}

/// The first `limit` characters; what is cut away leaves a `…`.
pub(super) fn clip(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}…", text.get(..at).unwrap_or_default())),
    }
}

/// Where a finding stands: `file:line:column`, as far as it is known. Unescaped.
pub(super) fn position(place: &Place) -> String {
    match (place.line, place.column) {
        (0, _) => place.file.to_string(),
        (line, 0) => format!("{}:{line}", place.file),
        (line, column) => format!("{}:{line}:{column}", place.file),
    }
}

/// What was verified, as a list of counts.
pub(super) fn looked_at(report: &crate::verify::Report, schema_only: bool) -> String {
    let counts = &report.counts;
    let mut looked = vec![
        plural(counts.files, "file"),
        plural(counts.records, "record"),
    ];
    if !schema_only {
        looked.push(plural(report.summaries.len() as u64, "execution"));
        looked.push(plural(counts.turns, "turn"));
        looked.push(format!("{} run", plural(counts.rules_run, "rule")));
    }
    looked.join(", ")
}

/// How many findings there are of each severity.
pub(super) fn found(report: &crate::verify::Report) -> String {
    let counts = &report.counts;
    format!(
        "{}, {}, {}",
        plural(counts.errors, "error"),
        plural(counts.warnings, "warning"),
        plural(counts.notes, "note")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_counts_characters() {
        assert_eq!(clip("äöü", 3), "äöü");
        assert_eq!(clip("äöüß", 3), "äöü…");
        assert_eq!(clip("", 0), "");
    }
}
