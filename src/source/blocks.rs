//! Splits a reader into blocks of whole lines.

use super::Limits;
use std::io::{self, Read};

/// Number of bytes to read at a time. It is large enough to make the change of blocks cheap. It is
/// small enough for a block and its records to stay in the cache until their replay.
const TARGET: usize = 512 << 10;

/// Maximum number of lines of a block. A parsed line takes some hundred bytes whatever its length,
/// so a block of empty objects would need two hundred times its size.
const LINES: usize = 2 << 10;

/// Number of bytes from which a line counts as long, and the maximum capacity reserved for one at
/// once.
const LONG: usize = 2 << 20;
const MOST_ROOM: usize = 64 << 20;

/// A line that exceeds the size limit of a record and was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OversizedLine {
    /// Number of bytes of the line.
    pub length: u64,
    /// Hash of these bytes.
    pub hash: blake3::Hash,
}

/// Whole lines, or one line that was too long to keep.
#[derive(Debug)]
pub struct Block {
    /// The lines with their line ends. The last line of an input may have none.
    pub bytes: Vec<u8>,
    /// Set when the block represents one oversized line; `bytes` is then empty.
    pub overlong: Option<OversizedLine>,
    /// Whether the input ends with this block.
    pub last: bool,
}

/// Splits a reader into [`Block`]s.
///
/// Blocks own their bytes, so the next one can be read while one is processed. The caller passes in
/// buffers, each as large as a block or the longest record. Apart from them, only the incomplete
/// line between two blocks is held.
#[derive(Debug)]
pub struct Blocks<R> {
    reader: R,
    /// The incomplete line at the end of the last block.
    tail: Vec<u8>,
    /// Whether `tail` is the start of the input, which no block has returned yet.
    headed: bool,
    /// Whole lines that exceeded the limit of the last block, and the start of those that haven't
    /// been returned.
    surplus: (Vec<u8>, usize),
    read: u64,
    end: bool,
    /// A read error, returned after everything that was read before it.
    failed: Option<io::Error>,
    limits: Limits,
    target: usize,
}

/// Replaces the start of `buffer` by `start`, and leaves the rest: bytes that will be overwritten
/// needn't be cleared before. Returns the number of bytes replaced.
fn replace_start(buffer: &mut Vec<u8>, start: &mut Vec<u8>) -> usize {
    let length = start.len();
    if let Some(place) = buffer.get_mut(..length) {
        place.copy_from_slice(start);
        start.clear();
    } else {
        buffer.clear();
        buffer.append(start);
    }
    length
}

/// Reads until the buffer is full or the input ends. Returns the number of bytes read, also after
/// an error.
fn read_full(reader: &mut impl Read, room: &mut [u8]) -> (usize, io::Result<()>) {
    let mut got = 0;
    while let Some(rest) = room.get_mut(got..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (got, Err(error)),
        }
    }
    (got, Ok(()))
}

impl<R: Read> Blocks<R> {
    /// Creates a splitter that starts at the current position of `reader`.
    pub fn new(reader: R, limits: Limits) -> Self {
        let surplus = (Vec::new(), 0);
        Self {
            reader,
            tail: Vec::new(),
            headed: false,
            surplus,
            read: 0,
            end: false,
            failed: None,
            limits,
            target: TARGET,
        }
    }

    #[cfg(test)]
    fn with_target(mut self, target: usize) -> Self {
        self.target = target;
        self
    }

    /// Returns the start of the input without consuming it, up to the size of a block. It is
    /// shorter when the input ends or reading fails.
    pub fn head(&mut self) -> &[u8] {
        if self.tail.is_empty() && !self.end {
            let mut head = Vec::new();
            if let Err(error) = self.fill(&mut head, 0) {
                self.end = true;
                self.failed = Some(error);
            }
            self.tail = head;
            self.headed = true;
        }
        &self.tail
    }

