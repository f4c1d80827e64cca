//! Finds the characters of a text that need inspection. Nearly all characters are visible ASCII,
//! which is skipped 64 bytes at a time.

use text_simd::{self, CHUNK, Kinds as _};

/// Returns the characters other than visible ASCII, spaces, tabs and line feeds, with their byte
/// offsets.
pub(super) fn unusual(text: &str) -> impl Iterator<Item = (usize, char)> {
    let chunks = text.as_bytes().chunks(CHUNK).zip((0..).step_by(CHUNK));
    chunks.flat_map(move |(chunk, base)| {
        let mut word = unusual_bytes(chunk);
        std::iter::from_fn(move || {
            while word != 0 {
                let at = base + word.trailing_zeros() as usize;
                word &= word - 1;
                // A later byte of a character isn't a boundary.
                if let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
                    return Some((at, c));
                }
            }
            None
        })
    })
}

/// Returns a bit for each byte of a chunk that belongs to such a character.
fn unusual_bytes(chunk: &[u8]) -> u64 {
    let word = text_simd::word(text_simd::lanes(&text_simd::first(chunk)).map(|lane| {
        let control = lane.within(0, 0x1f) & !lane.within(b'\t', b'\n');
        // The highest bit of a non-ASCII byte is set.
        lane | lane.are(0x7f) | control
    }));
    // A short chunk is padded with zeros.
    let padding = CHUNK - chunk.len();
    word << padding >> padding
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_walk(text in "([\\x00-\u{7f}]{0,70}[é€😀\u{80}]{0,30}){0,4}") {
            let is_unusual = |c: &char| !matches!(c, ' '..='~' | '\t' | '\n');
            let expected: Vec<_> = text.char_indices().filter(|(_, c)| is_unusual(c)).collect();
            prop_assert_eq!(unusual(&text).collect::<Vec<_>>(), expected);
        }
    }
}
