//! Long runs of visible characters: what a credential consists of, and most text doesn't.
//!
//! The text is looked at in stretches of 64 bytes, each of which becomes one word with a bit for every byte. All
//! of it is branchless, so that the compiler makes vector instructions of it; only what lies in a long run is looked
//! at byte by byte.

use std::ops::Range;

/// Bytes of a run that is told.
pub(super) const LONG: usize = 12;
/// Bytes of a stretch: as many as a word has bits.
const STRETCH: usize = 64;

/// Whether a byte belongs to a run: what is visible, but quotes, brackets and what ends a word in code.
/// Written in ranges, because each costs a vector instruction or three.
#[expect(clippy::needless_bitwise_bool, reason = "a branch would keep it from becoming vector instructions")]
#[inline]
const fn runs(byte: u8) -> bool {
    let visible = byte.wrapping_sub(b'!') <= b'~' - b'!';
    let brackets = (byte | 0x20).wrapping_sub(b'{') <= 2;
    let quote_or_round = byte.wrapping_sub(b'\'') <= 2;
    let semicolon_or_less = byte.wrapping_sub(b';') <= 1;
    let others = (byte == b'"') | (byte == b',') | (byte == b'>') | (byte == b'`');
    visible & !(brackets | quote_or_round | semicolon_or_less | others)
}

/// One bit for each byte of a stretch, the first byte's lowest.
#[inline]
fn bits(stretch: &[u8; STRETCH]) -> u64 {
    /// Gathers the lowest bits of eight bytes, each 0 or 1, in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    // Loops as plain as these become vector instructions; iterators over arrays didn't everywhere.
    let mut flags = [0_u8; STRETCH];
    for (flag, byte) in flags.iter_mut().zip(stretch) {
        *flag = u8::from(runs(*byte));
    }
    let mut word = 0;
    for (n, eight) in flags.as_chunks::<8>().0.iter().enumerate() {
        word |= (u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56) << (8 * n);
    }
    word
}

/// Calls `visit` for every run of at least [`LONG`] bytes, in order, until it returns `false`.
pub(super) fn each(bytes: &[u8], mut visit: impl FnMut(Range<usize>) -> bool) {
    // Where the run began that reaches to the end of the last stretch.
    let mut open: Option<usize> = None;
    let (stretches, rest) = bytes.as_chunks::<STRETCH>();
    let mut last = [0_u8; STRETCH];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    // The rest is filled up with zeros, which belong to no run; if there is none, they end the last run all the same.
    let mut base = 0;
    for stretch in stretches.iter().chain([&last]) {
        let mut word = bits(stretch);
        if let Some(start) = open {
            let end = word.trailing_ones() as usize;
            if end == STRETCH {
                base += STRETCH;
                continue;
            }
            open = None;
            if base + end - start >= LONG && !visit(start..base + end) {
                return;
            }
            word &= !0 << end;
        }
        // What touches the end goes on in the next stretch.
        let tail = word.leading_ones() as usize;
        if tail > 0 {
            open = Some(base + STRETCH - tail);
            word &= (!0_u64).checked_shr(u32::try_from(tail).unwrap_or(u32::MAX)).unwrap_or(0);
        }
        // A bit stays where a run of twelve begins.
        let two = word & word >> 1;
        let four = two & two >> 2;
        let eight = four & four >> 4;
        let mut long = eight & four >> 8;
        while long != 0 {
            let start = long.trailing_zeros() as usize;
            let length = (word >> start).trailing_ones() as usize;
            if !visit(base + start..base + start + length) {
                return;
            }
            long &= (!0_u64).checked_shl(u32::try_from(start + length).unwrap_or(u32::MAX)).unwrap_or(0);
        }
        base += STRETCH;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_ends_a_run_is_what_ends_a_word() {
        for byte in 0..=255_u8 {
            let listed = br#""'`\()[]{}<>,;|"#.contains(&byte);
            assert_eq!(runs(byte), byte.is_ascii_graphic() && !listed, "{byte:#x}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_walk(text in "([a-c=]{1,30}|[ ,\"é]|[x/]{60,140}){0,12}", stop in 1_usize..9) {
            let bytes = text.as_bytes();
            let mut expected = Vec::new();
            let mut start = 0;
            for (at, byte) in bytes.iter().chain(b" ").enumerate() {
                if !runs(*byte) {
                    if at - start >= LONG {
                        expected.push(start..at);
                    }
                    start = at + 1;
                }
            }
            expected.truncate(stop);
            let mut found = Vec::new();
            each(bytes, |run| {
                found.push(run);
                found.len() < stop
            });
            prop_assert_eq!(found, expected);
        }
    }
}
