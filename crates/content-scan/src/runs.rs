//! Long runs of visible characters, of which credentials consist and little other text does.
//!
//! Each chunk of 64 bytes becomes a word with one bit per byte. Runs, and the kinds of characters
//! in long ones, are computed from these words without inspecting single bytes.

#![expect(clippy::inline_always, reason = "see `text_simd::dispatch`")]

use std::ops::Range;
use text_simd::{self, CHUNK, Kinds as _};

/// Minimum length in bytes of a run that is reported.
pub(super) const LONG: usize = 12;

/// A run of visible characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) range: Range<usize>,
    pub(super) kinds: Kinds,
}

/// The kinds of bytes in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds {
    /// It contains an ASCII letter.
    pub(super) letter: bool,
    /// It contains only letters.
    pub(super) only_letters: bool,
    /// It contains a digit, a capital, `=` or `:`.
    pub(super) has_marker: bool,
}

impl Kinds {
    /// Classifies the bytes of a run.
    #[inline(always)]
    fn of(bytes: &[u8], run: Range<usize>) -> Self {
        let mut kinds = Self {
            letter: false,
            only_letters: true,
            has_marker: false,
        };
        for start in run.clone().step_by(CHUNK) {
            let mask = low(run.end - start);
            // The chunk may contain bytes after the run; the mask removes them.
            let lanes = text_simd::lanes(&text_simd::first(bytes.get(start..).unwrap_or_default()));
            let letters = text_simd::word(lanes.map(|lane| lane.small().within(b'a', b'z'))) & mask;
            let has_marker =
                text_simd::word(lanes.map(|lane| {
                    lane.within(b'0', b':') | lane.within(b'A', b'Z') | lane.are(b'=')
                })) & mask;
            kinds.letter |= letters != 0;
            kinds.only_letters &= letters == mask;
            kinds.has_marker |= has_marker != 0;
        }
        kinds
    }
}

/// Returns a bit for each byte of a chunk that belongs to a run: visible characters except quotes,
/// brackets and separators of code.
#[inline(always)]
fn runs(chunk: &[u8; CHUNK]) -> u64 {
    text_simd::word(text_simd::lanes(chunk).map(|lane| {
        // Each class costs one to three instructions, so ranges cover several characters.
        let brackets = lane.small().within(b'{', b'}');
        let quote_or_round = lane.within(b'\'', b')');
        let semicolon_or_less = lane.within(b';', b'<');
        let others = lane.are(b'"') | lane.are(b',') | lane.are(b'>') | lane.are(b'`');
        lane.within(b'!', b'~') & !(brackets | quote_or_round | semicolon_or_less | others)
    }))
}

/// Returns a word with the lowest `length` bits set.
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
    // Start of the run that reaches to the end of the previous chunk.
    let mut open: Option<usize> = None;
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    // The rest is padded with zeros, which belong to no run. An empty rest still ends the last run.
    let last = text_simd::first(rest);
    let mut base = 0;
    for chunk in chunks.iter().chain([&last]) {
        let mut word = runs(chunk);
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
        // A run at the end of a chunk continues in the next one.
        let tail = word.leading_ones() as usize;
        if tail > 0 {
            open = Some(base + CHUNK - tail);
            word &= low(CHUNK - tail);
        }
        // A bit remains set at the start of every run of twelve bytes.
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

    /// Returns whether a byte belongs to a run.
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
                        let has_marker = |b: &u8| b.is_ascii_digit() || b.is_ascii_uppercase() || matches!(b, b'=' | b':');
                        let kinds = Kinds {
                            letter: run.iter().any(u8::is_ascii_alphabetic),
                            only_letters: run.iter().all(u8::is_ascii_alphabetic),
                            has_marker: run.iter().any(has_marker),
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
