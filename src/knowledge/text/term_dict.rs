//! A dictionary of words with a value for each.

use hashbrown::HashTable;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

/// The key that words are compared by: the first bytes of the word in big-endian order, with the
/// length, or that it exceeds the key, in the lowest byte. Different keys are ordered as their
/// words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u64, u64);

/// Maximum number of bytes of a word in a key.
const HELD: usize = size_of::<Key>() - 1;

impl Key {
    /// Computes the key of a word.
    pub(super) fn of(word: &str) -> Self {
        let bytes = word.as_bytes();
        // Overlapping chunks hold the same bytes in the overlap, so this needs no loop and no call
        // for a few bytes.
        let key = if let Some(start) = bytes.first_chunk() {
            u128::from_be_bytes(*start) | u128::from(u8::MAX)
        } else {
            let end = u8::BITS as usize * (HELD + 1 - bytes.len());
            let held = if let (Some(first), Some(last)) =
                (bytes.first_chunk::<8>(), bytes.last_chunk::<8>())
            {
                u128::from(u64::from_be_bytes(*first)) << 64
                    | u128::from(u64::from_be_bytes(*last)) << end
            } else if let (Some(first), Some(last)) =
                (bytes.first_chunk::<4>(), bytes.last_chunk::<4>())
            {
                u128::from(u32::from_be_bytes(*first)) << 96
                    | u128::from(u32::from_be_bytes(*last)) << end
            } else {
                bytes
                    .iter()
                    .zip([120, 112, 104])
                    .fold(0, |held, (byte, at)| held | u128::from(*byte) << at)
            };
            held | bytes.len() as u128
        };
        let [high, low] = [key >> 64, key & u128::from(u64::MAX)]
            .map(|half| u64::try_from(half).unwrap_or_default());
        Self(high, low)
    }

    /// Whether the key contains the whole word.
    pub(super) const fn is_whole(self) -> bool {
        self.1 & 0xff <= HELD as u64
    }

    /// Returns the bytes of the key, and how many of them belong to the word.
    pub(super) fn bytes(self) -> ([u8; HELD + 1], usize) {
        let bytes = (u128::from(self.0) << 64 | u128::from(self.1)).to_be_bytes();
        (bytes, usize::from(bytes[HELD]).min(HELD))
    }
}

/// Random seeds of the hash function, different in every process, so that an attacker can't cause
/// collisions.
#[derive(Debug)]
struct Seeds {
    factors: [u128; 2],
    sum: u128,
}

static SEEDS: LazyLock<Seeds> = LazyLock::new(|| {
    let random = RandomState::new();
    let random = |n: u64| u128::from(random.hash_one(n)) << 64 | u128::from(random.hash_one(!n));
    Seeds {
        factors: [random(1), random(2)],
        sum: random(3),
    }
});

impl Seeds {
    /// Hashes with pair-multiply-shift: the hashes of any two keys are independent and uniformly
    /// distributed (Thorup, "High speed hashing for integers and strings", 2015, section 3).
    fn hash(&self, key: Key) -> u64 {
        let [a, b] = self.factors;
        let (high, low) = (u128::from(key.0), u128::from(key.1));
        let hash = a
            .wrapping_add(low)
            .wrapping_mul(b.wrapping_add(high))
            .wrapping_add(self.sum)
            >> 64;
        u64::try_from(hash).unwrap_or_default()
    }
}

/// A word with its hash, computed in advance so that lookups of several words can overlap.
#[derive(Debug)]
pub(super) struct HashedTerm {
    key: Key,
    hash: u64,
    /// The word, if it exceeds the key.
    long: Option<Box<str>>,
}

impl HashedTerm {
    pub(super) fn new(word: &str) -> Self {
        let key = Key::of(word);
        let long = if key.is_whole() {
            None
        } else {
            Some(word.into())
        };
        Self {
            key,
            hash: SEEDS.hash(key),
            long,
        }
    }
}

/// A dictionary of words with a value for each.
#[derive(Debug, Default)]
pub(super) struct TermDict<T> {
    /// Words that fit their key. A lookup needs only one place in memory.
    short: HashTable<(Key, T)>,
    /// Words that exceed their key.
    long: HashMap<Box<str>, T>,
}

impl<T: Default> TermDict<T> {
    /// Returns the value of a word, inserting a default.
    pub(super) fn of(&mut self, HashedTerm { key, hash, long }: HashedTerm) -> &mut T {
        if let Some(word) = long {
            return self.long.entry(word).or_default();
        }
        let known = self
            .short
            .entry(hash, |known| known.0 == key, |known| SEEDS.hash(known.0));
        &mut known.or_insert_with(|| (key, T::default())).into_mut().1
    }

    /// Returns the number of words.
    pub(super) fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }

    /// Returns the words in order, as keys and whole words that exceed them, with their values.
    /// Clears the dictionary, but keeps its memory.
    pub(super) fn sorted(&mut self) -> Vec<(Key, Option<Box<str>>, T)> {
        let long = self
            .long
            .drain()
            .map(|(word, value)| (Key::of(&word), Some(word), value));
        let mut all: Vec<_> = self
            .short
            .drain()
            .map(|(key, value)| (key, None, value))
            .chain(long)
            .collect();
        all.sort_unstable_by(|(a, long, _), (b, other, _)| a.cmp(b).then_with(|| long.cmp(other)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const WORDS: &str = "[a-c]{0,3}|[a-c\\x00]{0,17}|aaaaaaaaaaaaaa[ab\\x00]{0,4}|[索é]{0,6}";

    proptest! {
        #[test]
        fn words_are_known_once_each(words in proptest::collection::vec(WORDS, 0..200)) {
            let mut lexicon: TermDict<u32> = TermDict::default();
            // Twice, since a dictionary is reused.
            for _ in 0..2 {
                let mut expected: BTreeMap<&str, u32> = BTreeMap::new();
                for word in &words {
                    *lexicon.of(HashedTerm::new(word)) += 1;
                    *expected.entry(word).or_default() += 1;
                }
                let sorted = lexicon.sorted().into_iter().map(|(key, long, count)| {
                    let (bytes, length) = key.bytes();
                    (long.map_or_else(|| String::from_utf8(bytes[..length].to_vec()).unwrap(), String::from), count)
                });
                prop_assert!(sorted.eq(expected.into_iter().map(|(word, count)| (word.to_owned(), count))));
            }
        }

        #[test]
        fn equal_hashes_are_told_apart(words in proptest::collection::btree_set(WORDS, 0..20)) {
            // With capacity for all words, so that the table isn't rehashed.
            let mut lexicon: TermDict<usize> = TermDict { short: HashTable::with_capacity(64), long: HashMap::new() };
            for round in 0..2 {
                for (n, word) in words.iter().enumerate() {
                    let value = lexicon.of(HashedTerm { hash: 7, ..HashedTerm::new(word) });
                    prop_assert_eq!(*value, n * round);
                    *value = n;
                }
            }
        }

        #[test]
        fn keys_are_in_the_order_of_their_words(a in WORDS, b in WORDS) {
            let (one, other) = (Key::of(&a), Key::of(&b));
            prop_assert_eq!(one.is_whole(), a.len() <= HELD);
            prop_assert!(one == other && !one.is_whole() || one.cmp(&other) == a.cmp(&b));
            prop_assert!(one != other || a.as_bytes().get(..HELD) == b.as_bytes().get(..HELD));
            prop_assert!(one == other || SEEDS.hash(one) != SEEDS.hash(other));
        }
    }
}
