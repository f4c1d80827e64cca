//! Finds the place of a hunk: the stated line, or the nearest line where its old lines match.

use super::{Hunk, Row};
use rustc_hash::FxHashMap;
use std::collections::HashMap;

/// The id of a line's text. Equal ids mean equal bytes.
pub(super) type Id = u32;

/// The id for lines that an earlier hunk has inserted. No line of a hunk has it.
const INSERTED: Id = Id::MAX;

/// A file to which hunks are applied.
pub(super) struct Image<'x> {
    ids: HashMap<Row<'x>, Id>,
    rows: Vec<Row<'x>>,
    /// The lines as hunks may match them: inserted lines are masked.
    matchable: Vec<Id>,
    current: Vec<Id>,
    /// The lines before all hunks, if one of them states no line.
    before: Vec<Id>,
    /// The last line has no line feed, and hunks may treat it as if it had one.
    open_end: bool,
    /// The remaining budget of work.
    work: usize,
}

/// The search exceeds the budget of the diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMuchWork;

impl<'x> Image<'x> {
    pub(super) fn new(content: &'x [u8], hunks: &[Hunk<'x>], work: usize) -> Self {
        // Who can't count lines doesn't see either whether the last one has a line feed. It keeps
        // what it has.
        let open_end = content.last().is_some_and(|b| *b != b'\n')
            && hunks
                .iter()
                .all(|h| h.unplaced && h.lines.iter().all(|l| l.row.ended));
        let mut image = Self {
            ids: HashMap::new(),
            rows: Vec::new(),
            matchable: Vec::new(),
            current: Vec::new(),
            before: Vec::new(),
            open_end,
            work,
        };
        for line in content.split_inclusive(|b| *b == b'\n') {
            let text = line.strip_suffix(b"\n");
            let id = image.id(Row {
                text: text.unwrap_or(line),
                ended: text.is_some() || open_end,
            });
            image.current.push(id);
        }
        image.matchable.clone_from(&image.current);
        if hunks.iter().any(|h| h.unplaced) {
            image.before.clone_from(&image.current);
        }
        image
    }

    /// Returns the id of a line's text.
    pub(super) fn id(&mut self, row: Row<'x>) -> Id {
        let next = Id::try_from(self.rows.len()).unwrap_or(INSERTED - 1);
        *self.ids.entry(row).or_insert_with(|| {
            self.rows.push(row);
            next
        })
    }

    pub(super) fn row(&self, id: Id) -> Option<Row<'x>> {
        self.rows.get(id as usize).copied()
    }

    pub(super) fn lines(&self) -> &[Id] {
        &self.current
    }

    /// Returns whether the file has no bytes left.
    pub(super) fn is_empty(&self) -> bool {
        self.current.is_empty()
    }

    /// Returns the remaining budget of work.
    pub(super) fn work(&self) -> usize {
        self.work
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), TooMuchWork> {
        self.work = self.work.checked_sub(steps).ok_or(TooMuchWork)?;
        Ok(())
    }

    /// Returns the line (from 0) nearest to `expected` where `old` matches; of two equally near,
    /// the later one. Like git, it tries a hunk for the start or the end of the file only there.
    pub(super) fn find(
        &mut self,
        old: &[Id],
        expected: usize,
        start: bool,
        end: bool,
    ) -> Result<Option<usize>, TooMuchWork> {
        let Some(last) = self.matchable.len().checked_sub(old.len()) else {
            return Ok(None);
        };
        self.spend(old.len())?;
        let matches_at = |at: usize| self.matchable.get(at..at + old.len()) == Some(old);
        match (start, end) {
            (true, true) if last != 0 => return Ok(None),
            (true, _) => return Ok(matches_at(0).then_some(0)),
            (false, true) => return Ok(matches_at(last).then_some(last)),
            (false, false) => {}
        }
        let expected = expected.min(self.matchable.len());
        if matches_at(expected) {
            return Ok(Some(expected));
        }
        self.spend(self.matchable.len() + old.len())?;
        let distance = |at: &usize| (at.abs_diff(expected), *at < expected);
        Ok(occurrences(&self.matchable, old)
            .into_iter()
            .min_by_key(distance))
    }

    /// Returns the only line (from 0) where `old` matches, or the number of places where it does.
    /// Whether a tool searches the file before or after the earlier hunks, it must find the same.
    pub(super) fn find_only(&mut self, old: &[Id]) -> Result<Result<usize, usize>, TooMuchWork> {
        self.spend(self.before.len() + self.current.len() + 2 * old.len())?;
        let before = occurrences(&self.before, old).len();
        let now = occurrences(&self.current, old);
        Ok(match *now {
            [at] if before == 1 && self.matchable.get(at..at + old.len()) == Some(old) => Ok(at),
            _ => Err(before.max(now.len())),
        })
    }

    /// Replaces `count` lines at `at` by `new`. Later hunks can't match the inserted lines.
    pub(super) fn replace(
        &mut self,
        at: usize,
        count: usize,
        new: &[Id],
    ) -> Result<(), TooMuchWork> {
        // Moving a line is cheaper than comparing it.
        self.spend(new.len() + self.current.len().saturating_sub(at) / 8)?;
        let end = (at + count).min(self.current.len());
        self.current.splice(at..end, new.iter().copied());
        self.matchable.splice(at..end, new.iter().map(|_| INSERTED));
        Ok(())
    }

    /// Returns the bytes of the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for row in self.current.iter().filter_map(|id| self.row(*id)) {
            out.extend_from_slice(row.text);
            if row.ended {
                out.push(b'\n');
            }
        }
        if self.open_end {
            out.pop();
        }
        out
    }
}

