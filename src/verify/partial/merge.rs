//! Merges partial results into the report that one run over all inputs gives.

use super::super::input::{verify as verify_input, verify_seam};
use super::super::input_result::InputResult;
use super::super::piece::{Seam, join};
use super::frames::{Frame, FrameReader};
use super::{Command, Header, Trailer, common_key};
use crate::source::{Found, Input, NO_ENDING, SKIP_REASONS, Skipped, open_regular};
use crate::trace::formats::{Format, OwnCalls};
use crate::verify::{Options, Report, finish};
use content_scan::mask::HIDDEN;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashSet};
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The reason why partial results can't be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error("can't read `{}`: {why}", .path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error("`{}` and `{}` are of different runs: their {what} differ", .one.display(), .other.display())]
    Different {
        one: PathBuf,
        other: PathBuf,
        what: &'static str,
    },
    #[error("the share {number}/{of} is missing")]
    Missing { number: u32, of: u32 },
    #[error("the share {number}/{of} is there twice: `{}` and `{}`", .one.display(), .other.display())]
    Doubled {
        number: u32,
        of: u32,
        one: PathBuf,
        other: PathBuf,
    },
    #[error("the input `{name}` is in two partial results, the second time in `{}`", .path.display())]
    DoubledInput { name: String, path: PathBuf },
    #[error("{0}")]
    Full(String),
    #[error("the pieces of `{0}` don't fit: it was changed between the shares")]
    Changed(String),
    #[error("`{0}` must be read again, and isn't here as the shares found it")]
    NeedsInput(String),
    #[error("an input must be read again, and the options of the run can't be restored: {0}")]
    Options(String),
}

/// What was merged.
#[derive(Debug)]
pub struct Merged {
    pub report: Report,
    /// The header of the first share.
    pub header: Header,
    /// The paths of all runs, each once.
    pub paths: Vec<String>,
}

/// Reads a partial result.
struct PartialReader<R> {
    frames: FrameReader<R>,
    header: Header,
    /// Number of inputs that were read.
    inputs: u64,
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

impl<R: Read> PartialReader<R> {
    fn new(from: R) -> io::Result<Self> {
        let mut frames = FrameReader::new(from)?;
        if frames.next()? != Frame::Header {
            return Err(invalid("it has no header"));
        }
        Ok(Self {
            header: frames.content()?,
            frames,
            inputs: 0,
        })
    }

    /// Returns the result of the next input, or the end.
    fn next(&mut self) -> io::Result<Result<InputResult, Trailer>> {
        match self.frames.next()? {
            Frame::Header => Err(invalid("it has two headers")),
            Frame::Input => {
                let mut result: InputResult = self.frames.content()?;
                if !result.name_rules() {
                    return Err(invalid("it contains a finding of an unknown rule"));
                }
                if !result.is_plausible() {
                    return Err(invalid("it contains counts that no input has"));
                }
                self.inputs += 1;
                Ok(Ok(result))
            }
            Frame::Trailer => {
                let trailer: Trailer = self.frames.content()?;
                self.frames.finish()?;
                if trailer.inputs != self.inputs {
                    return Err(invalid("it is incomplete"));
                }
                Ok(Err(trailer))
            }
        }
    }
}

/// Returns the names of the inputs in a partial result.
///
/// # Errors
/// When it is damaged.
pub fn inputs_of(partial: impl Read) -> io::Result<Vec<String>> {
    let mut reader = PartialReader::new(partial)?;
    let mut names = Vec::new();
    while let Ok(result) = reader.next()? {
        names.push(result.file.to_string());
    }
    Ok(names)
}

/// The partial result in a file.
struct Part {
    path: PathBuf,
    header: Header,
    /// Name of its first input.
    first: Option<Arc<str>>,
    /// `None` before the first input is wanted, so that only as many files are open as have inputs
    /// at the same place.
    reader: Option<PartialReader<BufReader<File>>>,
    /// The end, once it was read.
    trailer: Option<Trailer>,
}

fn open(path: &Path) -> io::Result<PartialReader<BufReader<File>>> {
    PartialReader::new(BufReader::new(open_regular(path)?))
}

impl Part {
    fn new(path: &Path) -> Result<Self, MergeError> {
        let read = || {
            let mut reader = open(path)?;
            let next = reader.next()?;
            Ok((reader.header, next))
        };
        let (header, next) = read().map_err(|error| unreadable(path, &error))?;
        let (first, trailer) = match next {
            Ok(result) => (Some(result.file), None),
            Err(trailer) => (None, Some(trailer)),
        };
        Ok(Self {
            path: path.to_path_buf(),
            header,
            first,
            reader: None,
            trailer,
        })
    }

