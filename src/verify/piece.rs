//! Pieces of a large input that several shares read, and how their results become one.
//!
//! A piece begins where a line belongs to another execution than the line before it. Executions
//! with records on both sides of a cut are left out, and read at the end, around the cut. The
//! results count only if no execution appears in two of them and nothing concerns the whole input,
//! such as a record that belongs to no execution, a secret, or a limit. Otherwise the input is read
//! again as a whole.

mod cut;

pub(super) use cut::Seam;

use super::Options;
use super::bounds::Bounds;
use super::input_result::InputResult;
use super::kept_text::execution_name;
use super::signed::MOST_OF_WORKER;
use super::timeline;
use crate::diag::{Finding, Severity};
use crate::replay::Summary;
use crate::source::{Blocks, Found, Input, Part, open_range};
use crate::trace::formats::Format;
use borsh::{BorshDeserialize, BorshSerialize};
use cut::{Crossing, Cut};
use std::collections::{BTreeSet, HashSet};
use std::io;
use std::ops::Range;
use std::path::Path;

/// Minimum size in bytes of an input that is divided.
const DIVISIBLE: u64 = 1 << 20;

/// A piece of an input, and what is known about it after reading it.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct Piece {
    pub(super) bytes: Range<u64>,
    /// Size of the whole input in bytes.
    pub(super) size: u64,
    /// Number of lines that end in it.
    pub(super) lines: u64,
    /// Whether nothing in it concerns the whole input.
    pub(super) is_independent: bool,
    pub(super) workers: Vec<Load>,
    /// The executions that cross its ends, which it leaves out.
    at_start: Crossing,
    at_end: Crossing,
    /// The first line that it leaves out because of its end.
    #[borsh(skip)]
    first_left_out: Option<u64>,
    /// Hashes of the names of its executions.
    executions: BTreeSet<u64>,
}

impl Piece {
    /// Creates what is known about a seam before reading it.
    pub(super) fn of_seam(seam: &Seam) -> Self {
        Self {
            bytes: seam.bytes.clone(),
            is_independent: true,
            ..Self::default()
        }
    }

    /// Returns whether a file can have such a piece. Each of its lines has at least one byte.
    pub(super) fn is_plausible(&self) -> bool {
        let Some(length) = self.bytes.end.checked_sub(self.bytes.start) else {
            return false;
        };
        let mut ends = [&self.at_start, &self.at_end].into_iter();
        let lies_within = |end: &Crossing| end.bytes <= length && end.lines <= self.lines;
        self.bytes.end <= self.size
            && self.lines <= length
            && ends.all(|end| end.executions.is_empty() || lies_within(end))
    }

    /// Returns whether executions cross its ends.
    fn has_crossings(&self) -> bool {
        let mut ends = [&self.at_start, &self.at_end].into_iter();
        ends.any(|end| !end.executions.is_empty())
    }

    /// Allows only whole executions in it.
    pub(super) fn refuse_crossings(&mut self) {
        self.is_independent &= !self.has_crossings();
    }

    /// Notes an execution that is read with it.
    pub(super) fn add_execution(&mut self, execution: &str) {
        self.executions
            .insert(util::keyed_hash(&*execution_name(execution)));
    }

    /// Returns whether a record of this execution is left out.
    pub(super) fn leaves_out(&mut self, execution: &str, line: u64) -> bool {
        let crosses = |end: &Crossing| end.executions.contains(execution);
        if crosses(&self.at_start) {
            self.is_independent &= line <= self.at_start.lines;
            return true;
        }
        let is_left_out = crosses(&self.at_end);
        if is_left_out && self.first_left_out.is_none() {
            self.first_left_out = Some(line);
        }
        is_left_out
    }

    /// Keeps only where it lies, since the input is read again. Its ids may be secret.
    pub(super) fn forget_content(&mut self) {
        *self = Self {
            bytes: self.bytes.clone(),
            size: self.size,
            lines: self.lines,
            ..Self::default()
        };
    }

    /// Ends it after this number of lines.
    pub(super) fn end(&mut self, lines: u64) {
        self.lines = lines;
        let kept = lines.saturating_sub(self.at_end.lines);
        self.is_independent &= self.first_left_out.is_none_or(|line| line > kept);
    }
}

