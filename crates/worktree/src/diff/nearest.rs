//! What to say of a hunk that doesn't apply: where it would have, and what is in its way.

use super::place::{Id, Image, best_overlap, occurrences};
use super::{Hunk, Row, Side};
use std::collections::HashMap;

/// Characters of a line that are shown.
const SHOWN: usize = 160;

/// Where a hunk would have applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// The line of the file, from 1, where it would have begun.
    pub line: usize,
    /// What is in its way.
    pub obstacle: Obstacle,
}

/// What keeps a hunk from applying at its nearest place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// Its old lines stand there, but it says that it begins or ends the file, or an earlier hunk
    /// has been there.
    Elsewhere,
    /// Its new lines stand there already.
    Applied,
    /// White space is all that differs.
    WhiteSpace,
    /// Some of its lines stand there.
    Differs {
        /// Old lines that stand there as they should.
        equal: usize,
        /// Old lines that it has.
        of: usize,
        /// Line of the diff, from 1, of the first one that doesn't.
        diff_line: usize,
        /// What the diff says there, cut to a length that can be shown.
        expected: String,
        /// What the file says there; `None` behind its end.
        found: Option<String>,
    },
}

/// Where a hunk that doesn't apply would have applied; `None` when nothing of it is to be found, or
/// when looking for it would take too long.
pub(super) fn nearest<'x>(
    image: &mut Image<'x>,
    hunk: &Hunk<'x>,
    old: &[Id],
    new: &[Id],
) -> Option<Nearest> {
    let around = |places: Vec<usize>| {
        places
            .into_iter()
            .min_by_key(|at| at.abs_diff(hunk.old_start.saturating_sub(1)))
    };
    image
        .spend(6 * (image.lines().len() + old.len() + new.len()))
        .ok()?;
    let said = |at: usize, obstacle| {
        Some(Nearest {
            line: at + 1,
            obstacle,
        })
    };
    if !old.is_empty()
        && let Some(at) = around(occurrences(image.lines(), old))
    {
        return said(at, Obstacle::Elsewhere);
    }
    if !new.is_empty()
        && let Some(at) = around(occurrences(image.lines(), new))
    {
        return said(at, Obstacle::Applied);
    }
    if old.is_empty() {
        return None;
    }
    let mut bare = HashMap::new();
    let text: Vec<Id> = image
        .lines()
        .iter()
        .map(|id| without_space(image, *id, &mut bare))
        .collect();
    let pattern: Vec<Id> = old
        .iter()
        .map(|id| without_space(image, *id, &mut bare))
        .collect();
    if let Some(at) = around(occurrences(&text, &pattern)) {
        return said(at, Obstacle::WhiteSpace);
    }
    let (at, equal) = best_overlap(image.lines(), old)?;
    let old_lines = hunk.lines.iter().filter(|l| l.side != Side::New);
    let (n, (line, _)) = old_lines
        .zip(old)
        .enumerate()
        .find(|(n, (_, id))| image.lines().get(at + n) != Some(id))?;
    let found = image
        .lines()
        .get(at + n)
        .and_then(|id| image.row(*id))
        .map(show);
    let differs = Obstacle::Differs {
        equal,
        of: old.len(),
        diff_line: diff_line(hunk, n),
        expected: show(line.row),
        found,
    };
    said(at, differs)
}

/// The number of a line's text without its white space.
fn without_space(image: &Image<'_>, id: Id, bare: &mut HashMap<Vec<u8>, Id>) -> Id {
    let text = image.row(id).map(|r| {
        r.text
            .iter()
            .copied()
            .filter(|b| !b.is_ascii_whitespace())
            .collect::<Vec<u8>>()
    });
    let next = Id::try_from(bare.len()).unwrap_or(Id::MAX);
    *bare.entry(text.unwrap_or_default()).or_insert(next)
}

/// The line of the diff where the `n`th old line of a hunk stands. Marks of a missing line feed
/// stand on lines of their own.
fn diff_line(hunk: &Hunk<'_>, n: usize) -> usize {
    let mut line = hunk.line;
    let mut old = 0;
    for l in &hunk.lines {
        line += 1;
        if l.side != Side::New {
            if old == n {
                return line;
            }
            old += 1;
        }
        line += usize::from(!l.row.ended);
    }
    line
}

fn show(row: Row<'_>) -> String {
    let text = String::from_utf8_lossy(row.text);
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    if !row.ended {
        shown.push_str(" (no newline at the end)");
    }
    shown
}
