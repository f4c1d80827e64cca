//! Words and their numbers.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

/// What a word is compared by: its first bytes from the highest on, and in the lowest how many it has, or that they are more than
/// fit. Keys that differ are in the order of their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u64, u64);

/// Bytes of a word that a key holds.
const HELD: usize = size_of::<Key>() - 1;

impl Key {
    /// The key of a word.
    pub(super) fn of(word: &str) -> Self {
        let bytes = word.as_bytes();
        // Pieces that lie over each other hold the same bytes there: no loop, and no call for a few bytes.
        let key = if let Some(start) = bytes.first_chunk() {
            u128::from_be_bytes(*start) | u128::from(u8::MAX)
        } else {
            let end = u8::BITS as usize * (HELD + 1 - bytes.len());
            let held = if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
                u128::from(u64::from_be_bytes(*first)) << 64 | u128::from(u64::from_be_bytes(*last)) << end
            } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
                u128::from(u32::from_be_bytes(*first)) << 96 | u128::from(u32::from_be_bytes(*last)) << end
            } else {
                bytes.iter().zip([120, 112, 104]).fold(0, |held, (byte, at)| held | u128::from(*byte) << at)
            };
            held | bytes.len() as u128
        };
        let [high, low] = [key >> 64, key & u128::from(u64::MAX)].map(|half| u64::try_from(half).unwrap_or_default());
        Self(high, low)
    }

    /// Whether it holds all of its word.
    pub(super) const fn is_whole(self) -> bool {
        self.1 & 0xff <= HELD as u64
    }
}

/// What words are hashed with: another one in every process, so that nobody can make words collide.
#[derive(Debug)]
struct Seeds {
    factors: [u128; 2],
    sum: u128,
    long: RandomState,
}

static SEEDS: LazyLock<Seeds> = LazyLock::new(|| {
    let long = RandomState::new();
    let random = |n: u64| u128::from(long.hash_one(n)) << 64 | u128::from(long.hash_one(!n));
    Seeds { factors: [random(1), random(2)], sum: random(3), long }
});

impl Seeds {
    /// Pair-multiply-shift: of any two keys the hashes are independent and every value is as likely as any other (Thorup, "High speed
    /// hashing for integers and strings", 2015, section 3). What a key doesn't hold is left to the hasher of the standard library.
    fn hash(&self, key: Key, word: &str) -> u64 {
        if !key.is_whole() {
            return self.long.hash_one(word);
        }
        let [a, b] = self.factors;
        let (high, low) = (u128::from(key.0), u128::from(key.1));
        let hash = a.wrapping_add(low).wrapping_mul(b.wrapping_add(high)).wrapping_add(self.sum) >> 64;
        u64::try_from(hash).unwrap_or_default()
    }
}

/// Words, each once, in one piece of memory; numbered from 0 in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    /// With what a word is compared by: a look at most words is a look at one place in memory.
    numbers: HashTable<(Key, u32)>,
    /// Where each word ends.
    ends: Vec<usize>,
    text: String,
}

impl Lexicon {
    /// The number of a word; the next one if it is new.
    pub(super) fn number(&mut self, word: &str) -> usize {
        let key = Key::of(word);
        self.hashed(SEEDS.hash(key, word), key, word)
    }

    fn hashed(&mut self, hash: u64, key: Key, word: &str) -> usize {
        let Self { numbers, ends, text } = self;
        let same = |(known, n): &(Key, u32)| *known == key && (key.is_whole() || at(ends, text, *n as usize) == word);
        let rehash = |(key, n): &(Key, u32)| SEEDS.hash(*key, at(ends, text, *n as usize));
        let new = ends.len();
        match numbers.entry(hash, same, rehash) {
            Entry::Occupied(known) => return known.get().1 as usize,
            Entry::Vacant(place) => {
                // Four thousand million words fit into no memory that this runs in.
                place.insert((key, u32::try_from(new).unwrap_or(u32::MAX)));
            }
        }
        text.push_str(word);
        ends.push(text.len());
        new
    }

    /// Forgets all words and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.ends.clear();
        self.text.clear();
    }

    /// The words with their keys and numbers, in the order of the words.
    pub(super) fn sorted(&self) -> Vec<(Key, u32)> {
        let mut all: Vec<(Key, u32)> = self.numbers.iter().copied().collect();
        all.sort_unstable_by(|(a, n), (b, m)| {
            a.cmp(b).then_with(|| if a.is_whole() { n.cmp(m) } else { self.word(*n).cmp(self.word(*m)) })
        });
        all
    }

    /// The word of a number.
    pub(super) fn word(&self, number: u32) -> &str {
        at(&self.ends, &self.text, number as usize)
    }

    /// Bytes of all words.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }
}

fn at<'t>(ends: &[usize], text: &'t str, n: usize) -> &'t str {
    let end = |n: usize| ends.get(n).copied().unwrap_or_default();
    text.get(n.checked_sub(1).map_or(0, end)..end(n)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORDS: &str = "[a-c]{0,3}|[a-c\\x00]{0,17}|aaaaaaaaaaaaaa[ab\\x00]{0,4}|[索é]{0,6}";

    proptest! {
        #[test]
        fn words_have_one_number_each(words in proptest::collection::vec(WORDS, 0..200)) {
            let mut lexicon = Lexicon::default();
            let numbers: Vec<usize> = words.iter().map(|w| lexicon.number(w)).collect();
            for (word, number) in words.iter().zip(numbers) {
                prop_assert_eq!(lexicon.word(u32::try_from(number).unwrap()), word);
            }
            let sorted: Vec<&str> = lexicon.sorted().into_iter().map(|(_, n)| lexicon.word(n)).collect();
            let expected: std::collections::BTreeSet<&str> = words.iter().map(String::as_str).collect();
            prop_assert_eq!(sorted, expected.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn equal_hashes_are_told_apart(words in proptest::collection::btree_set(WORDS, 0..20)) {
            // With room for all, so that they aren't hashed anew.
            let mut lexicon = Lexicon { numbers: HashTable::with_capacity(64), ..Lexicon::default() };
            for _ in 0..2 {
                for (n, word) in words.iter().enumerate() {
                    prop_assert_eq!(lexicon.hashed(7, Key::of(word), word), n);
                }
            }
        }

        #[test]
        fn keys_are_in_the_order_of_their_words(a in WORDS, b in WORDS) {
            let (one, other) = (Key::of(&a), Key::of(&b));
            prop_assert_eq!(one.is_whole(), a.len() <= HELD);
            prop_assert!(one == other && !one.is_whole() || one.cmp(&other) == a.cmp(&b));
            prop_assert!(one != other || a.as_bytes().get(..HELD) == b.as_bytes().get(..HELD));
            prop_assert!(one == other || SEEDS.hash(one, &a) != SEEDS.hash(other, &b));
        }
    }
}