/// What one worker kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct Load {
    pub(super) executions: u64,
    /// The most bytes that executions held.
    pub(super) held: u64,
    /// Numbers of findings by severity.
    pub(super) findings: [u64; 3],
    /// Number of findings that are folded under others.
    pub(super) folded: u64,
    /// Number of signed decisions.
    pub(super) signed: u64,
}

impl Load {
    /// Counts a finding.
    pub(super) fn count(&mut self, severity: Severity) {
        if let Some(count) = self.findings.get_mut(severity as usize) {
            *count += 1;
        }
    }

    fn add(&mut self, other: &Self) {
        self.executions = self.executions.saturating_add(other.executions);
        self.held = self.held.saturating_add(other.held);
        self.folded = self.folded.saturating_add(other.folded);
        self.signed = self.signed.saturating_add(other.signed);
        for (count, other) in self.findings.iter_mut().zip(other.findings) {
            *count = count.saturating_add(other);
        }
    }

    /// Returns whether a worker that has to keep all this stays below its bounds.
    fn is_within(&self, bounds: Bounds) -> bool {
        let below = |count: u64, bound: usize| count < bound as u64;
        below(self.executions, bounds.executions)
            && below(self.held, bounds.held)
            && below(self.folded, bounds.folded)
            && below(self.signed, MOST_OF_WORKER)
            && below(
                self.findings
                    .iter()
                    .fold(0, |sum, n| sum.saturating_add(*n)),
                bounds.findings,
            )
    }
}

/// Returns the format of an input if it can be divided.
pub(super) fn divisible(found: &Found, part: &Part, options: &Options) -> Option<Format> {
    let Input::File(path) = &found.input else {
        return None;
    };
    // The input may have to be read again under its name.
    let name = Path::new(&found.name);
    if name != path && Path::new(".").join(name) != *path {
        return None;
    }
    let size = DIVISIBLE..=options.limits.input_bytes;
    if !size.contains(&part.size) || options.schema.is_some() {
        return None;
    }
    let mut blocks = Blocks::new(open_range(path, 0..part.size, None).ok()?, options.limits);
    let first = blocks.next(Vec::new()).ok()??;
    let line = first.bytes.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let format = Format::of_record(line, options.limits.depth)?;
    let is_chosen = options.format.is_none_or(|chosen| chosen == format);
    (is_chosen && format.is_divisible()).then_some(format)
}

/// Returns the piece of an input that lies in a share: whole lines, and as far as possible whole
/// executions.
pub(super) fn piece(
    found: &Found,
    part: &Part,
    format: Format,
    options: &Options,
) -> io::Result<Piece> {
    let Input::File(path) = &found.input else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let cut = |near| Cut::new(path, (near, part), format, options.limits);
    let (start, end) = (cut(part.bytes.start)?, cut(part.bytes.end)?);
    let ((_, at_start), (at_end, _)) = (start.crossing()?, end.crossing()?);
    let bytes = start.at..end.at;
    // Where the parts are small, executions may cross more than one cut.
    let has_room = |crossing: &Crossing| {
        crossing.executions.is_empty() || crossing.bytes <= bytes.end - bytes.start
    };
    let is_independent = has_room(&at_start)
        && has_room(&at_end)
        && at_start.executions.is_disjoint(&at_end.executions);
    Ok(Piece {
        bytes,
        size: part.size,
        is_independent,
        at_start,
        at_end,
        ..Piece::default()
    })
}

/// Reads the executions of a seam.
pub(super) type ReadSeam<'r, E> = dyn FnMut(&Seam) -> Result<InputResult, E> + 'r;

/// Joins the results of all pieces of one input, in their order, with what `read` finds at the
/// seams. Returns `None` if the input must be read as a whole.
pub(super) fn join<E>(
    mut pieces: Vec<InputResult>,
    options: &Options,
    read: &mut ReadSeam<'_, E>,
) -> Result<Option<InputResult>, E> {
    let is_independent = |result: &InputResult| {
        let piece = result.piece.as_ref();
        piece.is_some_and(|piece| piece.is_independent)
    };
    if !pieces.iter().all(is_independent) {
        return Ok(None);
    }
    let Some(seams) = seams(&pieces) else {
        return Ok(None);
    };
    let mut lines = 0_u64;
    for result in &mut pieces {
        shift(result, lines);
        lines = lines.saturating_add(result.piece.as_ref().map_or(0, |piece| piece.lines));
    }
    for seam in &seams {
        let result = read(seam)?;
        if !is_independent(&result) {
            return Ok(None);
        }
        pieces.push(result);
    }
    Ok(can_be_joined(&pieces, options).then(|| joined(pieces, options)))
}

