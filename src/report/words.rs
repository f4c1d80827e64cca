//! Text helpers that several formats share.

use super::{Lang, TextOptions};
use crate::diag::Place;
use crate::verify::Report;
use std::borrow::Cow;

/// Formats a count with its noun.
pub(super) fn plural(count: u64, word: &str) -> String {
    if count == 1 {
        format!("1 {word}")
    } else {
        format!("{count} {word}s")
    }
}

/// Formats a number with commas between thousands.
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns the first `limit` characters. A `…` marks missing text.
pub(super) fn clip(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}…", text.get(..at).unwrap_or_default())),
    }
}

/// Formats a position as `file:line:column`, as far as it is known. Unescaped.
pub(super) fn position(place: &Place) -> String {
    match (place.line, place.column) {
        (0, _) => place.file.to_string(),
        (line, 0) => format!("{}:{line}", place.file),
        (line, column) => format!("{}:{line}:{column}", place.file),
    }
}

/// Lists the counts of verified items.
pub(super) fn verified_counts(report: &Report, options: TextOptions) -> String {
    let (counts, lang) = (&report.counts, options.lang);
    let mut looked = vec![
        lang.plural(counts.files, "file"),
        lang.plural(counts.records, "record"),
    ];
    if !options.schema_only {
        looked.push(lang.plural(report.summaries.len() as u64, "execution"));
        looked.push(lang.plural(counts.turns, "turn"));
        looked.push(lang.fill("{0} run", &[&lang.plural(counts.rules_run, "rule")]));
    }
    lang.list(&looked)
}

/// Lists the number of findings by severity.
pub(super) fn finding_counts(report: &Report, options: TextOptions) -> String {
    let (counts, lang) = (&report.counts, options.lang);
    lang.list(&[
        lang.plural(counts.errors, "error"),
        lang.plural(counts.warnings, "warning"),
        lang.plural(counts.notes, "note"),
    ])
}

/// Describes findings and verified items in one line.
pub(super) fn counts_line(report: &Report, options: TextOptions) -> String {
    let (found, looked) = (
        finding_counts(report, options),
        verified_counts(report, options),
    );
    options.lang.fill("{0} in {1}", &[&found, &looked])
}

/// Returns the sentence about errors that fail nothing.
pub(super) fn not_enforced(errors: u64, lang: Lang) -> String {
    lang.fill("not enforced: {0}", &[&lang.plural(errors, "error")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_parted() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (100_000, "100,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(thousands(n), text);
        }
    }

    #[test]
    fn clipping_counts_characters() {
        assert_eq!(clip("äöü", 3), "äöü");
        assert_eq!(clip("äöüß", 3), "äöü…");
        assert_eq!(clip("", 0), "");
    }
}
