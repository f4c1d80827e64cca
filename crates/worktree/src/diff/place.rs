//! Where a hunk belongs: at the line that it names, or at the nearest one where its old lines
//! stand.

use super::Row;
use rustc_hash::FxHashMap;
use std::collections::HashMap;

/// The number of a line's text: equal numbers are equal bytes.
pub(super) type Id = u32;

/// What no line has: it stands for lines that an earlier hunk has made.
const MADE: Id = Id::MAX;

/// A file while hunks are applied to it.
pub(super) struct Image<'x> {
    names: HashMap<Row<'x>, Id>,
    rows: Vec<Row<'x>>,
    /// The lines as hunks may match them.
    seen: Vec<Id>,
    /// The lines as they are.
    real: Vec<Id>,
    /// What may still be spent.
    work: usize,
}

/// More searching than a diff may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMuchWork;

impl<'x> Image<'x> {
    pub(super) fn new(content: &'x [u8], work: usize) -> Self {
        let mut image = Self {
            names: HashMap::new(),
            rows: Vec::new(),
            seen: Vec::new(),
            real: Vec::new(),
            work,
        };
        for line in content.split_inclusive(|b| *b == b'\n') {
            let text = line.strip_suffix(b"\n");
            let id = image.id(Row {
                text: text.unwrap_or(line),
                ended: text.is_some(),
            });
            image.real.push(id);
        }
        image.seen.clone_from(&image.real);
        image
    }

    /// The number of a text.
    pub(super) fn id(&mut self, row: Row<'x>) -> Id {
        let next = Id::try_from(self.rows.len()).unwrap_or(MADE - 1);
        *self.names.entry(row).or_insert_with(|| {
            self.rows.push(row);
            next
        })
    }

    pub(super) fn row(&self, id: Id) -> Option<Row<'x>> {
        self.rows.get(id as usize).copied()
    }

    pub(super) fn lines(&self) -> &[Id] {
        &self.real
    }

    /// Whether it has no bytes left.
    pub(super) fn is_empty(&self) -> bool {
        self.real.is_empty()
    }

    /// What is left to spend.
    pub(super) fn work(&self) -> usize {
        self.work
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), TooMuchWork> {
        self.work = self.work.checked_sub(steps).ok_or(TooMuchWork)?;
        Ok(())
    }

    /// The line (from 0) where `old` stands, nearest to `expected`; the later of two that are as
    /// near. As git does it, a hunk that says that it stands at an end of the file is looked for
    /// only there.
    pub(super) fn find(
        &mut self,
        old: &[Id],
        expected: usize,
        start: bool,
        end: bool,
    ) -> Result<Option<usize>, TooMuchWork> {
        let Some(last) = self.seen.len().checked_sub(old.len()) else {
            return Ok(None);
        };
        self.spend(old.len())?;
        let stands = |at: usize| self.seen.get(at..at + old.len()) == Some(old);
        match (start, end) {
            (true, true) if last != 0 => return Ok(None),
            (true, _) => return Ok(stands(0).then_some(0)),
            (false, true) => return Ok(stands(last).then_some(last)),
            (false, false) => {}
        }
        let expected = expected.min(self.seen.len());
        if stands(expected) {
            return Ok(Some(expected));
        }
        self.spend(self.seen.len() + old.len())?;
        let distance = |at: &usize| (at.abs_diff(expected), *at < expected);
        Ok(occurrences(&self.seen, old)
            .into_iter()
            .min_by_key(distance))
    }

    /// Puts `new` in the place of `count` lines at `at`. Later hunks may not match what this one
    /// has made.
    pub(super) fn replace(
        &mut self,
        at: usize,
        count: usize,
        new: &[Id],
    ) -> Result<(), TooMuchWork> {
        // Moving the lines behind is quicker than comparing them.
        self.spend(new.len() + self.real.len().saturating_sub(at) / 8)?;
        let end = (at + count).min(self.real.len());
        self.real.splice(at..end, new.iter().copied());
        self.seen.splice(at..end, new.iter().map(|_| MADE));
        Ok(())
    }

    /// The bytes of the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for row in self.real.iter().filter_map(|id| self.row(*id)) {
            out.extend_from_slice(row.text);
            if row.ended {
                out.push(b'\n');
            }
        }
        out
    }
}

/// Everywhere that `pattern` stands in `text`, in linear time (Knuth, Morris and Pratt).
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

/// Where most lines of `pattern` stand as they should, in order and without gaps: the place, and
/// how many. Lines that the pattern repeats often say little and aren't counted.
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
