//! How many tokens a text has at most, told without the vocabulary, which takes a tenth of a second to load.
//!
//! Of two tokens that stand side by side in a row of letters the letters together are no token: they would have been merged. So it is
//! enough to know all tokens of two and three letters, and to look for the way of cutting the row that gives the most pieces.

use std::sync::LazyLock;

/// Letters, and the space before a word.
const SIGNS: usize = 27;
const SPACE: u8 = 26;

/// Which two and three signs are a token in every encoding.
struct Short {
    pairs: Vec<bool>,
    triples: Vec<bool>,
}

static SHORT: LazyLock<Short> = LazyLock::new(|| {
    let mut short = Short { pairs: vec![false; SIGNS * SIGNS], triples: vec![false; SIGNS * SIGNS * SIGNS] };
    for token in include_str!("short.txt").lines() {
        let signs: Vec<u8> = token.bytes().filter_map(sign).collect();
        let place = match signs.as_slice() {
            [a, b] => short.pairs.get_mut(pair(*a, *b)),
            [a, b, c] => short.triples.get_mut(triple(*a, *b, *c)),
            _ => None,
        };
        if let Some(place) = place {
            *place = true;
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

const fn pair(a: u8, b: u8) -> usize {
    a as usize * SIGNS + b as usize
}

const fn triple(a: u8, b: u8, c: u8) -> usize {
    pair(a, b) * SIGNS + c as usize
}

/// The most pieces that end at a place of a row, by the length of the last one.
#[derive(Debug, Clone, Copy, Default)]
struct Ends {
    one: usize,
    two: usize,
    /// Three or more.
    more: usize,
}

impl Ends {
    fn most(self) -> usize {
        self.one.max(self.two).max(self.more)
    }
}

/// More tokens than this a text hasn't. A token with a byte outside of all rows is counted as that byte; those that lie inside of one need
/// not begin where it begins, nor end where it ends.
pub(super) fn most(text: &str) -> usize {
    let short = &*SHORT;
    let is_pair = |a, b| short.pairs.get(pair(a, b)).is_some_and(|is| *is);
    let is_triple = |a, b, c| short.triples.get(triple(a, b, c)).is_some_and(|is| *is);
    let bytes = text.as_bytes();
    let mut total = 0;
    let mut at = 0;
    while let Some(first) = bytes.get(at) {
        let follows = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let mut next = sign(*first).filter(|sign| *sign != SPACE || follows);
        if next.is_none() {
            total += 1;
            at += 1;
            continue;
        }
        // What ends at the last place, at the one before, and at the one before that; and the last two signs.
        let (mut last, mut before, mut earlier) = (Ends::default(), Ends::default(), Ends::default());
        let (mut a, mut b) = (None, None);
        let mut most = 0;
        while let Some(c) = next {
            let is_token = (b.is_some_and(|b| is_pair(b, c)), a.zip(b).is_some_and(|(a, b)| is_triple(a, b, c)));
            let unless = |is_token: bool, pieces: usize| if is_token { 0 } else { pieces };
            let one = 1 + last.more.max(unless(is_token.0, last.one)).max(unless(is_token.1, last.two));
            let two = if is_token.0 { 1 + before.two.max(before.more).max(unless(is_token.1, before.one)) } else { 0 };
            let more = if a.is_some() { last.more.max(1 + earlier.most()) } else { 0 };
            (earlier, before, last) = (before, last, Ends { one, two, more });
            most = most.max(last.most());
            (a, b) = (b, Some(c));
            at += 1;
            next = bytes.get(at).copied().filter(u8::is_ascii_lowercase).and_then(sign);
        }
        total += most;
    }
    total
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
        let triples = pairs.clone().flat_map(|ab| letters().map(move |c| format!("{ab}{c}")));
        let mut all: Vec<String> = pairs.chain(triples).filter(|text| Encoding::ALL.iter().all(|e| e.count(text) == 1)).collect();
        all.sort();
        assert_eq!(include_str!("short.txt").lines().collect::<Vec<_>>(), all);
    }

    #[test]
    fn rows_are_cut_into_as_many_pieces_as_may_stand_side_by_side() {
        let texts = ["", "a", "ab", "zq", "the", "zqzq", " the", "1 a", "A b", "  ", "the the"];
        assert_eq!(texts.map(most), [0, 1, 1, 2, 1, 4, 2, 2, 2, 2, 3]);
    }
}
