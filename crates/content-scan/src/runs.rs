//! Long runs of visible characters: what a credential consists of, and most text doesn't.
//!
//! The text is looked at in stretches of 64 bytes, each of which becomes a word with a bit for
//! every byte. Runs are read off those words, without a look at their bytes; and so is what a long
//! one consists of.

#![expect(clippy::inline_always, reason = "see `text_simd::at_best`")]

use std::ops::Range;
use text_simd::{self, CHUNK, Kinds as _};

/// Bytes of a run that is told.
pub(super) const LONG: usize = 12;

/// A run of visible characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) range: Range<usize>,
    /// What they are.
    pub(super) kinds: Kinds,
}

/// Kinds of bytes in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds {
    /// A letter of ASCII is among them.
    pub(super) letter: bool,
    /// There is nothing but letters.
    pub(super) only_letters: bool,
    /// A digit, a capital, `=` or `:` is among them.
    pub(super) tells: bool,
}

impl Kinds {
    /// Of the bytes of a run.
    #[inline(always)]
    fn of(bytes: &[u8], run: Range<usize>) -> Self {
        let mut kinds = Self {
            letter: false,
            only_letters: true,
            tells: false,
        };
        for start in run.clone().step_by(CHUNK) {
            let mask = low(run.end - start);
            // What stands behind the run does no harm: it needn't be cut off first.
            let lanes = text_simd::lanes(&text_simd::first(bytes.get(start..).unwrap_or_default()));
            let letters = text_simd::word(lanes.map(|lane| lane.small().within(b'a', b'z'))) & mask;
            let tells =
                text_simd::word(lanes.map(|lane| {
                    lane.within(b'0', b':') | lane.within(b'A', b'Z') | lane.are(b'=')
                })) & mask;
            kinds.letter |= letters != 0;
            kinds.only_letters &= letters == mask;
            kinds.tells |= tells != 0;
        }
        kinds
    }
}

/// A bit for each byte of a stretch that belongs to a run: what is visible, but quotes, brackets
/// and what ends a word in code.
#[inline(always)]
fn runs(stretch: &[u8; CHUNK]) -> u64 {
    text_simd::word(text_simd::lanes(stretch).map(|lane| {
        // Kinds are told by ranges, because each costs an instruction or three.
        let brackets = lane.small().within(b'{', b'}');
        let quote_or_round = lane.within(b'\'', b')');
        let semicolon_or_less = lane.within(b';', b'<');
        let others = lane.are(b'"') | lane.are(b',') | lane.are(b'>') | lane.are(b'`');
        lane.within(b'!', b'~') & !(brackets | quote_or_round | semicolon_or_less | others)
    }))
}

/// The lowest `length` bits.
#[inline(always)]
const fn low(length: usize) -> u64 {
    if length >= CHUNK { !0 } else { !(!0 << length) }
}

/// Calls `visit` for every run of at least [`LONG`] bytes, in order, until it returns `false`.
pub(super) fn each(bytes: &[u8], visit: impl FnMut(Run) -> bool) {
    text_simd::dispatch(Walk { bytes, visit });
}

struct Walk<'b, V> {
    bytes: &'b [u8],
    visit: V,
}

impl<V: FnMut(Run) -> bool> text_simd::Work for Walk<'_, V> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        walk(self.bytes, self.visit);
    }
}

#[inline(always)]
fn walk(bytes: &[u8], mut visit: impl FnMut(Run) -> bool) {
    let mut visit = |range: Range<usize>| {
        visit(Run {
            kinds: Kinds::of(bytes, range.clone()),
            range,
        })
    };
    // Where the run began that reaches to the end of the last stretch.
    let mut open: Option<usize> = None;
    let (stretches, rest) = bytes.as_chunks::<CHUNK>();
    // The rest is filled up with zeros, which belong to no run; if there is none, they end the last
    // run all the same.
    let last = text_simd::first(rest);
    let mut base = 0;
    for stretch in stretches.iter().chain([&last]) {
        let mut word = runs(stretch);
        if let Some(start) = open {
            let end = word.trailing_ones() as usize;
            if end == CHUNK {
                base += CHUNK;
                continue;
            }
            open = None;
            let range = start..base + end;
            if range.len() >= LONG && !visit(range) {
                return;
            }
            word &= !low(end);
        }
        // What touches the end goes on in the next stretch.
        let tail = word.leading_ones() as usize;
        if tail > 0 {
            open = Some(base + CHUNK - tail);
            word &= low(CHUNK - tail);
        }
        // A bit stays where a run of twelve begins.
        let two = word & word >> 1;
        let four = two & two >> 2;
        let eight = four & four >> 4;
        let mut long = eight & four >> 8;
        while long != 0 {
            let start = long.trailing_zeros() as usize;
            let end = start + (word >> start).trailing_ones() as usize;
            if !visit(base + start..base + end) {
                return;
            }
            long &= !low(end);
        }
        base += CHUNK;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What belongs to a run, told byte by byte.
    fn belongs(byte: u8) -> bool {
        byte.is_ascii_graphic() && !br#""'`\()[]{}<>,;|"#.contains(&byte)
    }

    #[test]
    fn what_ends_a_run_is_what_ends_a_word() {
        for byte in 0..=255_u8 {
            assert_eq!(
                runs(&[byte; CHUNK]),
                if belongs(byte) { !0 } else { 0 },
                "{byte:#x}"
            );
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_walk(text in "([a-c=]{1,30}|[A-C]{11,13}|[ ,\"é]|[x/]{60,140}|[a-z]{50,200}){0,12}", stop in 1_usize..9) {
            let bytes = text.as_bytes();
            let mut expected = Vec::new();
            let mut start = 0;
            for (at, byte) in bytes.iter().chain(b" ").enumerate() {
                if !belongs(*byte) {
                    if at - start >= LONG {
                        let run = &bytes[start..at];
                        let tells = |b: &u8| b.is_ascii_digit() || b.is_ascii_uppercase() || matches!(b, b'=' | b':');
                        let kinds = Kinds {
                            letter: run.iter().any(u8::is_ascii_alphabetic),
                            only_letters: run.iter().all(u8::is_ascii_alphabetic),
                            tells: run.iter().any(tells),
                        };
                        expected.push(Run { range: start..at, kinds });
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