    /// Returns the result of the next input; `None` at the end.
    fn next(&mut self) -> Result<Option<InputResult>, MergeError> {
        if self.trailer.is_some() {
            return Ok(None);
        }
        let next = match &mut self.reader {
            Some(reader) => reader.next(),
            None => open(&self.path).and_then(|reader| self.reader.insert(reader).next()),
        };
        match next.map_err(|error| unreadable(&self.path, &error))? {
            Ok(result) => Ok(Some(result)),
            Err(trailer) => {
                (self.reader, self.trailer) = (None, Some(trailer));
                Ok(None)
            }
        }
    }
}

fn unreadable(path: &Path, error: &io::Error) -> MergeError {
    let why = match error.kind() {
        ErrorKind::UnexpectedEof => "it is incomplete".to_owned(),
        _ => error.to_string(),
    };
    MergeError::Unreadable {
        path: path.to_path_buf(),
        why,
    }
}

/// Restores the options of a run, to read one of its inputs again.
pub type OptionsOf<'o> = dyn FnMut(&Header) -> Result<Options, String> + 'o;

/// Receives what a command has kept of each input, in the order of their names.
pub type OnCondensed<'c> = dyn FnMut(Command, &[u8]) -> io::Result<()> + 'c;

/// What is read again of an input.
enum Again<'s> {
    Whole,
    Seam(&'s Seam, Format),
}

/// Reads an input again, given its name and size.
type ReadAgain<'r> = dyn FnMut(&str, u64, Again<'_>) -> Result<InputResult, MergeError> + 'r;

/// Reads an input again, which must have the size that the shares found.
fn read_again(
    (name, size): (&str, u64),
    what: Again<'_>,
    options: &Options,
) -> Result<InputResult, MergeError> {
    let path = PathBuf::from(name);
    let about = path.metadata();
    if !about.is_ok_and(|about| about.is_file() && about.len() == size) {
        return Err(MergeError::NeedsInput(name.to_owned()));
    }
    let found = Found {
        name: name.to_owned(),
        input: Input::File(path),
    };
    Ok(match what {
        Again::Whole => verify_input(&Ok(found), options, OwnCalls::default(), None),
        Again::Seam(seam, format) => verify_seam((&found, seam), format, options),
    })
}

/// Merges the partial results of all shares of one or several runs. An input whose pieces can't be
/// joined is read again, with the options that `options_of` restores. `on_condensed` receives what
/// the command has kept of each input.
///
/// # Errors
/// When a share is missing, damaged or there twice, or shares are of different runs.
pub fn merge(
    paths: &[PathBuf],
    options_of: &mut OptionsOf<'_>,
    on_condensed: &mut OnCondensed<'_>,
) -> Result<Merged, MergeError> {
    let mut parts: Vec<Part> = paths
        .iter()
        .map(|path| Part::new(path))
        .collect::<Result<_, _>>()?;
    parts.sort_by_key(|part| (part.header.plan, part.header.share));
    check_runs(&parts)?;
    let Some(header) = parts.first().map(|part| part.header.clone()) else {
        return Err(MergeError::Missing { number: 1, of: 1 });
    };
    let options = header.options.restored();
    // An input that is read again is compared with others.
    let has_key = common_key(&header.run) == header.key;
    let mut again = |name: &str, size, what: Again<'_>| {
        if !has_key {
            let why = "the process has verified another run";
            return Err(MergeError::Options(why.to_owned()));
        }
        let options = options_of(&header).map_err(MergeError::Options)?;
        read_again((name, size), what, &options)
    };
    let command = header.options.command;
    let keeps_more = matches!(command, Command::Audit | Command::PolicyReplay);
    let mut on_condensed = |bytes: &[u8]| match bytes.is_empty() {
        true if keeps_more => Err(invalid("it lacks what its command keeps of an input")),
        true => Ok(()),
        false => on_condensed(command, bytes),
    };
    let report = add_inputs(&mut parts, &options, &mut again, &mut on_condensed)?;
    let report = finish(report, &options);
    let mut paths = header.paths.clone();
    let mut seen: HashSet<&str> = header.paths.iter().map(String::as_str).collect();
    let others = parts.iter().flat_map(|part| &part.header.paths);
    paths.extend(others.filter(|path| seen.insert(path.as_str())).cloned());
    Ok(Merged {
        report,
        header,
        paths,
    })
}

