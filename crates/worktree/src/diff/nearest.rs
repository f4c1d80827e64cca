//! Explains why a hunk doesn't apply: the nearest place, and the obstacle there.

use super::place::{Id, Image, best_overlap, occurrences};
use super::{Hunk, Row, Side};
use std::collections::HashMap;

/// Maximum number of characters shown of a line.
const SHOWN: usize = 160;

/// The place where a hunk would most likely have applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// Line of the file where the hunk would have started, from 1.
    pub line: usize,
    pub obstacle: Obstacle,
}

/// The reason why a hunk doesn't apply at its nearest place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// The old lines match, but the hunk must be at the start or the end of the file, or an earlier
    /// hunk has changed the lines.
    Elsewhere,
    /// The diff states no line, and the hunk fits at several places.
    Ambiguous {
        /// Number of those places.
        places: usize,
    },
    /// The new lines are in the file already.
    Applied,
    /// The lines differ only in white space.
    WhiteSpace,
    /// Only some of the lines match.
    Differs {
        /// Number of old lines that match.
        equal: usize,
        /// Number of old lines in the hunk.
        of: usize,
        /// Line of the diff with the first old line that differs, from 1.
        diff_line: usize,
        /// That line in the diff, shortened for display.
        expected: String,
        /// The corresponding line of the file, shortened; `None` after its end.
        found: Option<String>,
    },
}

/// Returns the place where a failed hunk would most likely have applied. Returns `None` if nothing
/// matches or the budget of work is used up.
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
    let nearest_at = |at: usize, obstacle| {
        Some(Nearest {
            line: at + 1,
            obstacle,
        })
    };
    if !old.is_empty()
        && let Some(at) = around(occurrences(image.lines(), old))
    {
        return nearest_at(at, Obstacle::Elsewhere);
    }
    if !new.is_empty()
        && let Some(at) = around(occurrences(image.lines(), new))
    {
        return nearest_at(at, Obstacle::Applied);
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
        return nearest_at(at, Obstacle::WhiteSpace);
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
    nearest_at(at, differs)
}

/// Returns the id of a line's text without white space.
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

/// Returns the line of the diff with the `n`th old line of a hunk. Each `\ No newline at end of
/// file` takes a line of its own.
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
