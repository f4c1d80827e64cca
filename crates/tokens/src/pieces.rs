//! Splits a text into pieces that an encoding tokenizes separately.

use crate::Encoding;
use regex::Regex;
use std::sync::LazyLock;

/// The expression published with `o200k_base`, except for `\s+(?!\S)`; see [`piece_end`].
const O200K: &str = r"\A(?:[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+)";
/// The expression published with `cl100k_base`, with the same exception.
const CL100K: &str = r"\A(?:(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+)";

static EXPRESSIONS: [LazyLock<Option<Regex>>; 2] = [
    LazyLock::new(|| Regex::new(O200K).ok()),
    LazyLock::new(|| Regex::new(CL100K).ok()),
];

/// Splits a text into pieces. Concatenated, they are the text.
pub(crate) fn pieces(encoding: Encoding, text: &str) -> impl Iterator<Item = &str> {
    let [o200k, cl100k] = &EXPRESSIONS;
    let expression = match encoding {
        Encoding::O200k => o200k,
        Encoding::Cl100k => cl100k,
    };
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, behind) = rest.split_at_checked(piece_end(expression.as_ref(), rest)?)?;
        rest = behind;
        Some(piece)
    })
}

/// Returns the end of the first piece; `None` if the text is empty.
///
/// The published expressions have `\s+(?!\S)|\s+` where these have `\s+`. Of white space before a
/// word, the last character belongs to the word. The engine has no look-ahead, so that character is
/// removed here.
///
/// Every character matches some alternative. Without a compiled expression, each character would be
/// a piece, which never results in fewer tokens.
fn piece_end(expression: Option<&Regex>, text: &str) -> Option<usize> {
    let first = text.chars().next()?.len_utf8();
    let Some(piece) = expression.and_then(|e| e.find(text)) else {
        return Some(first);
    };
    let blank = |c: char| c.is_whitespace() && !matches!(c, '\r' | '\n');
    let last = piece.as_str().chars().next_back().filter(|c| blank(*c));
    match last {
        Some(last) if piece.len() > last.len_utf8() && piece.end() < text.len() => {
            Some(piece.end() - last.len_utf8())
        }
        _ => Some(piece.end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(encoding: Encoding, text: &str) -> Vec<&str> {
        pieces(encoding, text).collect()
    }

    #[test]
    fn the_expressions_compile() {
        assert!(EXPRESSIONS.iter().all(|e| e.is_some()));
    }

    #[test]
    fn pieces_are_those_of_the_published_expressions() {
        for (text, o200k, cl100k) in [
            ("", vec![], vec![]),
            ("  \n  x", vec!["  \n", " ", " x"], vec!["  \n", " ", " x"]),
            ("   x", vec!["  ", " x"], vec!["  ", " x"]),
            ("x  ", vec!["x", "  "], vec!["x", "  "]),
            ("\t1", vec!["\t", "1"], vec!["\t", "1"]),
            (
                " \u{3000}一",
                vec![" ", "\u{3000}一"],
                vec![" ", "\u{3000}一"],
            ),
            (
                "DON'T it'ſ 'Re",
                vec!["DON'T", " it'ſ", " '", "Re"],
                vec!["DON", "'T", " it", "'ſ", " '", "Re"],
            ),
            (
                "parseHTTPHeader1234",
                vec!["parse", "HTTPHeader", "123", "4"],
                vec!["parseHTTPHeader", "123", "4"],
            ),
            (
                "a//b/\n/",
                vec!["a", "//", "b", "/\n/"],
                vec!["a", "//", "b", "/\n", "/"],
            ),
        ] {
            assert_eq!(split(Encoding::O200k, text), o200k, "{text:?}");
            assert_eq!(split(Encoding::Cl100k, text), cl100k, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn the_pieces_are_the_text(text in "(\\PC|\\s|\\p{Lu}|\\p{Lm}|\\p{M}|'){0,40}") {
            for encoding in Encoding::ALL {
                prop_assert_eq!(pieces(encoding, &text).collect::<String>(), text.as_str());
                prop_assert!(pieces(encoding, &text).all(|piece| !piece.is_empty()));
            }
        }
    }
}
