#![doc = include_str!("../README.md")]

mod pieces;
mod vocabulary;

use regex_syntax::hir::{Class, Hir, HirKind};
use vocabulary::Vocabulary;

/// A tokenizer with a built-in vocabulary. Reports name the one that they used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// `o200k_base`: about 200,000 tokens, used by models since 2024. The default.
    #[default]
    O200k,
    /// `cl100k_base`: about 100,000 tokens, used by the previous generation of models.
    Cl100k,
}

impl Encoding {
    /// All encodings, the default first.
    pub const ALL: [Encoding; 2] = [Encoding::O200k, Encoding::Cl100k];

    /// Returns the published name of the encoding.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::O200k => "o200k_base",
            Encoding::Cl100k => "cl100k_base",
        }
    }

    /// Returns the encoding with a name; `None` if it isn't built in.
    pub fn named(name: &str) -> Option<Encoding> {
        Encoding::ALL.into_iter().find(|e| e.name() == name)
    }

    fn vocabulary(self) -> &'static Vocabulary<'static> {
        match self {
            Encoding::O200k => &vocabulary::O200K,
            Encoding::Cl100k => &vocabulary::CL100K,
        }
    }

    /// Unpacks the vocabulary, which the first count does otherwise. Call it from another thread to
    /// save time.
    pub fn load(self) {
        let _ = self.vocabulary();
    }

    /// Returns the number of tokens in a text.
    pub fn count(self, text: &str) -> usize {
        self.count_within(text, usize::MAX).unwrap_or(usize::MAX)
    }

    /// Returns the number of tokens in a text; `None` if it exceeds `limit`. It stops counting at
    /// the limit.
    pub fn count_within(self, text: &str, limit: usize) -> Option<usize> {
        let vocabulary = self.vocabulary();
        let mut left = limit;
        for piece in pieces::pieces(self, text) {
            left = left.checked_sub(vocabulary.count(piece.as_bytes()))?;
        }
        Some(limit - left)
    }

    /// Returns whether a text has at most `limit` tokens.
    pub fn fits(self, text: &str, limit: usize) -> bool {
        // No text has more tokens than bytes.
        text.len() <= limit || self.count_within(text, limit).is_some()
    }
}

/// Returns the characters of a class in regular expression syntax, as ascending inclusive ranges.
pub fn characters(class: &str) -> Vec<(char, char)> {
    match regex_syntax::parse(class).map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => class
            .ranges()
            .iter()
            .map(|r| (r.start(), r.end()))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Texts, with their number of tokens in `o200k_base` and in `cl100k_base`.
    const KNOWN: [(&str, usize, usize); 17] = [
        ("", 0, 0),
        ("hello world", 2, 2),
        ("tiktoken is great!", 6, 6),
        ("don't DON'T I'LLx it'ſ we'Re'd", 11, 15),
        (
            "parseHTTPHeader ABCdef 日本ABC ABC日 é e\u{301} \u{301}A",
            15,
            15,
        ),
        ("12345 ½³ 一二", 7, 8),
        ("a//b///\n\n/ //\r\n ?!\n", 8, 8),
        ("\t\tx\u{a0}\u{a0}y\u{2003}z", 7, 8),
        ("ǅx ʰA ⅣV", 11, 11),
        ("fn main() {\n    println!(\"{}\", 1_000);\n}\n", 13, 13),
        ("Größenwahn und Übermut", 8, 8),
        ("日本語のテキストです。", 8, 10),
        ("🦀🦀 👩\u{200d}👩\u{200d}👧\u{200d}👦", 17, 23),
        ("supercalifragilisticexpialidocious", 10, 11),
        ("https://example.com/a/b?c=d&e=%20", 12, 12),
        ("0x7fffffff deadbeef", 8, 7),
        ("                indented\n\n\n\n\tline  \n", 6, 6),
    ];

    #[test]
    fn encodings_are_found_by_their_names() {
        for encoding in Encoding::ALL {
            assert_eq!(Encoding::named(encoding.name()), Some(encoding));
        }
        assert_eq!(Encoding::named("gpt2"), None);
    }

    /// The counts of `bpe-openai` 0.3.2, which equal those of `tiktoken`.
    #[test]
    fn known_texts_have_their_known_counts() {
        for (text, o200k, cl100k) in KNOWN {
            assert_eq!(Encoding::O200k.count(text), o200k, "{text:?}");
            assert_eq!(Encoding::Cl100k.count(text), cl100k, "{text:?}");
        }
    }

    #[test]
    fn a_limit_is_inclusive() {
        assert_eq!(Encoding::O200k.count_within("hello world", 2), Some(2));
        assert_eq!(Encoding::O200k.count_within("hello world", 1), None);
        assert_eq!(Encoding::O200k.count_within("", 0), Some(0));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn the_limit_agrees_with_the_count(text in "\\PC{0,60}", limit in 0_usize..40) {
            let count = Encoding::O200k.count(&text);
            prop_assert_eq!(Encoding::O200k.count_within(&text, limit), (count <= limit).then_some(count));
            prop_assert_eq!(Encoding::O200k.fits(&text, limit), count <= limit);
        }
    }
}
