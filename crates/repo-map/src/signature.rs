//! Signatures: the source of a definition on one line, without its body.

use super::comment::Span;
use super::language::Language;
use super::tags::Kind;

/// Maximum length of a signature in characters. A longer one is cut and ends with `…`.
pub const LIMIT: usize = 160;

/// Maximum length for a constant or variable, whose value is rarely of interest.
const VALUE_LIMIT: usize = 80;

/// Ranges that signatures leave out: comments and attributes.
pub(super) struct Hidden<'a> {
    spans: &'a [Span],
}

impl<'a> Hidden<'a> {
    /// Creates the set from spans in source order.
    pub(super) const fn new(spans: &'a [Span]) -> Self {
        Hidden { spans }
    }

    /// Returns the parts of a range that aren't hidden.
    fn parts(&self, start: usize, end: usize) -> Vec<(usize, usize)> {
        let first = self.spans.partition_point(|s| s.end <= start);
        let (mut at, mut out) = (start, Vec::new());
        for span in self.spans.iter().skip(first).take_while(|s| s.start < end) {
            if span.start > at {
                out.push((at, span.start));
            }
            at = at.max(span.end);
        }
        if at < end {
            out.push((at, end));
        }
        out
    }
}

/// Appends a text up to `room` characters. Each run of white space and control characters becomes
/// one space. Returns whether the whole text fitted.
fn append(text: &str, out: &mut String, room: &mut usize) -> bool {
    for c in text.chars() {
        let blank = c.is_whitespace() || c.is_control();
        if blank && (out.is_empty() || out.ends_with([' ', '(', '['])) {
            continue;
        }
        if matches!(c, ')' | ']') && out.ends_with(' ') {
            out.pop();
            if out.ends_with(',') {
                out.pop();
            }
        }
        let Some(less) = room.checked_sub(1) else {
            return false;
        };
        *room = less;
        out.push(if blank { ' ' } else { c });
    }
    true
}

/// Returns a text on one line, cut to `limit` characters.
pub(super) fn one_line(text: &str, limit: usize) -> String {
    let (mut out, mut room) = (String::new(), limit);
    let whole = append(text, &mut out, &mut room);
    out.truncate(out.trim_end().len());
    if !whole {
        out.push('…');
    }
    out
}

/// Returns the signature of the definition between two places.
pub fn of(
    text: &str,
    start: usize,
    end: usize,
    hidden: &Hidden<'_>,
    prefix: Option<&str>,
    kind: Kind,
    language: Language,
) -> String {
    let mut out = String::new();
    if let Some(prefix) = prefix {
        out.push_str(prefix);
        out.push(' ');
    }
    let is_value = matches!(kind, Kind::Constant | Kind::Variable);
    let mut room = if is_value { VALUE_LIMIT } else { LIMIT };
    // Bounds the work. A signature with more white space than this isn't written by hand.
    let end = end.min(start.saturating_add(20 * LIMIT));
    let mut whole = true;
    for (from, to) in hidden.parts(start, end) {
        let part = text.get(from..floor(text, to)).unwrap_or_default();
        let line = part.split(['\n', ';']).next().unwrap_or(part);
        let only_first = language == Language::Ruby && kind != Kind::Method;
        whole = append(if only_first { line } else { part }, &mut out, &mut room);
        if !whole || only_first {
            break;
        }
        // A space separates the words around a hidden part.
        if !out.ends_with([' ', '(']) && !out.is_empty() {
            out.push(' ');
        }
    }
    let trimmed = out
        .trim_end()
        .trim_end_matches([';', '{', ':', ','])
        .trim_end();
    let trimmed = trimmed
        .strip_suffix("=>")
        .or_else(|| trimmed.strip_suffix(" ="))
        .unwrap_or(trimmed);
    out.truncate(trimmed.trim_end().len());
    if !whole {
        out.push('…');
    }
    out
}

/// Returns the nearest character boundary at or before a place.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn signatures_are_on_one_line() {
        let text = "pub fn f( // first\n    a: u8,\n    b: u8,\n) -> u8 {";
        let spans = [Span {
            start: 10,
            end: 18,
            is_comment: true,
        }];
        let of = |end| {
            of(
                text,
                0,
                end,
                &Hidden::new(&spans),
                None,
                Kind::Function,
                Language::Rust,
            )
        };
        assert_eq!(of(text.len()), "pub fn f(a: u8, b: u8) -> u8");
        assert_eq!(one_line(" a\u{1b}\tb\r\nc", 99), "a b c");
        assert_eq!(one_line("äöü", 2), "äö…");
    }

    proptest! {
        #[test]
        fn any_range_gives_one_short_line(text in any::<String>(), a in 0_usize..80, b in 0_usize..80, c in 0_usize..80) {
            let spans = [Span { start: a.min(b), end: a.max(b), is_comment: true }];
            let line = of(&text, c, text.len(), &Hidden::new(&spans), Some("type"), Kind::Type, Language::Go);
            prop_assert!(!line.contains(char::is_control));
            prop_assert!(line.chars().count() <= LIMIT + 8);
        }
    }
}