/// Checks that the parts, sorted by plan and share, are those of one run, and that each is there
/// once.
fn check_runs(parts: &[Part]) -> Result<(), MergeError> {
    let Some(first) = parts.first() else {
        return Ok(());
    };
    for part in parts {
        let (a, b) = (&first.header, &part.header);
        let what = match () {
            () if a.version != b.version => "versions",
            () if a.options != b.options => "options",
            () if a.run != b.run || a.key != b.key => "names or inputs",
            () => continue,
        };
        return Err(MergeError::Different {
            one: first.path.clone(),
            other: part.path.clone(),
            what,
        });
    }
    if first.header.version != env!("CARGO_PKG_VERSION") {
        return Err(unreadable(
            &first.path,
            &invalid("another version of the program wrote it"),
        ));
    }
    for run in parts.chunk_by(|a, b| a.header.plan == b.header.plan) {
        let mut before: Option<&Part> = None;
        for part in run {
            let (number, of) = part.header.share;
            let (last, all) = before.map_or((0, of), |part| part.header.share);
            if all != of {
                return Err(MergeError::Different {
                    one: before.unwrap_or(part).path.clone(),
                    other: part.path.clone(),
                    what: "numbers of shares",
                });
            }
            let is_empty = part.first.is_none() && of == 1;
            if number == last && !is_empty {
                return Err(MergeError::Doubled {
                    number,
                    of,
                    one: before.unwrap_or(part).path.clone(),
                    other: part.path.clone(),
                });
            }
            if number > last + 1 {
                return Err(MergeError::Missing {
                    number: last + 1,
                    of,
                });
            }
            before = Some(part);
        }
        if let Some((number, of)) = before.map(|part| part.header.share)
            && number < of
        {
            return Err(MergeError::Missing {
                number: number + 1,
                of,
            });
        }
    }
    Ok(())
}

