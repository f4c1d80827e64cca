//! Words and their numbers.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

/// The hash of a word. Keyed, another key in every process: nobody can make words collide.
pub(super) fn hash(word: &str) -> u64 {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    KEY.hash_one(word)
}

/// What a word is compared by: its first bytes, and in the last byte how many it has, or that they are more than fit.
type Key = [u8; 16];

fn key(word: &str) -> Key {
    let mut key = [0; 16];
    let [start @ .., length] = &mut key;
    let shown = word.len().min(start.len());
    for (to, from) in start.iter_mut().zip(word.as_bytes()) {
        *to = *from;
    }
    *length = if shown < word.len() { u8::MAX } else { shown.to_le_bytes()[0] };
    key
}

/// Words, each once, in one piece of memory; numbered from 0 in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    /// With what a word is compared by: a look at most words is a look at one place in memory.
    numbers: HashTable<(Key, u32)>,
    /// Of each word its hash and where it ends.
    all: Vec<(u64, usize)>,
    text: String,
}

impl Lexicon {
    /// The number of a word with its hash; the next one if it is new.
    pub(super) fn number(&mut self, hash: u64, word: &str) -> usize {
        let Self { numbers, all, text } = self;
        let key = key(word);
        let is_whole = key.last() != Some(&u8::MAX);
        let same = |(known, n): &(Key, u32)| *known == key && (is_whole || at(all, text, *n as usize) == word);
        let rehash = |(_, n): &(Key, u32)| all.get(*n as usize).map_or(0, |(hash, _)| *hash);
        let new = all.len();
        match numbers.entry(hash, same, rehash) {
            Entry::Occupied(known) => return known.get().1 as usize,
            Entry::Vacant(place) => {
                // Four thousand million words fit into no memory that this runs in.
                place.insert((key, u32::try_from(new).unwrap_or(u32::MAX)));
            }
        }
        text.push_str(word);
        all.push((hash, text.len()));
        new
    }

    /// The words with their hashes, in the order of their numbers.
    pub(super) fn words(&self) -> impl Iterator<Item = (u64, &str)> {
        self.all.iter().enumerate().map(|(n, (hash, _))| (*hash, at(&self.all, &self.text, n)))
    }
}

fn at<'t>(all: &[(u64, usize)], text: &'t str, n: usize) -> &'t str {
    let end = |n: usize| all.get(n).map_or(0, |(_, end)| *end);
    text.get(n.checked_sub(1).map_or(0, end)..end(n)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_have_one_number_each(words in proptest::collection::vec("[a-c]{0,3}|aaaaaaaaaaaaaa[ab\\x00]{0,4}", 0..200)) {
            let mut lexicon = Lexicon::default();
            let numbers: Vec<usize> = words.iter().map(|w| lexicon.number(hash(w), w)).collect();
            let told: Vec<String> = lexicon.words().map(|(_, w)| w.to_owned()).collect();
            for (word, number) in words.iter().zip(numbers) {
                prop_assert_eq!(&told[number], word);
            }
            prop_assert_eq!(told.iter().collect::<std::collections::BTreeSet<_>>().len(), told.len());
        }

        #[test]
        fn equal_hashes_are_told_apart(words in proptest::collection::btree_set("[a-c]{0,3}|aaaaaaaaaaaaaa[ab\\x00]{0,4}", 0..20)) {
            let mut lexicon = Lexicon::default();
            for (n, word) in words.iter().enumerate() {
                prop_assert_eq!(lexicon.number(7, word), n);
            }
            for (n, word) in words.iter().enumerate() {
                prop_assert_eq!(lexicon.number(7, word), n);
            }
        }
    }
}
