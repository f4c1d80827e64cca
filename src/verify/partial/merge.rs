//! Merges partial results into the report that one run over all inputs gives.

use super::super::input_result::InputResult;
use super::frames::{Frame, FrameReader};
use super::{Header, Trailer};
use crate::source::{NO_ENDING, SKIP_REASONS, Skipped, open_regular};
use crate::verify::{Options, Report, finish};
use content_scan::mask::HIDDEN;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind};
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

/// A partial result that is being read.
struct Part {
    path: PathBuf,
    header: Header,
    /// The reader behind the header; `None` before the first input is wanted, so that only as many
    /// files are open as have inputs at the same place.
    reader: Option<FrameReader<BufReader<File>>>,
    /// Number of inputs that were read.
    inputs: u64,
    /// The end, once it was read.
    trailer: Option<Trailer>,
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

/// Opens a partial result and reads its header.
fn open(path: &Path) -> io::Result<(FrameReader<BufReader<File>>, Header)> {
    let mut reader = FrameReader::new(BufReader::new(open_regular(path)?))?;
    if reader.next()? != Frame::Header {
        return Err(invalid("it has no header"));
    }
    let header = reader.content()?;
    Ok((reader, header))
}

impl Part {
    fn new(path: &Path) -> Result<Self, MergeError> {
        let (_, header) = open(path).map_err(|error| unreadable(path, &error))?;
        Ok(Self {
            path: path.to_path_buf(),
            header,
            reader: None,
            inputs: 0,
            trailer: None,
        })
    }

    /// Returns the result of the next input; `None` at the end.
    fn next(&mut self) -> Result<Option<InputResult>, MergeError> {
        self.read_next()
            .map_err(|error| unreadable(&self.path, &error))
    }

    fn read_next(&mut self) -> io::Result<Option<InputResult>> {
        let mut reader = match self.reader.take() {
            Some(reader) => reader,
            None if self.trailer.is_some() => return Ok(None),
            None => open(&self.path)?.0,
        };
        match reader.next()? {
            Frame::Header => Err(invalid("it has two headers")),
            Frame::Input => {
                let mut result: InputResult = reader.content()?;
                if !result.name_rules() {
                    return Err(invalid("it contains a finding of an unknown rule"));
                }
                self.inputs += 1;
                self.reader = Some(reader);
                Ok(Some(result))
            }
            Frame::Trailer => {
                let trailer: Trailer = reader.content()?;
                reader.finish()?;
                if trailer.inputs != self.inputs {
                    return Err(invalid("it is incomplete"));
                }
                self.trailer = Some(trailer);
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

/// Merges the partial results of all shares of one or several runs.
///
/// # Errors
/// When a share is missing, damaged or there twice, or shares are of different runs.
pub fn merge(paths: &[PathBuf]) -> Result<Merged, MergeError> {
    let mut parts: Vec<Part> = paths
        .iter()
        .map(|path| Part::new(path))
        .collect::<Result<_, _>>()?;
    parts.sort_by(|a, b| (a.header.plan, a.header.share).cmp(&(b.header.plan, b.header.share)));
    check_runs(&parts)?;
    let Some(header) = parts.first().map(|part| part.header.clone()) else {
        return Err(MergeError::Missing { number: 1, of: 1 });
    };
    let options = header.options.restored();
    let report = finish(add_inputs(&mut parts, &options)?, &options);
    let mut paths: Vec<String> = Vec::new();
    for part in &parts {
        for path in &part.header.paths {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
    }
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
            () if a.run != b.run => "names or inputs",
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
            if number == last {
                return Err(MergeError::Doubled {
                    number,
                    of,
                    one: before.unwrap_or(part).path.clone(),
                    other: part.path.clone(),
                });
            }
            if number != last + 1 {
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
fn add_inputs(parts: &mut [Part], options: &Options) -> Result<Report, MergeError> {
    let mut report = Report::default();
    // The parts by the name of their next input; the inputs of a part that isn't open yet begin
    // with that of its header.
    let mut queue: BinaryHeap<Reverse<(Arc<str>, usize)>> = BinaryHeap::new();
    let mut waiting: Vec<Option<InputResult>> = Vec::new();
    for (n, part) in parts.iter_mut().enumerate() {
        waiting.push(None);
        match &part.header.first {
            Some(name) => queue.push(Reverse((name.as_str().into(), n))),
            None => {
                if part.next()?.is_some() {
                    return Err(unreadable(&part.path, &invalid("its header is wrong")));
                }
            }
        }
    }
    let mut last: Option<Arc<str>> = None;
    while let Some(Reverse((name, n))) = queue.pop() {
        let (Some(part), Some(waiting)) = (parts.get_mut(n), waiting.get_mut(n)) else {
            continue;
        };
        let result = match waiting.take() {
            Some(result) => Some(result),
            None => part.next()?,
        };
        let Some(result) = result.filter(|result| result.file == name) else {
            return Err(unreadable(&part.path, &invalid("its header is wrong")));
        };
        if last.as_ref() == Some(&name) {
            return Err(MergeError::DoubledInput {
                name: name.to_string(),
                path: part.path.clone(),
            });
        }
        if let Some(bound) = report.full(&options.limits) {
            return Err(MergeError::Full(bound.of_run(&options.limits)));
        }
        report.counts.files += 1;
        report.add(result, options);
        last = Some(name);
        *waiting = part.next()?;
        if let Some(next) = waiting {
            queue.push(Reverse((next.file.clone(), n)));
        }
    }
    add_skipped(parts, &mut report);
    Ok(report)
}

/// Adds the files that weren't read. Every share of a run knows them, and each hides the secrets of
/// its own inputs in their names.
fn add_skipped(parts: &[Part], report: &mut Report) {
    for run in parts.chunk_by(|a, b| a.header.plan == b.header.plan) {
        let trailers = run.iter().filter_map(|part| part.trailer.as_ref());
        let Some(mut skipped) = trailers.clone().next().map(|t| t.skipped.clone()) else {
            continue;
        };
        for trailer in trailers.clone().skip(1) {
            for (one, other) in skipped.iter_mut().zip(&trailer.skipped) {
                if one.0 != other.0 && other.0.contains(HIDDEN) {
                    one.0.clone_from(&other.0);
                }
            }
        }
        let skipped = skipped.into_iter().map(|(name, reason)| {
            let known = SKIP_REASONS.into_iter().find(|known| *known == reason);
            Skipped {
                name,
                reason: known.unwrap_or(NO_ENDING),
                path: PathBuf::new(),
            }
        });
        let listed = skipped.len() as u64;
        let count = trailers.map(|trailer| trailer.skipped_count).max();
        report.skip(skipped.collect());
        report.counts.skipped += count.unwrap_or_default().saturating_sub(listed);
    }
}