/// Returns whether no execution is in two results, and all together stay below the bounds of one
/// run.
fn can_be_joined(results: &[InputResult], options: &Options) -> bool {
    let mut loads: Vec<Load> = Vec::new();
    let mut executions = HashSet::new();
    for piece in results.iter().filter_map(|result| result.piece.as_ref()) {
        if !piece.executions.iter().all(|hash| executions.insert(*hash)) {
            return false;
        }
        let workers = &piece.workers;
        loads.resize(loads.len().max(workers.len()), Load::default());
        for (load, other) in loads.iter_mut().zip(workers) {
            load.add(other);
        }
    }
    let workers = loads.len() as u64;
    let bounds = Bounds::for_workers(&options.limits, options.kept_findings(), workers);
    loads.iter().all(|load| load.is_within(bounds))
}

fn joined(results: Vec<InputResult>, options: &Options) -> InputResult {
    let mut results = results.into_iter();
    let mut whole = results.next().unwrap_or_default();
    whole.piece = None;
    let mut timelines = vec![std::mem::take(&mut whole.timeline)];
    for mut result in results {
        let known = whole.counts.known_inputs;
        whole.counts.add(&result.counts);
        whole.counts.known_inputs = known;
        whole.format = whole.format.or(result.format);
        whole.units.add(&result.units);
        whole.summaries.append(&mut result.summaries);
        whole.condensed.append(&mut result.condensed);
        whole.findings.append(&mut result.findings);
        whole.failed_unlisted.append(&mut result.failed_unlisted);
        whole.signed.absorb(result.signed);
        timelines.push(result.timeline);
    }
    timeline::merge(&mut whole.timeline, timelines, options.max_turns);
    whole
}

/// Returns the seams between pieces, in their order; `None` if neighbours don't agree on them.
fn seams(pieces: &[InputResult]) -> Option<Vec<Seam>> {
    let mut seams = Vec::new();
    let nothing = Crossing::default();
    let mut left_out = &nothing;
    let mut lines = 0_u64;
    for piece in pieces.iter().filter_map(|result| result.piece.as_ref()) {
        let right = &piece.at_start;
        if left_out.executions != right.executions {
            return None;
        }
        if !right.executions.is_empty() {
            let cut = piece.bytes.start;
            seams.push(Seam {
                executions: right.executions.clone(),
                bytes: cut.checked_sub(left_out.bytes)?..cut.checked_add(right.bytes)?,
                line: lines.checked_sub(left_out.lines)?.checked_add(1)?,
            });
        }
        lines = lines.checked_add(piece.lines)?;
        left_out = &piece.at_end;
    }
    left_out.executions.is_empty().then_some(seams)
}

/// Adds a number to all line numbers of a result.
fn shift(result: &mut InputResult, lines: u64) {
    result
        .findings
        .iter_mut()
        .for_each(|finding| shift_finding(finding, lines));
    for summary in &mut result.summaries {
        shift_summary(summary, lines);
    }
    result.signed.shift(lines);
    result.timeline.shift(lines);
    for kept in &mut result.condensed {
        kept.lines_before = kept.lines_before.saturating_add(lines);
    }
}

fn shift_finding(finding: &mut Finding, lines: u64) {
    // A finding about the input as a whole has no line.
    if finding.place.line > 0 {
        finding.place.line = finding.place.line.saturating_add(lines);
    }
    for related in &mut finding.related {
        related.line = related.line.saturating_add(lines);
        for folded in &mut related.folded {
            shift_finding(folded, lines);
        }
    }
}

fn shift_summary(summary: &mut Summary, lines: u64) {
    summary.line = summary.line.saturating_add(lines);
    if let Some(violation) = &mut summary.violation {
        violation.line = violation.line.saturating_add(lines);
        for (line, ..) in &mut violation.path {
            *line = line.saturating_add(lines);
        }
    }
    if let Some(actions) = &mut summary.actions_of_session {
        actions.shift(lines);
    }
}

#[cfg(test)]
mod tests;
