//! Splits long texts into chunks that fit a model.

use std::ops::Range;
use tokens::Encoding;

/// Maximum number of tokens in a chunk.
pub const SIZE: usize = 400;
/// Tokens that a chunk shares with the previous one.
const OVERLAP: usize = 80;
/// Maximum number of pieces that are joined without a recount. Each seam may add a token, and this
/// many more are acceptable.
const SEAMS: usize = SIZE / 10;
/// Bytes beyond which a line is split. A file without line ends is one line.
const LINE: usize = 400;

/// A chunk of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk<'t> {
    pub text: &'t str,
    /// The first and last line, from 0.
    pub lines: (u64, u64),
}

/// Splits a text at line ends, or inside lines that are too long, into chunks of at most [`SIZE`]
/// tokens. Neighbours overlap by about [`OVERLAP`] tokens.
#[must_use]
pub fn chunks(text: &str) -> Vec<Chunk<'_>> {
    let lines = || memchr::memchr_iter(b'\n', text.trim_end().as_bytes()).count() as u64;
    // A token nearly always has more than one byte, and seldom more than four.
    if text.len() <= 4 * SIZE && Encoding::default().fits(text, SIZE) {
        return if text.trim().is_empty() {
            Vec::new()
        } else {
            vec![Chunk {
                text,
                lines: (0, lines()),
            }]
        };
    }
    let pieces = pieces(text);
    let mut all = Vec::new();
    let mut first = 0;
    while let Some(start) = pieces.get(first) {
        let mut tokens = 0;
        let mut end = first;
        while let Some(piece) = pieces.get(end)
            && (end == first || tokens + piece.tokens <= SIZE)
        {
            tokens += piece.tokens;
            end += 1;
        }
        // One token may become two at a seam. With many seams, the joined text is counted instead.
        while end - first > SEAMS
            && !whole(text, &pieces, first..end)
                .is_some_and(|text| Encoding::default().fits(text, SIZE))
        {
            end -= (end - first) / 16;
        }
        let last = pieces.get(end - 1).unwrap_or(start);
        if let Some(text) = text.get(start.start..last.end)
            && !text.trim().is_empty()
        {
            all.push(Chunk {
                text,
                lines: (start.line, last.line),
            });
        }
        if end == pieces.len() {
            break;
        }
        // The next chunk repeats the end of this one, and still advances by at least one piece.
        let mut shared = 0;
        let mut next = end;
        while next > first + 1
            && let Some(piece) = pieces.get(next - 1)
            && shared + piece.tokens <= OVERLAP
        {
            shared += piece.tokens;
            next -= 1;
        }
        first = next;
    }
    all
}

/// Returns the text of consecutive pieces.
fn whole<'t>(text: &'t str, pieces: &[Piece], range: Range<usize>) -> Option<&'t str> {
    text.get(pieces.get(range.start)?.start..pieces.get(range.end.checked_sub(1)?)?.end)
}

/// A line or a part of one, with its own token count. Joined pieces mostly have slightly fewer
/// tokens than the sum.
struct Piece {
    start: usize,
    end: usize,
    line: u64,
    tokens: usize,
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut all = Vec::new();
    let mut start = 0;
    for (line, content) in (0..).zip(text.split_inclusive('\n')) {
        let end = start + content.len();
        while start < end {
            let mut to = (start + LINE).min(end);
            while !text.is_char_boundary(to) {
                to -= 1;
            }
            let part = text.get(start..to).unwrap_or_default();
            all.push(Piece {
                start,
                end: to,
                line,
                tokens: Encoding::default().count(part),
            });
            start = to;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_texts_stay_whole() {
        assert_eq!(
            chunks("one\ntwo\n"),
            [Chunk {
                text: "one\ntwo\n",
                lines: (0, 1)
            }]
        );
        assert!(chunks(" \n").is_empty());
    }

    #[test]
    fn long_texts_overlap() {
        let text: String = (0..400)
            .map(|n| format!("line {n} of a long text\n"))
            .collect();
        let all = chunks(&text);
        assert!(all.len() > 5);
        for pair in all.windows(2) {
            assert!(
                pair[1].lines.0 <= pair[0].lines.1,
                "{:?} {:?}",
                pair[0].lines,
                pair[1].lines
            );
            assert!(pair[1].lines.0 > pair[0].lines.0);
        }
        assert_eq!(all.last().unwrap().lines.1, 399);
    }

    #[test]
    fn many_short_lines_are_counted_together() {
        for line in ["/^\n", "}\n", "\n", "a\n", "))\n"] {
            for chunk in chunks(&line.repeat(2000)) {
                assert!(
                    Encoding::default().fits(chunk.text, SIZE + SEAMS),
                    "{line:?}"
                );
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn pieces_keep_their_size_and_lose_nothing(line in "\\PC{1,30}", count in 1usize..400, ends in any::<bool>()) {
            let text = if ends { format!("{line}\n").repeat(count) } else { line.repeat(count) };
            let all = chunks(&text);
            for chunk in &all {
                // Pieces are counted separately; one token may become two at a seam.
                prop_assert!(Encoding::default().count(chunk.text) <= SIZE + SIZE / 10);
            }
            if !text.trim().is_empty() {
                let start = text.as_ptr() as usize;
                let mut covered = 0;
                for chunk in &all {
                    let from = chunk.text.as_ptr() as usize - start;
                    prop_assert!(text.get(covered.min(from)..from).unwrap().trim().is_empty());
                    covered = covered.max(from + chunk.text.len());
                }
                prop_assert!(text.get(covered..).unwrap().trim().is_empty());
            }
        }
    }
}
