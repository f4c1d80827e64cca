//! How many tokens a text is for a model: counted by a real tokenizer, never guessed from characters.

mod cache;
mod split;

use cache::Cache;
use regex_syntax::hir::{Class, Hir, HirKind};
use split::Pieces;
use std::cell::RefCell;

thread_local! {
    /// A cache for each encoding, since counting is done on all cores.
    static CACHES: [RefCell<Cache>; 2] = [RefCell::new(Cache::new()), RefCell::new(Cache::new())];
}

/// A tokenizer whose vocabulary is built into the program. Reports name the one that they counted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// `o200k_base`: about 200,000 tokens, used by the models since 2024. The default.
    #[default]
    O200k,
    /// `cl100k_base`: about 100,000 tokens, used by the generation before.
    Cl100k,
}

impl Encoding {
    /// All of them, the default first.
    pub const ALL: [Encoding; 2] = [Encoding::O200k, Encoding::Cl100k];

    /// The name under which the encoding is published.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::O200k => "o200k_base",
            Encoding::Cl100k => "cl100k_base",
        }
    }

    /// The encoding of that name, if it is built in.
    pub fn named(name: &str) -> Option<Encoding> {
        Encoding::ALL.into_iter().find(|e| e.name() == name)
    }

    fn tokenizer(self) -> &'static bpe_openai::Tokenizer {
        match self {
            Encoding::O200k => bpe_openai::o200k_base(),
            Encoding::Cl100k => bpe_openai::cl100k_base(),
        }
    }

    /// Loads the vocabulary, which takes a tenth of a second: for those who have something else to do meanwhile.
    pub fn load(self) {
        let _ = self.tokenizer();
    }

    /// Tokens of the text. Linear in its length. The first call loads the vocabulary.
    pub fn count(self, text: &str) -> usize {
        self.count_within(text, usize::MAX).unwrap_or(usize::MAX)
    }

    /// Tokens of the text if they are at most `limit`; it stops counting as soon as they are more.
    pub fn count_within(self, text: &str, limit: usize) -> Option<usize> {
        self.counted(|count| {
            let mut left = limit;
            for piece in Pieces::of(self, text) {
                left = left.checked_sub(count(piece))?;
            }
            Some(limit - left)
        })
    }

    /// Whether the text has at most `limit` tokens; it counts as far as that is open.
    pub fn fits(self, text: &str, limit: usize) -> bool {
        if most(text) <= limit {
            return true;
        }
        self.counted(|count| {
            let (mut left, mut rest) = (limit, text);
            // Whether the rest fits in any case is asked again whenever it is shorter by an eighth.
            let mut ask = text.len() - text.len() / 8;
            for piece in Pieces::of(self, text) {
                if rest.len() <= ask {
                    if most(rest) <= left {
                        return true;
                    }
                    ask = rest.len() - rest.len() / 8;
                }
                let Some(less) = left.checked_sub(count(piece)) else { return false };
                left = less;
                rest = rest.get(piece.len()..).unwrap_or_default();
            }
            true
        })
    }

    /// Does something with the count of pieces.
    fn counted<T>(self, with: impl FnOnce(&mut dyn FnMut(&str) -> usize) -> T) -> T {
        CACHES.with(|[newer, older]| {
            let cache = if self == Encoding::O200k { newer } else { older };
            let mut cache = cache.borrow_mut();
            with(&mut |piece| cache.count(piece.as_bytes(), |piece| self.tokenizer().bpe.count(piece)))
        })
    }
}

/// More tokens than this a text hasn't, in either encoding. Where any two letters are a token, no two tokens of one letter are neighbours:
/// they would have been merged. So `n` such letters in a row are at most `(2n + 1) / 3` tokens; and any other byte is one at most.
fn most(text: &str) -> usize {
    let (mut most, mut row) = (0, 0);
    for byte in text.bytes() {
        if pairs_up(byte) {
            row += 1;
        } else {
            most += (2 * row + 1) / 3 + 1;
            row = 0;
        }
    }
    most + (2 * row + 1) / 3
}

/// Small letters any two of which are a token. Rare letters don't go with each other: `gk`, `xq`, `yf`.
const fn pairs_up(byte: u8) -> bool {
    byte.is_ascii_lowercase() && !matches!(byte, b'f' | b'j' | b'k' | b'q' | b'v' | b'x' | b'z')
}

/// Characters of a class as regular expressions write it, as ranges that rise, ends included.
pub(crate) fn characters(class: &str) -> Vec<(char, char)> {
    match regex_syntax::parse(class).map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => class.ranges().iter().map(|r| (r.start(), r.end())).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Counts that are published with the encodings or were taken from the reference implementation.
    #[test]
    fn known_texts_have_their_known_counts() {
        for encoding in Encoding::ALL {
            assert_eq!(encoding.count(""), 0);
            assert_eq!(encoding.count("hello world"), 2, "{}", encoding.name());
            assert_eq!(Encoding::named(encoding.name()), Some(encoding));
        }
        assert_eq!(Encoding::Cl100k.count("tiktoken is great!"), 6);
        assert_eq!(Encoding::named("gpt2"), None);
    }

    #[test]
    fn a_limit_is_inclusive() {
        assert_eq!(Encoding::O200k.count_within("hello world", 2), Some(2));
        assert_eq!(Encoding::O200k.count_within("hello world", 1), None);
        assert_eq!(Encoding::O200k.count_within("", 0), Some(0));
    }

    #[test]
    fn any_two_letters_that_pair_up_are_a_token() {
        let letters = || (b'a'..=b'z').filter(|b| pairs_up(*b)).map(char::from);
        assert_eq!(letters().count(), 19);
        for encoding in Encoding::ALL {
            for pair in letters().flat_map(|a| letters().map(move |b| format!("{a}{b}"))) {
                assert_eq!(encoding.count(&pair), 1, "{} {pair}", encoding.name());
            }
        }
        assert_eq!(["", "a", "ab", "abc", "a b", "xx", "ä"].map(most), [0, 1, 1, 2, 3, 2, 2]);
    }

    proptest! {
        #[test]
        fn no_text_has_more_than_the_most(text in "([a-z]{0,9}|[acelmnrtuy]{1,30}|[jqxzv]{1,30}|\\PC|[ '_0-9A-Z]){0,30}") {
            for encoding in Encoding::ALL {
                prop_assert!(encoding.count(&text) <= most(&text));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn the_limit_agrees_with_the_count(text in "\\PC{0,60}", limit in 0_usize..40) {
            let count = Encoding::O200k.count(&text);
            prop_assert_eq!(Encoding::O200k.count_within(&text, limit), (count <= limit).then_some(count));
            prop_assert_eq!(Encoding::O200k.fits(&text, limit), count <= limit);
        }

        #[test]
        fn counts_are_those_of_the_tokenizer(text in "(\\PC|\\s|[a-z]{1,20}|'s){0,60}") {
            for encoding in Encoding::ALL {
                prop_assert_eq!(encoding.count(&text), encoding.tokenizer().count(text.as_str()));
            }
        }
    }
}