/// Returns all places where `pattern` occurs in `text`, in linear time (Knuth, Morris and Pratt).
pub(super) fn occurrences(text: &[Id], pattern: &[Id]) -> Vec<usize> {
    let Some(first) = pattern.first() else {
        return (0..=text.len()).collect();
    };
    let get = |n: usize| pattern.get(n).copied();
    let mut borders = vec![0usize; pattern.len()];
    let mut border = 0usize;
    for (n, id) in pattern.iter().enumerate().skip(1) {
        while border > 0 && get(border) != Some(*id) {
            border = borders.get(border - 1).copied().unwrap_or_default();
        }
        border += usize::from(get(border) == Some(*id));
        if let Some(slot) = borders.get_mut(n) {
            *slot = border;
        }
    }
    let mut found = Vec::new();
    let mut matched = 0usize;
    for (n, id) in text.iter().enumerate() {
        if matched == 0 && id != first {
            continue;
        }
        while matched > 0 && get(matched) != Some(*id) {
            matched = borders.get(matched - 1).copied().unwrap_or_default();
        }
        matched += usize::from(get(matched) == Some(*id));
        if matched == pattern.len() {
            found.push(n + 1 - matched);
            matched = borders.get(matched - 1).copied().unwrap_or_default();
        }
    }
    found
}

/// Returns the place where the most lines of `pattern` match, in order and without gaps, and their
/// number. Lines that are frequent in the pattern carry little information and aren't counted.
pub(super) fn best_overlap(text: &[Id], pattern: &[Id]) -> Option<(usize, usize)> {
    const OFTEN: usize = 8;
    let mut positions: FxHashMap<Id, Vec<usize>> = FxHashMap::default();
    for (n, id) in pattern.iter().enumerate() {
        positions.entry(*id).or_default().push(n);
    }
    positions.retain(|_, at| at.len() <= OFTEN);
    let mut votes: FxHashMap<usize, usize> = FxHashMap::default();
    for (n, id) in text.iter().enumerate() {
        for start in positions
            .get(id)
            .into_iter()
            .flatten()
            .filter_map(|p| n.checked_sub(*p))
        {
            *votes.entry(start).or_default() += 1;
        }
    }
    votes
        .into_iter()
        .max_by_key(|(at, count)| (*count, std::cmp::Reverse(*at)))
}
