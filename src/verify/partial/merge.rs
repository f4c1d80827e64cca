//! Merges partial results into the report that one run over all inputs gives.

use super::super::input_result::InputResult;
use super::frames::{Frame, FrameReader};
use super::reread::{Merger, Rereader};
use super::{Header, Trailer};
use crate::source::{NO_ENDING, SKIP_REASONS, Skipped, open_regular};
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
    #[error("the partial results say of `{0}` what none says: {1}")]
    Invalid(String, io::Error),
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

/// Merges the partial results of all shares of one or several runs. An input whose pieces can't be
/// joined is read again.
///
/// # Errors
/// When a share is missing, damaged or there twice, or shares are of different runs.
pub fn merge(paths: &[PathBuf], merger: &mut dyn Merger) -> Result<Merged, MergeError> {
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
    let mut rereader = Rereader {
        header: &header,
        merger,
    };
    let report = add_inputs(&mut parts, &options, &mut rereader)?;
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

/// Adds the inputs of all parts to a report, in the order of their names.
fn add_inputs(
    parts: &mut [Part],
    options: &Options,
    rereader: &mut Rereader<'_>,
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
        let result = rereader.one(results)?;
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
