#![doc = include_str!("../README.md")]
#![expect(
    clippy::inline_always,
    reason = "what isn't inlined there isn't compiled for the best instructions"
)]

pub use wide::u8x16 as Lanes;

/// Number of bytes in a chunk: one for each bit of a `u64`.
pub const CHUNK: usize = 64;

/// Work for [`dispatch`]. Its `call` and everything that it calls must be inlined. Functions that
/// aren't inlined aren't compiled for newer instructions.
pub use pulp::NullaryFnOnce as Work;

/// Runs work with the best instructions that the processor has.
pub fn dispatch<W: Work>(work: W) -> W::Output {
    pulp::Arch::new().dispatch(work)
}

/// Classifies bytes. In the result, all bits of a lane are set if its byte is in the class, else
/// none.
pub trait Kinds: Sized {
    /// Selects the lanes with this byte.
    fn are(self, byte: u8) -> Self;
    /// Selects the lanes with a byte from `first` to `last`.
    fn within(self, first: u8, last: u8) -> Self;
    /// Sets the bit in every lane that turns a capital into a lower-case letter.
    fn small(self) -> Self;
}

impl Kinds for Lanes {
    #[inline(always)]
    fn are(self, byte: u8) -> Self {
        self.simd_eq(Self::splat(byte))
    }

    #[inline(always)]
    fn within(self, first: u8, last: u8) -> Self {
        // A byte below `first` wraps around to a large value.
        let far = self - Self::splat(first);
        far.min(Self::splat(last.wrapping_sub(first))).simd_eq(far)
    }

    #[inline(always)]
    fn small(self) -> Self {
        self | Self::splat(0x20)
    }
}

/// Splits a chunk into lanes, in the order of its bytes.
#[inline(always)]
pub fn lanes(chunk: &[u8; CHUNK]) -> [Lanes; 4] {
    let mut lanes = [Lanes::splat(0); 4];
    for (lane, bytes) in lanes.iter_mut().zip(chunk.as_chunks().0) {
        *lane = Lanes::new(*bytes);
    }
    lanes
}

/// Returns one bit for each byte of a chunk. The lowest bit is for the first byte.
#[inline(always)]
pub fn word(kinds: [Lanes; 4]) -> u64 {
    kinds
        .into_iter()
        .rev()
        .fold(0, |word, lanes| word << 16 | u64::from(lanes.to_bitmask()))
}

/// Returns the first chunk of a text, padded with zeros if the text is shorter.
#[inline(always)]
pub fn first(bytes: &[u8]) -> [u8; CHUNK] {
    if let Some(whole) = bytes.first_chunk() {
        return *whole;
    }
    let mut filled = [0; CHUNK];
    for (to, from) in filled.iter_mut().zip(bytes) {
        *to = *from;
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_those_of_the_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..100), a in any::<u8>(), b in any::<u8>()) {
            let (low, high) = (a.min(b), a.max(b));
            let chunk = first(&bytes);
            let lanes = lanes(&chunk);
            for (n, byte) in chunk.into_iter().enumerate() {
                prop_assert_eq!(byte, bytes.get(n).copied().unwrap_or_default());
                let bit = |word: u64| word >> n & 1 == 1;
                prop_assert_eq!(bit(word(lanes.map(|l| l.are(a)))), byte == a);
                prop_assert_eq!(bit(word(lanes.map(|l| l.within(low, high)))), (low..=high).contains(&byte));
                prop_assert_eq!(bit(word(lanes.map(|l| l.small().within(b'a', b'z')))), byte.is_ascii_alphabetic());
            }
        }
    }
}
