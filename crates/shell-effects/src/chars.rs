//! Characters that represent unknown parts of an expanded word.
//!
//! A real argument can't contain a NUL and hardly ever contains the other three. The analyser
//! replaces all four in its input first, so they are free for this use.

/// Any string.
pub(crate) const UNKNOWN: char = '\0';
/// Any text without a slash, blank or leading dash (a number, a date, a host name).
pub(crate) const SAFE_UNKNOWN: char = '\u{1}';
/// An unquoted `*` (any text without a slash).
pub(crate) const STAR: char = '\u{2}';
/// An unquoted `?` or `[…]`.
pub(crate) const ANY: char = '\u{3}';

/// The value of a list or a directory that the user's environment sets (`$PATH`, `$JAVA_HOME`) and
/// this line doesn't: unknown, but not chosen by the line.
pub(crate) const INHERITED: &str = "\0\u{1}\0";

/// Returns whether the character represents an unknown part.
pub(crate) const fn is_placeholder(c: char) -> bool {
    matches!(c, UNKNOWN | SAFE_UNKNOWN | STAR | ANY)
}

/// Returns whether the text has an unknown part.
pub fn has_unknown(s: &str) -> bool {
    any_byte(s, |c| c <= 1)
}

/// Returns whether any byte satisfies `is`. Tests all bytes without an early exit, which
/// vectorises.
#[inline]
pub fn any_byte(s: &str, is: impl Fn(u8) -> bool) -> bool {
    s.bytes().fold(false, |found, byte| found | is(byte))
}

/// Returns whether a byte satisfying `is` is followed by one satisfying `next_is`. Tests all pairs
/// without an early exit, which vectorises.
#[inline]
pub(crate) fn any_byte_pair(
    s: &str,
    is: impl Fn(u8) -> bool,
    next_is: impl Fn(u8) -> bool,
) -> bool {
    let bytes = s.as_bytes();
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    pairs.fold(false, |found, (one, next)| {
        found | (is(*one) & next_is(*next))
    })
}

/// Returns whether the text has an unquoted glob.
pub(crate) fn has_glob(s: &str) -> bool {
    any_byte(s, |c| c == 2 || c == 3)
}

/// Returns the text as shown to people: unknown parts as `$…`, globs as written.
pub(crate) fn show(s: &str) -> String {
    if !any_byte(s, |c| c <= 3) {
        return s.to_owned();
    }
    let mut out = String::with_capacity(s.len() + 8);
    for c in s.replace(INHERITED, "\0").chars() {
        match c {
            UNKNOWN | SAFE_UNKNOWN => out.push_str("$…"),
            STAR => out.push('*'),
            ANY => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

/// Returns the text as source for another parser: globs as written, unknown parts kept.
pub(crate) fn source(s: &str) -> String {
    s.replace(STAR, "*").replace(ANY, "?")
}
