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

/// Words, each once, in one piece of memory; numbered from 0 in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    numbers: HashTable<usize>,
    /// Of each word its hash and where it ends.
    all: Vec<(u64, usize)>,
    text: String,
}

impl Lexicon {
    /// The number of a word with its hash; the next one if it is new.
    pub(super) fn number(&mut self, hash: u64, word: &str) -> usize {
        let Self { numbers, all, text } = self;
        let same = |n: &usize| all.get(*n).is_some_and(|(other, _)| *other == hash) && at(all, text, *n) == word;
        let rehash = |n: &usize| all.get(*n).map_or(0, |(hash, _)| *hash);
        let new = all.len();
        match numbers.entry(hash, same, rehash) {
            Entry::Occupied(known) => return *known.get(),
            Entry::Vacant(place) => {
                place.insert(new);
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
        fn words_have_one_number_each(words in proptest::collection::vec("[a-c]{0,3}", 0..200)) {
            let mut lexicon = Lexicon::default();
            let numbers: Vec<usize> = words.iter().map(|w| lexicon.number(hash(w), w)).collect();
            let told: Vec<String> = lexicon.words().map(|(_, w)| w.to_owned()).collect();
            for (word, number) in words.iter().zip(numbers) {
                prop_assert_eq!(&told[number], word);
            }
            prop_assert_eq!(told.iter().collect::<std::collections::BTreeSet<_>>().len(), told.len());
        }

        #[test]
        fn equal_hashes_are_told_apart(words in proptest::collection::btree_set("[a-c]{0,3}", 0..20)) {
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