    /// Returns the next bytes, regardless of line ends, or `None` at the end. The allocation of
    /// `spare` is reused.
    ///
    /// # Errors
    /// Like those of [`Self::next`].
    pub fn next_bytes(&mut self, spare: Vec<u8>) -> io::Result<Option<Vec<u8>>> {
        let mut buffer = spare;
        self.headed = false;
        let filled = replace_start(&mut buffer, &mut self.tail);
        if filled > 0 || self.end {
            buffer.truncate(filled);
        } else if let Err(error) = self.fill(&mut buffer, 0) {
            self.end = true;
            self.failed = Some(error);
        }
        match self.failed.take_if(|_| buffer.is_empty()) {
            Some(error) => Err(error),
            None => Ok(Some(buffer).filter(|buffer| !buffer.is_empty())),
        }
    }

    /// Returns the number of bytes read so far, after decompression.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.read
    }

    /// Returns the next block, or `None` at the end. The allocation of `spare` is reused.
    ///
    /// # Errors
    /// When reading or decompressing fails, or the input exceeds its size limit. All lines before
    /// that are returned first, except the incomplete one.
    pub fn next(&mut self, spare: Vec<u8>) -> io::Result<Option<Block>> {
        let mut buffer = spare;
        if self.surplus.1 < self.surplus.0.len() {
            buffer.clear();
            return Ok(Some(self.next_surplus(buffer)));
        }
        let mut filled = replace_start(&mut buffer, &mut self.tail);
        let mut searched = 0;
        loop {
            if std::mem::take(&mut self.headed) || self.end {
                buffer.truncate(filled);
            } else if let Err(error) = self.fill(&mut buffer, filled) {
                self.end = true;
                self.failed = Some(error);
            }
            filled = buffer.len();
            if self.failed.is_some() {
                // The last line may be incomplete after an error, so it is dropped.
                let whole = memchr::memrchr(b'\n', &buffer).map_or(0, |n| n + 1);
                buffer.truncate(whole);
            }
            if buffer.is_empty()
                && let Some(error) = self.failed.take()
            {
                return Err(error);
            }
            let fresh = buffer.get(searched..).unwrap_or_default();
            let cut = if self.end {
                Some(buffer.len())
            } else {
                memchr::memrchr(b'\n', fresh).map(|n| searched + n + 1)
            };
            searched = buffer.len();
            match cut {
                Some(0) => return Ok(None),
                Some(cut) => {
                    self.tail.extend(buffer.drain(cut..));
                    if let Some(most) = memchr::memchr_iter(b'\n', &buffer)
                        .nth(LINES - 1)
                        .filter(|end| end + 1 < cut)
                    {
                        self.surplus.0.clear();
                        self.surplus.0.extend(buffer.drain(most + 1..));
                        self.surplus.1 = 0;
                    }
                    return Ok(Some(self.block(buffer)));
                }
                None if buffer.len() > self.limits.record_bytes => {
                    return self.pass_over(buffer).map(Some);
                }
                None => {}
            }
        }
    }

    /// Returns the next lines that exceeded the limit of the previous block.
    fn next_surplus(&mut self, mut buffer: Vec<u8>) -> Block {
        let rest = self.surplus.0.get(self.surplus.1..).unwrap_or_default();
        let length = memchr::memchr_iter(b'\n', rest)
            .nth(LINES - 1)
            .map_or(rest.len(), |end| end + 1);
        buffer.extend_from_slice(rest.get(..length).unwrap_or_default());
        self.surplus.1 += length;
        self.block(buffer)
    }

    fn block(&self, bytes: Vec<u8>) -> Block {
        let last = self.end && self.failed.is_none() && self.surplus.1 == self.surplus.0.len();
        Block {
            bytes,
            overlong: None,
            last,
        }
    }

    /// Reads until the first `before` bytes of the buffer are followed by one more block, or the
    /// input ends. What the buffer held behind them is overwritten.
    fn fill(&mut self, buffer: &mut Vec<u8>, before: usize) -> io::Result<()> {
        // A long record gets its capacity at once, because growing step by step takes twice the
        // memory. Unused capacity takes none.
        let room = self.limits.record_bytes.saturating_add(2 * self.target);
        if before > LONG && room < MOST_ROOM {
            buffer.reserve_exact(room.saturating_sub(buffer.len()));
        }
        // `read_to_end` isn't used because it clears the buffer again for each piece that a reader
        // returns. Most files are short: only a long one needs a whole block cleared.
        let mut filled = before;
        let mut result = Ok(());
        for end in [before + self.target / 32, before + self.target] {
            if buffer.len() < end {
                buffer.resize(end, 0);
            }
            let room = buffer.get_mut(filled..end).unwrap_or_default();
            let (got, read) = read_full(&mut self.reader, room);
            filled += got;
            self.read += got as u64;
            self.end = filled < end;
            result = read;
            if self.end || result.is_err() {
                break;
            }
        }
        buffer.truncate(filled);
        result?;
        if self.read > self.limits.input_bytes {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "the input is longer than the limit",
            ));
        }
        Ok(())
    }

    /// Skips the line that fills the buffer, up to its end.
    fn pass_over(&mut self, mut buffer: Vec<u8>) -> io::Result<Block> {
        let mut length = buffer.len() as u64;
        let mut hash = blake3::Hasher::new();
        hash.update(&buffer);
        loop {
            self.fill(&mut buffer, 0)?;
            if let Some(end) = memchr::memchr(b'\n', &buffer) {
                length += end as u64;
                hash.update(buffer.get(..end).unwrap_or_default());
                self.tail.extend(buffer.drain(end + 1..));
                break;
            }
            length += buffer.len() as u64;
            hash.update(&buffer);
            if self.end {
                break;
            }
        }
        buffer.clear();
        let last = self.end && self.tail.is_empty() && self.failed.is_none();
        Ok(Block {
            bytes: buffer,
            overlong: Some(OversizedLine {
                length,
                hash: hash.finalize(),
            }),
            last,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Lines = Vec<(u64, Option<Vec<u8>>)>;

    fn lines(text: &[u8], target: usize, record_bytes: usize) -> Lines {
        let limits = Limits {
            record_bytes,
            ..Limits::default()
        };
        let mut blocks = Blocks::new(text, limits).with_target(target);
        let mut all = Vec::new();
        let mut spare = Vec::new();
        let mut number = 1;
        while let Some(block) = blocks.next(spare).unwrap() {
            if block.overlong.is_some() {
                all.push((number, None));
                number += 1;
            }
            for line in block.bytes.split_inclusive(|b| *b == b'\n') {
                all.push((number, Some(line.to_vec())));
                number += 1;
            }
            spare = block.bytes;
        }
        all
    }

    #[test]
    fn an_overlong_line_is_passed_over_and_the_next_one_is_read() {
        let mut text = vec![b'x'; 1000];
        text.extend_from_slice(b"\nok\n");
        assert_eq!(
            lines(&text, 16, 100),
            [(1, None), (2, Some(b"ok\n".to_vec()))]
        );
        assert_eq!(lines(&vec![b'x'; 1000], 16, 100), [(1, None)]);
    }

    #[test]
    fn no_block_has_more_lines_than_it_may() {
        let text = b"x\n".repeat(2 * LINES + 10);
        let mut blocks = Blocks::new(&text[..], Limits::default());
        let mut counts = Vec::new();
        while let Some(block) = blocks.next(Vec::new()).unwrap() {
            counts.push((block.bytes.len() / 2, block.last));
        }
        assert_eq!(counts, [(LINES, false), (LINES, false), (10, true)]);
        assert_eq!(lines(&text, 4096, 100).len(), 2 * LINES + 10);
    }

    #[test]
    fn too_much_input_is_an_error() {
        let limits = Limits {
            input_bytes: 10,
            ..Limits::default()
        };
        let mut blocks = Blocks::new(&[b'\n'; 11][..], limits);
        assert_eq!(
            blocks.next(Vec::new()).unwrap().map(|b| b.bytes.len()),
            Some(11),
            "what was read is delivered"
        );
        assert!(blocks.next(Vec::new()).is_err());
        let mut blocks = Blocks::new(&[b'\n'; 10][..], limits);
        assert!(blocks.next(Vec::new()).unwrap().is_some_and(|b| b.last));
        assert!(blocks.next(Vec::new()).unwrap().is_none());
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_lines(text in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'a'), any::<u8>()], 0..200), target in 1usize..50) {
            let whole: Lines = text.split_inclusive(|b| *b == b'\n').enumerate().map(|(n, l)| (n as u64 + 1, Some(l.to_vec()))).collect();
            prop_assert_eq!(lines(&text, target, 1 << 20), whole);
        }
    }
}
