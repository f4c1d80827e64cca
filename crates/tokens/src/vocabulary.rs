//! The tokens of an encoding, and byte-pair encoding with them.

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::LazyLock;

/// Length in bytes of the longest token.
const LONGEST: usize = 128;

/// The tokens of an encoding with their ranks. Lower ranks are merged first.
#[derive(Debug)]
pub(crate) struct Vocabulary<'p> {
    ranks: FxHashMap<&'p [u8], u32>,
}

static O200K_PACKED: LazyLock<Vec<u8>> = LazyLock::new(|| unpack(include_bytes!("o200k_base.zst")));
static CL100K_PACKED: LazyLock<Vec<u8>> =
    LazyLock::new(|| unpack(include_bytes!("cl100k_base.zst")));
pub(crate) static O200K: LazyLock<Vocabulary<'_>> =
    LazyLock::new(|| Vocabulary::new(&O200K_PACKED));
pub(crate) static CL100K: LazyLock<Vocabulary<'_>> =
    LazyLock::new(|| Vocabulary::new(&CL100K_PACKED));

/// Unpacks a built-in vocabulary. A test checks that this works. With an empty vocabulary, each
/// byte would count as a token, which is never too few.
fn unpack(compressed: &[u8]) -> Vec<u8> {
    zstd::decode_all(compressed).unwrap_or_default()
}

/// Returns the tokens of an unpacked vocabulary, by rank. Each token is stored as its length in one
/// byte, then its bytes.
fn tokens(mut packed: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = packed.split_first()?;
        let (token, rest) = rest.split_at_checked(usize::from(*length))?;
        packed = rest;
        Some(token)
    })
}

impl<'p> Vocabulary<'p> {
    fn new(packed: &'p [u8]) -> Self {
        Self {
            ranks: tokens(packed).zip(0..).collect(),
        }
    }

    fn rank(&self, bytes: &[u8]) -> Option<u32> {
        if bytes.len() > LONGEST {
            return None;
        }
        self.ranks.get(bytes).copied()
    }

    /// Returns the number of tokens in a piece. As long as two neighbours form a token, the pair
    /// with the lowest rank is merged; of equal ranks, the first. The work is `n log n`, which also
    /// bounds hostile pieces of many megabytes.
    pub(crate) fn count(&self, piece: &[u8]) -> usize {
        if piece.len() < 2 || self.rank(piece).is_some() {
            return piece.len().min(1);
        }
        let mut parts = Parts::new(piece);
        let mut pairs: BinaryHeap<Reverse<(u32, usize)>> = (0..piece.len())
            .filter_map(|start| Some(Reverse((self.rank(parts.pair(start)?)?, start))))
            .collect();
        while let Some(Reverse((rank, start))) = pairs.pop() {
            // A part of the pair may have been merged in the meantime.
            if parts.pair(start).and_then(|pair| self.rank(pair)) != Some(rank) {
                continue;
            }
            parts.merge(start);
            for start in [Some(start), parts.before(start)].into_iter().flatten() {
                if let Some(rank) = parts.pair(start).and_then(|pair| self.rank(pair)) {
                    pairs.push(Reverse((rank, start)));
                }
            }
        }
        parts.number
    }
}

/// A piece, split into the parts that are merged so far.
struct Parts<'t> {
    piece: &'t [u8],
    /// For each byte and for the end, whether a part starts there.
    begins: Vec<bool>,
    number: usize,
}

impl<'t> Parts<'t> {
    /// Creates a part for each byte.
    fn new(piece: &'t [u8]) -> Self {
        Self {
            piece,
            begins: vec![true; piece.len() + 1],
            number: piece.len(),
        }
    }

    /// Returns the start of the next part, or the end. A part is a token, so the search is short.
    fn next(&self, start: usize) -> Option<usize> {
        let behind = self.begins.get(start + 1..)?;
        Some(start + 1 + behind.iter().position(|begins| *begins)?)
    }

    fn before(&self, start: usize) -> Option<usize> {
        self.begins.get(..start)?.iter().rposition(|begins| *begins)
    }

    /// Returns the bytes of the part at `start` and the next one, if both exist.
    fn pair(&self, start: usize) -> Option<&'t [u8]> {
        self.begins.get(start).filter(|begins| **begins)?;
        self.piece.get(start..self.next(self.next(start)?)?)
    }

    /// Merges the part at `start` with the next one.
    fn merge(&mut self, start: usize) {
        if let Some(begins) = self.next(start).and_then(|at| self.begins.get_mut(at)) {
            *begins = false;
            self.number -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    use proptest::prelude::*;
    use sha2::{Digest as _, Sha256};

    #[test]
    fn the_vocabularies_are_the_published_ones() {
        for (packed, number, hash) in [
            (
                &O200K_PACKED,
                199_998,
                "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
            ),
            (
                &CL100K_PACKED,
                100_256,
                "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
            ),
        ] {
            let mut published = String::new();
            for (rank, token) in tokens(packed).enumerate() {
                assert!(token.len() <= LONGEST);
                published.push_str(&format!("{} {rank}\n", BASE64_STANDARD.encode(token)));
            }
            assert_eq!(published.lines().count(), number);
            let hex: String = Sha256::digest(&published)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert_eq!(hex, hash);
        }
    }

    #[test]
    fn every_byte_is_a_token() {
        for vocabulary in [&*O200K, &*CL100K] {
            assert!((0..=u8::MAX).all(|byte| vocabulary.rank(&[byte]).is_some()));
        }
    }

    /// Counts by definition: each merge looks up all pairs.
    fn slowly(vocabulary: &Vocabulary<'_>, piece: &[u8]) -> usize {
        let mut parts: Vec<Vec<u8>> = piece.iter().map(|byte| vec![*byte]).collect();
        loop {
            let ranks = parts
                .windows(2)
                .enumerate()
                .filter_map(|(n, pair)| Some((vocabulary.rank(&pair.concat())?, n)));
            let Some((_, first)) = ranks.min() else {
                return parts.len();
            };
            let second = parts.remove(first + 1);
            parts[first].extend(second);
        }
    }

    proptest! {
        #[test]
        fn a_count_is_that_of_the_definition(piece in "[a-e]{0,40}|[ a-zA-Z]{0,30}|\\PC{0,20}|(ab|ing|=|-){0,30}") {
            for vocabulary in [&*O200K, &*CL100K] {
                prop_assert_eq!(vocabulary.count(piece.as_bytes()), slowly(vocabulary, piece.as_bytes()));
            }
        }
    }

    /// If each merge read the whole piece, this would take hours.
    #[test]
    fn a_long_piece_takes_no_square_of_its_length() {
        assert_eq!(O200K.count("a".repeat(400_000).as_bytes()), 50_000);
    }
}
