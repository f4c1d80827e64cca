//! Where a large input is cut, and which executions have records on both sides. The pieces leave
//! these out, and they are read when the pieces are joined.

use crate::source::{Block, Blocks, Limits, Part, open_range};
use crate::trace::entry::{Entry, Grammar};
use crate::trace::formats::Format;
use crate::verify::parse::{Lines, parse};
use borsh::{BorshDeserialize, BorshSerialize};
use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Number of bytes on each side of a cut that are searched first.
const FIRST: u64 = 1 << 20;

/// Maximum number of these bytes.
const MOST: u64 = 64 << 20;

/// The executions that cross one end of a piece.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(in crate::verify) struct Crossing {
    pub(in crate::verify) executions: BTreeSet<Box<str>>,
    /// Number of bytes and lines at this end of the piece in which all of their records must lie.
    pub(super) bytes: u64,
    pub(super) lines: u64,
}

/// What was found on one side of a cut.
#[derive(Debug, Default)]
struct Side {
    executions: BTreeSet<Box<str>>,
    bytes: u64,
    lines: u64,
}

/// A part of a large input around a cut, and the executions that are read there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::verify) struct Seam {
    pub(in crate::verify) executions: BTreeSet<Box<str>>,
    pub(in crate::verify) bytes: Range<u64>,
    /// The number of its first line.
    pub(in crate::verify) line: u64,
}

/// The cut of an input, and how to read the lines around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut<'p> {
    pub(super) path: &'p Path,
    /// The byte of the input where a line begins.
    pub(super) at: u64,
    /// Size of the input in bytes.
    pub(super) size: u64,
    /// Maximum number of bytes on each side that are searched.
    pub(super) reach: u64,
    pub(super) format: Format,
    pub(super) limits: Limits,
}

impl<'p> Cut<'p> {
    /// Cuts a part's input near its byte `near`, if possible between two executions.
    pub(super) fn new(
        path: &'p Path,
        (near, part): (u64, &Part),
        format: Format,
        limits: Limits,
    ) -> io::Result<Self> {
        let mut cut = Self {
            path,
            at: near,
            size: part.size,
            reach: part.reach,
            format,
            limits,
        };
        cut.at = cut.first_change()?;
        Ok(cut)
    }

    /// Finds the executions that cross the cut, as they belong to the piece before it and the one
    /// after it. The search is wider each time, until that finds no more of them.
    pub(super) fn crossing(&self) -> io::Result<(Crossing, Crossing)> {
        if self.at == 0 || self.at >= self.size {
            return Ok(<_>::default());
        }
        let most = self.reach.min(MOST);
        let mut bytes = FIRST.min(most);
        let mut known = 0;
        loop {
            let (before, after) = (self.before(bytes)?, self.after(bytes)?);
            let executions: BTreeSet<Box<str>> = before
                .executions
                .intersection(&after.executions)
                .cloned()
                .collect();
            if executions.len() == known || bytes >= most {
                let crossing = |side: &Side| Crossing {
                    executions: executions.clone(),
                    bytes: side.bytes,
                    lines: side.lines,
                };
                return Ok((crossing(&before), crossing(&after)));
            }
            known = executions.len();
            bytes = bytes.saturating_mul(2).min(most);
        }
    }

