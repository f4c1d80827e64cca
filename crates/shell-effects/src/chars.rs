//! Characters that stand for what isn't known in an expanded word.
//!
//! A real argument can't hold a NUL and hardly ever the other three; the analyser
//! replaces them in its input before anything else, so they are free for marking.

/// Any string.
pub(crate) const UNKNOWN: char = '\0';
/// Any text that holds no slash, blank or leading dash (a number, a date, a host name).
pub(crate) const SAFE_HOLE: char = '\u{1}';
/// An unquoted `*` (any text without a slash).
pub(crate) const STAR: char = '\u{2}';
/// An unquoted `?` or `[…]`.
pub(crate) const ANY: char = '\u{3}';

/// True for a character that stands for what isn't known.
pub(crate) const fn is_mark(c: char) -> bool {
    matches!(c, UNKNOWN | SAFE_HOLE | STAR | ANY)
}

/// True if the text holds something that isn't known.
pub fn has_hole(s: &str) -> bool {
    holds(s, |c| c <= 1)
}

/// True if one of the bytes is such. All are looked at, several at once.
#[inline]
pub fn holds(s: &str, is: impl Fn(u8) -> bool) -> bool {
    s.bytes().fold(false, |found, byte| found | is(byte))
}

/// True if such a byte stands before such another one. All are looked at, several at once: no
/// branch ends the search.
#[inline]
pub(crate) fn holds_pair(s: &str, is: impl Fn(u8) -> bool, next_is: impl Fn(u8) -> bool) -> bool {
    let bytes = s.as_bytes();
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    pairs.fold(false, |found, (one, next)| {
        found | (is(*one) & next_is(*next))
    })
}

/// True if the text holds an unquoted glob.
pub(crate) fn has_glob(s: &str) -> bool {
    holds(s, |c| c == 2 || c == 3)
}

/// The text as shown to people: holes as `$…`, globs as written.
pub(crate) fn show(s: &str) -> String {
    if !holds(s, |c| c <= 3) {
        return s.to_owned();
    }
    let mut out = String::with_capacity(s.len() + 8);
    for c in s.chars() {
        match c {
            UNKNOWN | SAFE_HOLE => out.push_str("$…"),
            STAR => out.push('*'),
            ANY => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

/// The text as source for another parser: globs as written, holes kept.
pub(crate) fn source(s: &str) -> String {
    s.replace(STAR, "*").replace(ANY, "?")
}
