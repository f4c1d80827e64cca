//! How many tokens a text is for a model: counted by a real tokenizer, never guessed from
//! characters.

#![expect(clippy::inline_always, reason = "see `text_simd::at_best`")]

mod cache;
mod rows;
mod split;

use cache::Cache;
use regex_syntax::hir::{Class, Hir, HirKind};
use split::Pieces;
use std::cell::RefCell;
use text_simd::{self, CHUNK, Kinds as _};

thread_local! {
    /// A cache for each encoding, since counting is done on all cores.
    static CACHES: [RefCell<Cache>; 2] = [RefCell::new(Cache::new()), RefCell::new(Cache::new())];
}

/// A tokenizer whose vocabulary is built into the program. Reports name the one that they counted
/// with.
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

    /// Loads the vocabulary, which takes a tenth of a second: for those who have something else to
    /// do meanwhile.
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
        // The second is told more slowly, and is the lower one.
        if most(text.as_bytes()) <= limit || rows::fit(text.as_bytes(), limit) {
            return true;
        }
        self.counted(|count| {
            let (mut left, mut bytes) = (limit, text.len());
            for piece in Pieces::of(self, text) {
                // What is left has at most as many tokens as bytes.
                if bytes <= left {
                    return true;
                }
                let Some(less) = left.checked_sub(count(piece)) else {
                    return false;
                };
                left = less;
                bytes -= piece.len();
            }
            true
        })
    }

    /// Does something with the count of pieces.
    fn counted<T>(self, with: impl FnOnce(&mut dyn FnMut(&str) -> usize) -> T) -> T {
        CACHES.with(|[newer, older]| {
            let cache = if self == Encoding::O200k {
                newer
            } else {
                older
            };
            let mut cache = cache.borrow_mut();
            with(&mut |piece| {
                cache.count(piece.as_bytes(), |piece| self.tokenizer().bpe.count(piece))
            })
        })
    }
}

/// More tokens than this a text hasn't, in either encoding. Where any two letters are a token, no
/// two tokens of one letter are neighbours: they would have been merged. So `n` such letters in a
/// row are at most `(2n + 1) / 3` tokens, the space before them counted as one of them; and any
/// other byte is one at most.
fn most(bytes: &[u8]) -> usize {
    text_simd::dispatch(Most {
        letters: 0,
        rows: 0,
        before: Letters::default(),
        bytes,
    })
}

/// A text while its letters are counted.
struct Most<'t> {
    /// In rows, with the spaces before those.
    letters: usize,
    rows: usize,
    /// Of the stretch before.
    before: Letters,
    bytes: &'t [u8],
}

/// A bit for each byte of a stretch.
#[derive(Debug, Clone, Copy, Default)]
struct Letters {
    /// Small letters any two of which are a token, but for `yf`: rare letters don't go with each
    /// other.
    paired: u64,
    f: u64,
    y: u64,
    space: u64,
}

impl Letters {
    #[inline(always)]
    fn of(stretch: &[u8; CHUNK]) -> Self {
        let lanes = text_simd::lanes(stretch);
        let rare = |l: text_simd::Lanes| {
            l.within(b'j', b'k') | l.are(b'q') | l.are(b'v') | l.are(b'x') | l.are(b'z')
        };
        let are = |byte| text_simd::word(lanes.map(|l| l.are(byte)));
        Self {
            paired: text_simd::word(lanes.map(|l| l.within(b'a', b'z') & !rare(l))),
            f: are(b'f'),
            y: are(b'y'),
            space: are(b' '),
        }
    }
}

impl Most<'_> {
    #[inline(always)]
    fn stretch(&mut self, stretch: &[u8; CHUNK]) {
        let (now, before) = (Letters::of(stretch), self.before);
        let behind = |now: u64, before: u64| now << 1 | before >> (CHUNK - 1);
        let begins = !behind(now.paired, before.paired) | now.f & behind(now.y, before.y);
        let spaces = now.paired & behind(now.space, before.space);
        self.letters += (now.paired.count_ones() + spaces.count_ones()) as usize;
        self.rows += (now.paired & begins).count_ones() as usize;
        self.before = now;
    }
}

impl text_simd::Work for Most<'_> {
    type Output = usize;

    #[inline(always)]
    fn call(mut self) -> usize {
        let (stretches, rest) = self.bytes.as_chunks();
        for stretch in stretches {
            self.stretch(stretch);
        }
        self.stretch(&text_simd::first(rest));
        (2 * self.letters + self.rows) / 3 + self.bytes.len() - self.letters
    }
}

/// Characters of a class as regular expressions write it, as ranges that rise, ends included.
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

    /// Counts that are published with the encodings or were taken from the reference
    /// implementation.
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
        let pairs = |byte: u8| Letters::of(&[byte; CHUNK]).paired == !0;
        let letters = || (0..=255).filter(|b| pairs(*b)).map(char::from);
        assert_eq!(letters().collect::<String>(), "abcdefghilmnoprstuwy");
        for encoding in Encoding::ALL {
            for b in letters() {
                assert_eq!(
                    encoding.count(&format!(" {b}")),
                    1,
                    "{} {b}",
                    encoding.name()
                );
                for a in letters().filter(|a| (*a, b) != ('y', 'f')) {
                    assert_eq!(
                        encoding.count(&format!("{a}{b}")),
                        1,
                        "{} {a}{b}",
                        encoding.name()
                    );
                }
            }
        }
        let texts = [
            "",
            "a",
            "ab",
            "abc",
            "a b",
            " ab",
            "xx",
            "yf",
            "ä",
            &"ab".repeat(60),
        ];
        assert_eq!(
            texts.map(|text| most(text.as_bytes())),
            [0, 1, 1, 2, 2, 2, 2, 2, 2, 80]
        );
    }

    proptest! {
        #[test]
        fn no_text_has_more_than_the_most(text in "([a-z]{0,9}|[acelmnrtuy]{1,30}|[jqxzv]{1,30}|\\PC|[ '_0-9A-Z]){0,60}", limit in 0_usize..600) {
            for encoding in Encoding::ALL {
                let count = encoding.count(&text);
                prop_assert!(count <= most(text.as_bytes()));
                prop_assert!(count <= limit || !rows::fit(text.as_bytes(), limit));
                prop_assert!(count == 0 || !rows::fit(text.as_bytes(), count - 1));
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
