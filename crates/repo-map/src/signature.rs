//! Signatures: a definition as written, on one line, without what is inside.

use super::comment::Span;
use super::language::Language;
use super::tags::Kind;

/// Characters of a signature; what is longer ends with `…`.
pub const LIMIT: usize = 160;

/// Characters of a constant or variable: its value is rarely of interest.
const VALUE_LIMIT: usize = 80;

/// Places that no signature shows: comments, attributes.
pub(super) struct Hidden<'a> {
    spans: &'a [Span],
}

impl<'a> Hidden<'a> {
    /// Of spans in the order of the text.
    pub(super) const fn new(spans: &'a [Span]) -> Self {
        Hidden { spans }
    }

    /// The parts of a range that aren't hidden.
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

/// Appends a text with every run of white space and control characters as one space, up to a number
/// of characters. Says whether all of it found room.
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

/// A text on one line, cut to a number of characters.
pub(super) fn one_line(text: &str, limit: usize) -> String {
    let (mut out, mut room) = (String::new(), limit);
    let whole = append(text, &mut out, &mut room);
    out.truncate(out.trim_end().len());
    if !whole {
        out.push('…');
    }
    out
}

/// The signature of the definition between two places.
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
    // More white space than this between two words, and nobody wrote it by hand.
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
        // Words on both sides of what is hidden stay apart.
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

/// The place, or the nearest before it, where a character starts.
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