/// Adds the inputs of all parts to a report, in the order of their names. `again` reads an input
/// whose pieces can't be joined as they are.
fn add_inputs(
    parts: &mut [Part],
    options: &Options,
    again: &mut ReadAgain<'_>,
    on_condensed: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> Result<Report, MergeError> {
    let mut report = Report::default();
    // The parts by the name of their next input.
    let mut queue: BinaryHeap<Reverse<(Arc<str>, usize)>> = BinaryHeap::new();
    for (n, part) in parts.iter().enumerate() {
        queue.extend(part.first.clone().map(|name| Reverse((name, n))));
    }
    let mut waiting: Vec<Option<InputResult>> = Vec::new();
    waiting.resize_with(parts.len(), || None);
    while let Some(Reverse((name, _))) = queue.peek() {
        let name = name.clone();
        let mut results = Vec::new();
        while queue.peek().is_some_and(|Reverse((next, _))| *next == name)
            && let Some(Reverse((_, n))) = queue.pop()
        {
            let (Some(part), Some(waiting)) = (parts.get_mut(n), waiting.get_mut(n)) else {
                continue;
            };
            let result = match waiting.take() {
                Some(result) => result,
                None => part.next()?.unwrap_or_default(),
            };
            if !results.is_empty() && result.piece.is_none() {
                return Err(MergeError::DoubledInput {
                    name: name.to_string(),
                    path: part.path.clone(),
                });
            }
            results.push(result);
            *waiting = part.next()?;
            if waiting.as_ref().is_some_and(|next| next.file <= name) {
                return Err(unreadable(
                    &part.path,
                    &invalid("its inputs aren't in order"),
                ));
            }
            queue.extend(waiting.as_ref().map(|next| Reverse((next.file.clone(), n))));
        }
        let result = one(results, options, again)?;
        let path = || {
            parts
                .first()
                .map(|part| part.path.clone())
                .unwrap_or_default()
        };
        on_condensed(&result.condensed).map_err(|error| unreadable(&path(), &error))?;
        if result.condensed.is_empty()
            && let Some(bound) = report.full(&options.limits)
        {
            return Err(MergeError::Full(bound.of_run(&options.limits)));
        }
        report.counts.files = report.counts.files.saturating_add(1);
        report.add(result, options);
    }
    add_skipped(parts, &mut report);
    Ok(report)
}

/// Joins the pieces of an input. An input that was read as a whole is alone.
fn one(
    mut results: Vec<InputResult>,
    options: &Options,
    again: &mut ReadAgain<'_>,
) -> Result<InputResult, MergeError> {
    if results.len() == 1 && results.iter().all(|result| result.piece.is_none()) {
        return Ok(results.pop().unwrap_or_default());
    }
    let bytes = |result: &InputResult| result.piece.as_ref().map(|piece| piece.bytes.clone());
    results.sort_by_key(|result| bytes(result).map(|bytes| (bytes.start, bytes.end)));
    let Some(first) = results.first() else {
        return Ok(InputResult::default());
    };
    let (file, size) = (
        first.file.clone(),
        first.piece.as_ref().map_or(0, |piece| piece.size),
    );
    let mut end = 0;
    for piece in &results {
        match &piece.piece {
            Some(piece) if piece.bytes.start == end && piece.size == size => end = piece.bytes.end,
            _ => return Err(MergeError::Changed(file.to_string())),
        }
    }
    if end != size {
        return Err(MergeError::Changed(file.to_string()));
    }
    let format = first.format;
    let mut at_seam = |seam: &Seam| match format {
        Some(format) => again(&file, size, Again::Seam(seam, format)),
        None => Ok(InputResult::default()),
    };
    match join(results, options, &mut at_seam)? {
        Some(joined) => Ok(joined),
        None => again(&file, size, Again::Whole),
    }
}

/// Adds the files that weren't read. Every share of a run knows them, and each hides the secrets of
/// its own inputs in their names.
fn add_skipped(parts: &[Part], report: &mut Report) {
    let mut listed: BTreeSet<(String, String)> = BTreeSet::new();
    let mut count = 0_u64;
    // A run that isn't split may have the plan of another one, if neither has inputs.
    let is_same = |a: &Part, b: &Part| a.header.plan == b.header.plan && a.header.share.1 > 1;
    for run in parts.chunk_by(is_same) {
        let trailers = run.iter().filter_map(|part| part.trailer.as_ref());
        let Some(mut skipped) = trailers.clone().next().map(|t| t.skipped.clone()) else {
            continue;
        };
        for trailer in trailers.clone().skip(1) {
            for (one, other) in skipped.iter_mut().zip(&trailer.skipped) {
                // Together they may show what each hides.
                if one.0 != other.0 {
                    HIDDEN.clone_into(&mut one.0);
                }
            }
        }
        let skipped_count = trailers.map(|t| t.skipped_count).max();
        count = u64::saturating_add(count, skipped_count.unwrap_or_default());
        listed.extend(skipped);
    }
    let number = listed.len() as u64;
    let skipped = listed.into_iter().map(|(name, reason)| {
        let known = SKIP_REASONS.into_iter().find(|known| *known == reason);
        Skipped {
            name,
            reason: known.unwrap_or(NO_ENDING),
            path: PathBuf::new(),
        }
    });
    report.skip(skipped.collect());
    report.counts.skipped = count.max(number);
}
