//! Parses hunks whose `@@` line states no numbers. Models write them, because they can't count.
//!
//! Nothing states where such a hunk ends. It extends to the next `@@` or file header, so that
//! nothing between them is skipped.

use super::parse::{Reader, no_newline, row};
use super::{DiffError, Fault, Hunk, Limits, Line, Row, Side};

impl<'a> Reader<'a> {
    /// Returns whether an `@@` line without numbers is next. Text in it could be a place or a
    /// remark, so there may be none.
    pub(super) fn at_unplaced_hunk(&self) -> bool {
        let line = self.peek().unwrap_or_default().trim_ascii_end();
        matches!(line, b"@@" | b"@@ @@" | b"@@ ... @@")
    }

    /// Parses a hunk after an `@@` line without numbers.
    pub(super) fn unplaced_hunk(
        &mut self,
        number: usize,
        limits: &Limits,
    ) -> Result<Hunk<'a>, DiffError> {
        let at = self.line;
        self.next();
        let mut lines: Vec<Line<'a>> = Vec::new();
        // Number of empty lines at the end, which may also separate the parts of the diff. As
        // context, they could only rule out a place.
        let mut blank = 0usize;
        while !self.at_next_part() {
            let line = self.peek().unwrap_or_default();
            let side = match line.first() {
                Some(b'\\') => {
                    let fault = self.fault(Fault::NoNewline { hunk: number });
                    no_newline(&mut lines, line).ok_or(fault)?;
                    self.next();
                    continue;
                }
                Some(b' ' | b'\n') => Side::Both,
                Some(b'-') => Side::Old,
                Some(b'+') => Side::New,
                _ => return Err(self.fault(Fault::Marker { hunk: number })),
            };
            self.count_line(limits)?;
            let empty = line.first() == Some(&b'\n');
            blank = if empty { blank + 1 } else { 0 };
            let text = row(line.get(1..).filter(|_| !empty).unwrap_or_default());
            lines.push(Line {
                side,
                row: Row { text, ended: true },
            });
            self.next();
        }
        lines.truncate(lines.len().saturating_sub(blank));
        // A line without a line feed is the last one on its side.
        let is_last = |without: Side| {
            let mut others = lines.iter().filter(|l| l.side != without).rev().skip(1);
            others.all(|l| l.row.ended)
        };
        if !is_last(Side::New) || !is_last(Side::Old) {
            let fault = Fault::NoNewline { hunk: number };
            return Err(DiffError { line: at, fault });
        }
        if lines.is_empty() {
            let fault = Fault::Idle { hunk: number };
            return Err(DiffError { line: at, fault });
        }
        Ok(Hunk {
            line: at,
            old_start: 0,
            new_start: 0,
            unplaced: true,
            lines,
        })
    }
}