    /// Returns the first place from `at` on at which a line begins that belongs to another
    /// execution than the one before. If the next block of lines contains none, it is its first
    /// record.
    ///
    /// A greater `at` never gives a smaller place: both blocks begin with a whole line, so the
    /// later one contains what the earlier one does from there on.
    fn first_change(&self) -> io::Result<u64> {
        let (at, size) = (self.at, self.size);
        if at == 0 || at >= size {
            return Ok(at.min(size));
        }
        let mut from = self.line_start()?;
        let block = loop {
            if from >= size {
                return Ok(size);
            }
            let block = self.block_at(from)?;
            match block.as_ref().and_then(|block| block.overlong.as_ref()) {
                Some(overlong) => from += overlong.length + 1,
                None => break block,
            }
        };
        let Some(block) = block else {
            return Ok(size);
        };
        let lines = self.parse(&block);
        let ends = memchr::memchr_iter(b'\n', &block.bytes).map(|end| end + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let changes = lines.entries.iter().zip(lines.entries.iter().skip(1));
        let mut changes = changes.filter(|(one, next)| {
            let id = |entry: &Entry<'_>| {
                let id = entry.record.execution_id();
                id.map(|id| id.decode().into_owned())
            };
            id(one) != id(next)
        });
        let change = changes.next().map(|(_, next)| next);
        let start = change
            .or(lines.entries.first())
            .and_then(|entry| starts.get(usize::try_from(entry.line).ok()?));
        Ok((from + start.map_or(0, |start| *start as u64)).min(size))
    }

    /// Returns the first place from `at` on at which a line begins. `at` isn't 0.
    fn line_start(&self) -> io::Result<u64> {
        // A line begins at `at` if a line ends before it.
        let from = self.at - 1;
        let rest = self.block_at(from)?.map_or(0, |block| {
            let end = memchr::memchr(b'\n', &block.bytes).map_or(block.bytes.len(), |end| end + 1);
            block.overlong.map_or(end as u64, |line| line.length + 1)
        });
        Ok((from + rest).max(self.at))
    }

    /// Reads the block that begins at this byte.
    fn block_at(&self, from: u64) -> io::Result<Option<Block>> {
        let reader = open_range(self.path, from..self.size, None)?;
        Blocks::new(reader, self.limits).next(Vec::new())
    }

    /// Reads the whole lines before the cut.
    fn before(&self, bytes: u64) -> io::Result<Side> {
        let from = self.at.saturating_sub(bytes);
        // A line begins at `from` if one ends before it.
        self.side(from.saturating_sub(1)..self.at, from > 0)
    }

    /// Reads the whole lines after the cut.
    fn after(&self, bytes: u64) -> io::Result<Side> {
        self.side(self.at..self.at.saturating_add(bytes).min(self.size), false)
    }

    /// Reads whole lines; with `within_line`, the first one is the rest of a line.
    fn side(&self, range: Range<u64>, mut within_line: bool) -> io::Result<Side> {
        let is_end = range.end == self.size;
        let mut blocks = Blocks::new(open_range(self.path, range, None)?, self.limits);
        let mut side = Side::default();
        let mut next = blocks.next(Vec::new())?;
        while let Some(mut block) = next {
            if let Some(overlong) = block.overlong
                && !std::mem::take(&mut within_line)
            {
                side.bytes += overlong.length + 1;
                side.lines += 1;
            }
            let ends = |bytes: &[u8]| memchr::memchr(b'\n', bytes).map(|end| end + 1);
            if within_line && !block.bytes.is_empty() {
                let rest = ends(&block.bytes).unwrap_or(block.bytes.len());
                block.bytes.drain(..rest);
                within_line = false;
            }
            if block.last && !is_end {
                let whole = memchr::memrchr(b'\n', &block.bytes).map_or(0, |end| end + 1);
                block.bytes.truncate(whole);
            }
            self.add_lines(&block, &mut side);
            next = blocks.next(block.bytes)?;
        }
        Ok(side)
    }

    fn add_lines(&self, block: &Block, side: &mut Side) {
        let lines = self.parse(block);
        side.bytes += block.bytes.len() as u64;
        side.lines += lines.ends;
        for entry in &lines.entries {
            if let Some(id) = entry.record.execution_id() {
                let id = id.decode();
                if !side.executions.contains(&*id) {
                    side.executions.insert((&*id).into());
                }
            }
        }
    }

    fn parse<'b>(&self, block: &'b Block) -> Lines<'b> {
        parse(block, false, Grammar::Format(self.format), self.limits)
    }
}
