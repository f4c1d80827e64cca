//! How many tokens a text has at most, told without the vocabulary, which takes a tenth of a second
//! to load.
//!
//! Of two tokens that stand side by side in a row of letters the letters together are no token:
//! they would have been merged. So it is enough to know which two and three letters are a token in
//! every encoding, and to look for the way of cutting the row that gives the most pieces. What a
//! piece of several letters consists of is left open: another encoding may have it.

use std::sync::LazyLock;

/// Letters, the space before a word, and what stands for no sign.
const SIGNS: usize = 28;
const SPACE: u8 = 26;
const NONE: u8 = 27;

/// Which two and three signs are a token in every encoding: by all but the last a bit for each that
/// the last may be.
struct Short {
    pairs: [u32; SIGNS],
    triples: [u32; SIGNS * SIGNS],
}

impl Short {
    /// All bits if the signs are a token, or else none.
    fn pair(&self, b: u8, c: u8) -> u32 {
        is(self.pairs.get(usize::from(b)), c)
    }

    fn triple(&self, a: u8, b: u8, c: u8) -> u32 {
        is(self.triples.get(usize::from(a) * SIGNS + usize::from(b)), c)
    }
}

fn is(signs: Option<&u32>, sign: u8) -> u32 {
    (signs.copied().unwrap_or_default() >> sign & 1).wrapping_neg()
}

static SHORT: LazyLock<Short> = LazyLock::new(|| {
    let mut short = Short {
        pairs: [0; SIGNS],
        triples: [0; SIGNS * SIGNS],
    };
    for token in include_str!("short.txt").lines() {
        let signs: Vec<u8> = token.bytes().filter_map(sign).collect();
        let (signs, last) = match signs.as_slice() {
            [b, c] => (short.pairs.get_mut(usize::from(*b)), c),
            [a, b, c] => (
                short
                    .triples
                    .get_mut(usize::from(*a) * SIGNS + usize::from(*b)),
                c,
            ),
            _ => continue,
        };
        if let Some(signs) = signs {
            *signs |= 1 << last;
        }
    }
    short
});

const fn sign(byte: u8) -> Option<u8> {
    match byte {
        b'a'..=b'z' => Some(byte - b'a'),
        b' ' => Some(SPACE),
        _ => None,
    }
}

/// The most pieces that end at a place of a row, by the length of the last one.
#[derive(Debug, Clone, Copy, Default)]
struct Ends {
    one: u32,
    two: u32,
    /// Three or more.
    more: u32,
}

impl Ends {
    fn most(self) -> u32 {
        self.one.max(self.two).max(self.more)
    }
}

/// Bytes after which the quicker bound is asked about what is left,
const STEP: usize = 128;
/// or this part of what is left, if that is more: otherwise the work would grow with the square of
/// a text's length.
const PART: usize = 16;

/// Whether a text can't have more tokens than `limit`. A token with a byte outside of all rows is
/// counted as that byte; those that lie inside of one need not begin where it begins, nor end where
/// it ends. As soon as what is left can't have too many by the quicker bound either, the answer is
/// known.
pub(super) fn fit(bytes: &[u8], limit: usize) -> bool {
    let short = &*SHORT;
    let mut total = 0;
    let mut at = 0;
    let mut asked = 0;
    while let Some(first) = bytes.get(at) {
        let follows = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let mut next = sign(*first).filter(|sign| *sign != SPACE || follows);
        if next.is_none() {
            total += 1;
            at += 1;
            continue;
        }
        // What ends at the last place, at the one before, and at the one before that; and the last
        // two signs.
        let (mut last, mut before, mut earlier) =
            (Ends::default(), Ends::default(), Ends::default());
        let (mut a, mut b) = (NONE, NONE);
        let mut most = 0;
        while let Some(c) = next {
            let (pair, triple) = (short.pair(b, c), short.triple(a, b, c));
            let [has_two, has_three] = [b, a].map(|sign| u32::from(sign != NONE).wrapping_neg());
            let one = 1 + last.more.max(last.one & !pair).max(last.two & !triple);
            let two = (1 + before.two.max(before.more).max(before.one & !triple)) & has_two;
            let more = last.more.max(1 + earlier.most()) & has_three;
            (earlier, before, last) = (before, last, Ends { one, two, more });
            most = most.max(last.most());
            (a, b) = (b, c);
            at += 1;
            next = bytes
                .get(at)
                .copied()
                .filter(u8::is_ascii_lowercase)
                .and_then(sign);
        }
        total += most as usize;
        if total > limit {
            return false;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        if at - asked >= STEP.max(rest.len() / PART) {
            asked = at;
            if super::most(rest) <= limit - total {
                return true;
            }
        }
    }
    total <= limit
}

#[cfg(test)]
mod tests {
    use super::super::Encoding;
    use super::*;

    #[test]
    fn the_list_is_that_of_the_encodings() {
        let letters = || ('a'..='z').map(String::from);
        let firsts = || letters().chain([" ".to_owned()]);
        let pairs = firsts().flat_map(|a| letters().map(move |b| format!("{a}{b}")));
        let triples = pairs
            .clone()
            .flat_map(|ab| letters().map(move |c| format!("{ab}{c}")));
        let mut all: Vec<String> = pairs
            .chain(triples)
            .filter(|text| Encoding::ALL.iter().all(|e| e.count(text) == 1))
            .collect();
        all.sort();
        assert_eq!(include_str!("short.txt").lines().collect::<Vec<_>>(), all);
    }

    #[test]
    fn a_token_of_one_encoding_alone_is_a_piece() {
        let letters = || ('a'..='z').map(String::from);
        let pairs = letters().flat_map(|a| letters().map(move |b| format!("{a}{b}")));
        let known = |pair: &String| Encoding::ALL.map(|e| e.count(pair));
        let alone: Vec<String> = pairs
            .filter(|pair| known(pair)[0] != known(pair)[1])
            .collect();
        assert!(alone.len() > 20);
        for pair in alone {
            for row in letters()
                .flat_map(|a| letters().map(move |b| (a.clone(), b)))
                .map(|(a, b)| format!("{a}{pair}{b}"))
            {
                for encoding in Encoding::ALL {
                    assert!(
                        !fit(row.as_bytes(), encoding.count(&row) - 1),
                        "{} {row}",
                        encoding.name()
                    );
                }
            }
        }
    }

    /// Were the quicker bound asked about the rest of it all along, this would take minutes.
    #[test]
    fn a_long_text_is_looked_at_a_few_times() {
        let text = "the zq vx ".repeat(400_000);
        let most = super::super::most(text.as_bytes());
        let limit = Encoding::default().count(&text);
        assert!(limit < most && !fit(text.as_bytes(), limit - 1) && fit(text.as_bytes(), most - 1));
    }

    #[test]
    fn rows_are_cut_into_as_many_pieces_as_may_stand_side_by_side() {
        let texts = [
            "", "a", "ab", "zq", "the", "zqzq", " the", "1 a", "A b", "  ", "the the", "cgjb",
            "cqvj",
        ];
        let most = |text: &str| (0..9).find(|limit| fit(text.as_bytes(), *limit));
        assert_eq!(
            texts.map(most),
            [0, 1, 1, 2, 1, 4, 2, 2, 2, 2, 3, 3, 3].map(Some)
        );
    }
}
