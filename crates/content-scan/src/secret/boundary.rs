//! Word boundaries: a word starts after a separator, or after an escape that ends in a letter or
//! digit.

/// Maximum length in bytes of a control sequence that is recognised before a word.
const LONGEST: usize = 32;

/// Returns whether a byte continues a word.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Returns whether a word may start at `at`.
pub(super) fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    !(before.last().copied().is_some_and(is_word)
        && bytes.get(at).is_some_and(u8::is_ascii_alphanumeric))
        || ends_escape(before)
}

/// Returns the last position in `from..=to` at which an escape ends.
pub(super) fn last_escape(bytes: &[u8], from: usize, to: usize) -> Option<usize> {
    (from..=to)
        .rev()
        .find(|at| bytes.get(..*at).is_some_and(ends_escape))
}

/// Returns whether a text ends with an escape. Recognised are those of strings (`\n`, `\u003d`,
/// `\x3d`, `\075`, with any number of backslashes), URLs (`%3D`, `%253D`), quoted-printable text
/// (`=3D`) and terminals (ECMA-48).
fn ends_escape(text: &[u8]) -> bool {
    if let [
        ..,
        b'\\',
        b'a' | b'b' | b'e' | b'f' | b'n' | b'r' | b't' | b'v' | b'0',
    ] = text
    {
        return true;
    }
    let (rest, digits) = split_end(text, 4);
    let (short, pair) = split_end(text, 2);
    let (octal, three) = split_end(text, 3);
    is_hex(digits) && rest.ends_with(br"\u")
        || is_hex(pair) && (short.ends_with(br"\x") || is_quoted(short))
        || octal.ends_with(br"\") && three.iter().all(|b| matches!(b, b'0'..=b'7'))
        || ends_sequence(text)
}

/// Splits off the last `count` bytes.
fn split_end(text: &[u8], count: usize) -> (&[u8], &[u8]) {
    text.len()
        .checked_sub(count)
        .and_then(|at| text.split_at_checked(at))
        .unwrap_or((&[], &[]))
}

fn is_hex(digits: &[u8]) -> bool {
    !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)
}

/// Returns whether a text ends with the introducer of two hexadecimal digits. A percent sign may
/// itself be escaped as `%25`.
fn is_quoted(mut text: &[u8]) -> bool {
    if text.ends_with(b"=") {
        return true;
    }
    while let Some(shorter) = text.strip_suffix(b"25") {
        text = shorter;
    }
    text.ends_with(b"%")
}

/// Returns whether a text ends with a terminal control sequence. Colours are recognised without the
/// escape character too, since logs drop or replace it.
fn ends_sequence(text: &[u8]) -> bool {
    let start = text.len().saturating_sub(LONGEST);
    let Some((last, before)) = text.get(start..).and_then(<[u8]>::split_last) else {
        return false;
    };
    let parameters = before
        .iter()
        .rev()
        .take_while(|b| matches!(b, b' '..=b'?'))
        .count();
    let (introducer, parameters) = split_end(before, parameters);
    match introducer {
        [.., 0x1b] => true,
        [.., 0x1b, b'['] | [.., 0xc2, 0x9b] => !last.is_ascii_digit(),
        [.., b'['] => *last == b'm' && parameters.iter().all(|b| b.is_ascii_digit() || *b == b';'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_begins_behind_an_escape() {
        for before in [
            "",
            " ",
            "=",
            r"\n",
            r"\\n",
            r"\\\\t",
            r"x\u003d",
            r"x\\u003D",
            r"\x3d",
            r"\075",
            "%3D",
            "a%253d",
            "%25253D",
            "=3D",
            "\u{1b}[32m",
            "\u{1b}[m",
            "\u{1b}[38;5;10m",
            "\u{1b}[K",
            "\u{1b}(B",
            "\u{1b}M",
            "\u{9b}1m",
            r"\u001b[1;31m",
            r"\x1b[0m",
            r"\033[0m",
            "[36m",
        ] {
            let text = format!("{before}AKIA");
            assert!(begins_word(text.as_bytes(), before.len()), "{text}");
        }
        for before in [
            "x", "n", "m", "D", "3D", "xn", "u003d", "[32", "%3", "=3", "[a", "[4K", "_", "-",
        ] {
            let text = format!("{before}AKIA");
            assert!(!begins_word(text.as_bytes(), before.len()), "{text}");
        }
    }

    #[test]
    fn the_last_escape_is_found() {
        let text = br"a%3Db\ncd";
        assert_eq!(last_escape(text, 0, text.len()), Some(7));
        assert_eq!(last_escape(text, 0, 6), Some(4));
        assert_eq!(last_escape(text, 5, 6), None);
    }
}
