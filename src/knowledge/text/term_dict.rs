//! Words, each once, and what is known of them.

use hashbrown::HashTable;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

/// What a word is compared by: its first bytes from the highest on, and in the lowest how many it
/// has, or that they are more than fit. Keys that differ are in the order of their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u64, u64);

/// Bytes of a word that a key holds.
const HELD: usize = size_of::<Key>() - 1;

impl Key {
    /// The key of a word.
    pub(super) fn of(word: &str) -> Self {
        let bytes = word.as_bytes();
        // Pieces that lie over each other hold the same bytes there: no loop, and no call for a few
        // bytes.
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

    /// Whether it holds all of its word.
    pub(super) const fn is_whole(self) -> bool {
        self.1 & 0xff <= HELD as u64
    }

    /// The bytes that it holds, and how many of them are of its word.
    pub(super) fn bytes(self) -> ([u8; HELD + 1], usize) {
        let bytes = (u128::from(self.0) << 64 | u128::from(self.1)).to_be_bytes();
        (bytes, usize::from(bytes[HELD]).min(HELD))
    }
}

/// What keys are hashed with: other numbers in every process, so that nobody can make words
/// collide.
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
    /// Pair-multiply-shift: of any two keys the hashes are independent, and every value is as
    /// likely as any other (Thorup, "High speed hashing for integers and strings", 2015, section
    /// 3).
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

/// A word as it is looked for. Made before it is, so that looks at several words can go on at a
/// time.
#[derive(Debug)]
pub(super) struct HashedTerm {
    key: Key,
    hash: u64,
    /// What the key can't hold.
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

/// Words, each once, with something that is known of each.
#[derive(Debug, Default)]
pub(super) struct TermDict<T> {
    /// By their keys: all that a look at a word needs lies in one place.
    short: HashTable<(Key, T)>,
    /// What no key holds.
    long: HashMap<Box<str>, T>,
}

impl<T: Default> TermDict<T> {
    /// What is known of a word.
    pub(super) fn of(&mut self, HashedTerm { key, hash, long }: HashedTerm) -> &mut T {
        if let Some(word) = long {
            return self.long.entry(word).or_default();
        }
        let known = self
            .short
            .entry(hash, |known| known.0 == key, |known| SEEDS.hash(known.0));
        &mut known.or_insert_with(|| (key, T::default())).into_mut().1
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }

    /// The words in their order, as keys and what a key can't hold, with what is known of them.
    /// Forgets them and keeps the memory.
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
            // Twice, since it is used again.
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
            // With room for all, so that they aren't hashed anew.
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
