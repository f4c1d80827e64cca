//! A reader cut into blocks of whole lines.

use super::Limits;
use std::io::{self, Read};

/// Bytes that are read at a time: large enough to keep every core busy, small enough that what is
/// made of it fits beside it.
const TARGET: usize = 4 << 20;

/// A line that is longer than a record may be. It has been passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlong {
    /// Bytes of the line.
    pub length: u64,
}

/// Whole lines, or one line that was too long to keep.
#[derive(Debug)]
pub struct Block<'b> {
    /// The lines with their ends; the last line of an input may have none.
    pub bytes: &'b [u8],
    /// Number of the first line, from 1.
    pub first_line: u64,
    /// Set when the block stands for one overlong line; `bytes` is empty then.
    pub overlong: Option<Overlong>,
    /// Whether the input ends with this block.
    pub last: bool,
}

/// Cuts a reader into [`Block`]s. Memory: one buffer of the block's or the longest record's size.
#[derive(Debug)]
pub struct Blocks<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Bytes of the buffer that the last block took.
    taken: usize,
    next_line: u64,
    read: u64,
    end: bool,
    /// Reading failed: said once what was read before has been delivered.
    failed: Option<io::Error>,
    limits: Limits,
    target: usize,
}

impl<R: Read> Blocks<R> {
    /// Starts at the current position of `reader`.
    pub fn new(reader: R, limits: Limits) -> Self {
        Self { reader, buffer: Vec::new(), taken: 0, next_line: 1, read: 0, end: false, failed: None, limits, target: TARGET }
    }

    #[cfg(test)]
    fn with_target(mut self, target: usize) -> Self {
        self.target = target;
        self
    }

    /// Takes note of how many lines the last block had: whoever cuts it into lines counts them anyway.
    pub fn advance(&mut self, lines: u64) {
        self.next_line += lines;
    }

    /// Number of the line that the next block begins with.
    #[must_use]
    pub fn next_line(&self) -> u64 {
        self.next_line
    }

    /// Bytes read so far, after decompression.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.read
    }

    /// The next block, or `None` at the end.
    ///
    /// # Errors
    /// When reading or decompressing fails, or the input is longer than the limit. What was read up
    /// to then has been delivered, but for the line that it broke off in.
    pub fn next(&mut self) -> io::Result<Option<Block<'_>>> {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let mut searched = 0;
        loop {
            if !self.end
                && let Err(error) = self.fill()
            {
                // The line that it breaks off in can't be told from a whole one: it goes.
                let whole = memchr::memrchr(b'\n', &self.buffer).map_or(0, |n| n + 1);
                self.buffer.truncate(whole);
                self.end = true;
                self.failed = Some(error);
            }
            if self.buffer.is_empty()
                && let Some(error) = self.failed.take()
            {
                return Err(error);
            }
            let fresh = self.buffer.get(searched..).unwrap_or_default();
            let cut = if self.end { Some(self.buffer.len()) } else { memchr::memrchr(b'\n', fresh).map(|n| searched + n + 1) };
            searched = self.buffer.len();
            match cut {
                Some(0) => return Ok(None),
                Some(cut) => {
                    let first_line = self.next_line;
                    self.taken = cut;
                    let bytes = self.buffer.get(..cut).unwrap_or_default();
                    return Ok(Some(Block { bytes, first_line, overlong: None, last: self.end && self.failed.is_none() }));
                }
                None if self.buffer.len() > self.limits.record_bytes => return self.pass_over().map(Some),
                None => {}
            }
        }
    }

    /// Reads on until the buffer holds one block more, or the input ends.
    fn fill(&mut self) -> io::Result<()> {
        let wanted = self.target as u64;
        let before = self.buffer.len();
        let result = self.reader.by_ref().take(wanted).read_to_end(&mut self.buffer);
        let got = (self.buffer.len() - before) as u64;
        self.read += got;
        result?;
        self.end = got < wanted;
        if self.read > self.limits.input_bytes {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the input is longer than the limit"));
        }
        Ok(())
    }

    /// Drops the line that fills the buffer, up to its end.
    fn pass_over(&mut self) -> io::Result<Block<'_>> {
        let mut length = self.buffer.len() as u64;
        loop {
            self.buffer.clear();
            self.fill()?;
            if let Some(end) = memchr::memchr(b'\n', &self.buffer) {
                length += end as u64;
                self.taken = end + 1;
                break;
            }
            length += self.buffer.len() as u64;
            if self.end {
                self.taken = self.buffer.len();
                break;
            }
        }
        let first_line = self.next_line;
        self.next_line += 1;
        let last = self.end && self.taken == self.buffer.len();
        Ok(Block { bytes: &[], first_line, overlong: Some(Overlong { length }), last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Lines = Vec<(u64, Option<Vec<u8>>)>;

    fn lines(text: &[u8], target: usize, record_bytes: usize) -> Lines {
        let limits = Limits { record_bytes, ..Limits::default() };
        let mut blocks = Blocks::new(text, limits).with_target(target);
        let mut all = Vec::new();
        while let Some(block) = blocks.next().unwrap() {
            if block.overlong.is_some() {
                all.push((block.first_line, None));
            } else {
                let first = block.first_line;
                let whole: Vec<Vec<u8>> = block.bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                blocks.advance(whole.len() as u64);
                all.extend((first..).zip(whole.into_iter().map(Some)));
            }
        }
        all
    }

    #[test]
    fn an_overlong_line_is_passed_over_and_the_next_one_is_read() {
        let mut text = vec![b'x'; 1000];
        text.extend_from_slice(b"\nok\n");
        assert_eq!(lines(&text, 16, 100), [(1, None), (2, Some(b"ok\n".to_vec()))]);
        assert_eq!(lines(&vec![b'x'; 1000], 16, 100), [(1, None)]);
    }

    #[test]
    fn too_much_input_is_an_error() {
        let limits = Limits { input_bytes: 10, ..Limits::default() };
        let mut blocks = Blocks::new(&[b'\n'; 11][..], limits);
        assert_eq!(blocks.next().unwrap().map(|b| b.bytes.len()), Some(11), "what was read is delivered");
        assert!(blocks.next().is_err());
        let mut blocks = Blocks::new(&[b'\n'; 10][..], limits);
        assert!(blocks.next().unwrap().is_some_and(|b| b.last));
        assert!(blocks.next().unwrap().is_none());
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_lines(text in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'a'), any::<u8>()], 0..200), target in 1usize..50) {
            let whole: Lines = text.split_inclusive(|b| *b == b'\n').enumerate().map(|(n, l)| (n as u64 + 1, Some(l.to_vec()))).collect();
            prop_assert_eq!(lines(&text, target, 1 << 20), whole);
        }
    }
}
