//! The counts of short pieces, remembered: most of a text is the same few words again.

use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher as _;

/// Bytes of the longest piece that is remembered.
const LONGEST: usize = 31;
/// Pieces that are remembered at most, a power of two. Each has one place, which the next one to
/// fall on it takes, so that nothing that a text holds makes this grow or slow.
const PLACES: usize = 1 << 16;

/// Counts by pieces.
#[derive(Debug)]
pub(super) struct Cache {
    /// The bytes of a piece, and their number in the last byte; 0 where there is none.
    keys: Vec<[u64; 4]>,
    counts: Vec<u8>,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self {
            keys: vec![[0; 4]; PLACES],
            counts: vec![0; PLACES],
        }
    }

    /// The count of a piece, which `count` gives when it isn't known.
    pub(super) fn count(&mut self, piece: &[u8], count: impl Fn(&[u8]) -> usize) -> usize {
        let mut key = [0; 32];
        let Some(start) = key
            .get_mut(..piece.len())
            .filter(|_| piece.len() <= LONGEST)
        else {
            return count(piece);
        };
        start.copy_from_slice(piece);
        // At most 31.
        key[LONGEST] = piece.len().to_le_bytes()[0];
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(key.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let key = words;
        let place = place(key);
        let (Some(known), Some(kept)) = (self.keys.get_mut(place), self.counts.get_mut(place))
        else {
            return count(piece);
        };
        if *known != key {
            // A piece has at most as many tokens as bytes.
            let Ok(new) = u8::try_from(count(piece)) else {
                return count(piece);
            };
            (*known, *kept) = (key, new);
        }
        usize::from(*kept)
    }
}

/// Whoever makes pieces collide makes them be counted again, and nothing else: the hash needs no
/// key.
fn place(key: [u64; 4]) -> usize {
    usize::try_from(FxBuildHasher.hash_one(key) % PLACES as u64).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever was asked before, and whoever shares a place.
        #[test]
        fn counts_are_those_that_were_given(pieces in proptest::collection::vec("[a-c\\x00]{0,34}", 0..200)) {
            let mut cache = Cache::new();
            let count = |piece: &[u8]| piece.iter().map(|b| usize::from(*b == b'a')).sum();
            for piece in &pieces {
                prop_assert_eq!(cache.count(piece.as_bytes(), count), count(piece.as_bytes()));
            }
        }
    }

    #[test]
    fn who_shares_a_place_is_told_apart() {
        let mut cache = Cache::new();
        for round in 0..2 {
            for n in 0..3 * PLACES {
                let text = format!("{n:b}x");
                let short = text.as_bytes();
                assert_eq!(
                    cache.count(short, |p| p.len()),
                    short.len(),
                    "{round} {text}"
                );
            }
        }
    }
}
