//! Index of a record's lines, characters and turns, computed once for all findings.

use std::ops::Range;
use strict_json::{Located, Scanner, resolve};

/// Bytes between two stored counts of continuation bytes.
const BLOCK: usize = 4096;

/// Lines, characters and turns of a record's text.
#[derive(Debug, Default)]
pub(super) struct LineIndex {
    /// Offsets of the line ends.
    lines: Vec<usize>,
    /// Number of UTF-8 continuation bytes before each block.
    continued: Vec<usize>,
    /// Byte ranges of the turns of a whole execution.
    turns: Vec<Range<usize>>,
}

fn continuing(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xc0 == 0x80).count()
}

impl LineIndex {
    pub(super) fn of(text: &str) -> Self {
        let mut sum = 0;
        let count = |block: &[u8]| {
            let before = sum;
            sum += continuing(block);
            before
        };
        let continued = text.as_bytes().chunks(BLOCK).map(count).collect();
        let mut turns = Vec::new();
        if let Some(all) = resolve(text, "/turns").map(|found| found.value)
            && let Some(list) = text.get(all.clone()).filter(|list| list.starts_with('['))
        {
            // The text has been read before; text that isn't JSON has no turns.
            let _ = Scanner::new(list, u32::MAX)
                .each_element(|from, to| turns.push(all.start + from..all.start + to));
        }
        Self {
            lines: memchr::memchr_iter(b'\n', text.as_bytes()).collect(),
            continued,
            turns,
        }
    }

    /// Returns the number of lines before `at`, and the offset of its own line.
    pub(super) fn line(&self, at: usize) -> (usize, usize) {
        let before = self.lines.partition_point(|end| *end < at);
        (
            before,
            before
                .checked_sub(1)
                .and_then(|n| self.lines.get(n))
                .map_or(0, |end| end + 1),
        )
    }

    /// Returns the end of the line around `at`.
    pub(super) fn line_end(&self, at: usize, text: &str) -> usize {
        self.lines
            .get(self.lines.partition_point(|end| *end < at))
            .copied()
            .unwrap_or(text.len())
    }

    /// Returns the difference between bytes and characters in a range.
    pub(super) fn surplus(&self, range: Range<usize>, text: &str) -> usize {
        let before = |at: usize| {
            let block = at / BLOCK;
            let rest = text.as_bytes().get(block * BLOCK..at).unwrap_or_default();
            self.continued.get(block).copied().unwrap_or_default() + continuing(rest)
        };
        before(range.end).saturating_sub(before(range.start))
    }

    /// Like [`resolve`], but searches only the turn that the pointer names.
    pub(super) fn resolve(&self, text: &str, pointer: &str) -> Option<Located> {
        let Some(inside) = pointer.strip_prefix("/turns/") else {
            return resolve(text, pointer);
        };
        let (number, below) = inside
            .find('/')
            .map_or((inside, ""), |slash| inside.split_at(slash));
        let turn = self.turns.get(number.parse::<usize>().ok()?)?.clone();
        let found = resolve(text.get(turn.clone())?, below)?;
        let shift = |at: usize| turn.start + at;
        Some(Located {
            value: shift(found.value.start)..shift(found.value.end),
            name: found.name.map(shift),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_looking_from_the_start() {
        let long = "é".repeat(3 * BLOCK);
        let text = format!(
            "{{\"a\":\"{long}\",\n\"turns\":[{{\"x\":1}},\n {{\"x\":{{\"y\":[2,3]}}}}],\"z\":{{}}}}"
        );
        let line_index = LineIndex::of(&text);
        for pointer in [
            "",
            "/a",
            "/turns",
            "/turns/0",
            "/turns/1/x/y/1",
            "/turns/2",
            "/turns/x",
            "/z",
            "/turns/1/q",
        ] {
            assert_eq!(
                line_index.resolve(&text, pointer),
                resolve(&text, pointer),
                "{pointer}"
            );
        }
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let before = text.get(..at).unwrap();
            let start = before.rfind('\n').map_or(0, |n| n + 1);
            assert_eq!(line_index.line(at), (before.matches('\n').count(), start));
            assert_eq!(
                line_index.line_end(at, &text),
                text.get(at..)
                    .unwrap()
                    .find('\n')
                    .map_or(text.len(), |n| at + n)
            );
            let part = text.get(start..at).unwrap();
            assert_eq!(
                line_index.surplus(start..at, &text),
                part.len() - part.chars().count()
            );
        }
    }
}
