//! Partial results: what one share of a run found, in a file that [`merge()`] reads.
//!
//! The format is for one version of the program and has no schema. It consists of a magic line and
//! frames: the header, one frame for each input in the order of their names, and the trailer; then
//! the BLAKE3 hash of all frames. A frame is a letter, the number of its bytes and the bytes in
//! [Borsh](https://borsh.io). It contains findings and summaries as reports show them, without the
//! secrets of the input.

mod frames;
mod merge;
mod reread;

pub use super::input_result::Kept;
pub use merge::{MergeError, Merged, inputs_of, merge};
pub use reread::Merger;

use super::input;
use super::input_result::InputResult;
use super::own_calls::SubAgentCalls;
use super::piece;
use super::visit::{visit_one, visit_piece};
use super::{Options, Report, Visitor, finish};
use crate::diag::Code;
use crate::replay::Summary;
use crate::source::{Found, Limits, Missing, Part, Plan, Share, Skipped};
use crate::trace::Format;
use borsh::{BorshDeserialize, BorshSerialize};
use content_scan::mask::Mask;
use frames::{Frame, FrameWriter};
use std::io::{self, Write};

/// What a partial result belongs to.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Header {
    /// Version of the program.
    pub version: String,
    /// The options of the run that its findings depend on. They are the same in all partial results
    /// that can be merged.
    pub options: RunOptions,
    /// Names the run. Writers of one run hash what they compare with a key that depends on it.
    pub run: String,
    /// Identifies the key.
    key: u64,
    /// The paths that were given, for the command that reproduces the run.
    pub paths: Vec<String>,
    /// Hash of the names and sizes of all inputs of the run.
    pub plan: [u8; 32],
    /// The share, as its number from 1 and the number of all.
    pub share: (u32, u32),
}

/// The commands that write partial results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Command {
    #[default]
    Replay,
    Stats,
    Audit,
    PolicyReplay,
}

/// What a share does with its inputs, of which it reads large ones in pieces.
pub enum Work<'w> {
    /// Verifies them.
    Verify,
    /// Verifies them, and keeps what a command makes of their reports instead.
    Condense(&'w mut Condense<'w>),
    /// Passes their records to a command, which keeps something beside the findings.
    Visit(&'w mut dyn Condensing),
}

/// Condenses the records of one input.
pub trait Condensing: Visitor {
    /// The only rule that is checked, if any.
    fn rule(&self) -> Option<Code>;

    /// Returns what the command keeps of the last input.
    ///
    /// # Errors
    /// When it can't be written.
    fn condensed(&mut self) -> io::Result<Vec<u8>>;
}

/// Condenses the report of one input to what a command keeps of it, and the summaries that are
/// compared with those of other inputs.
pub type Condense<'c> =
    dyn FnMut(&Result<Found, Missing>, Report) -> io::Result<(Vec<u8>, Vec<Summary>)> + 'c;

/// The options of a run that its findings depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RunOptions {
    pub command: Command,
    /// The format as which all inputs are read, if it was given.
    pub format: Option<String>,
    /// Further words of the command that reproduces the run.
    pub words: Vec<String>,
    /// Hashes of the files that `words` name.
    pub files: Vec<[u8; 32]>,
    /// Whether the versions of prompts, tools, policies and models are listed.
    pub with_versions: bool,
    pub max_findings: u64,
    pub max_turns: u64,
    /// The limits on inputs and executions.
    pub limits: Limits,
}

impl RunOptions {
    /// Returns the options of a run without files and further words.
    #[must_use]
    pub fn of(options: &Options) -> Self {
        Self {
            format: options.format.map(|format| format.name().to_owned()),
            max_findings: options.max_findings as u64,
            max_turns: options.max_turns as u64,
            limits: options.limits,
            ..Self::default()
        }
    }

    /// Returns the options of the run, without settings.
    #[must_use]
    pub fn restored(&self) -> Options {
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        Options {
            format: self.format.as_deref().and_then(Format::parse),
            max_findings: size(self.max_findings),
            max_turns: size(self.max_turns),
            limits: self.limits,
            ..Options::default()
        }
    }
}

/// The end of a partial result.
#[derive(Debug, Default, BorshSerialize, BorshDeserialize)]
struct Trailer {
    /// Number of inputs.
    inputs: u64,
    /// Names of files that weren't read, and why.
    skipped: Vec<(String, String)>,
    /// Number of all files that weren't read.
    skipped_count: u64,
}

/// What a share contains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    pub inputs: u64,
    pub executions: u64,
    /// Number of findings, including those that weren't kept.
    pub findings: u64,
    /// Number of inputs that couldn't be opened.
    pub unopened: u64,
}

impl Header {
    /// Creates the header of a share. Without a name, the run is named after its inputs.
    #[must_use]
    pub fn new(
        (plan, share): (&Plan, Share),
        (run, options): (Option<String>, RunOptions),
        paths: Vec<String>,
    ) -> Self {
        let digest = || plan.digest().map(|byte| format!("{byte:02x}")).concat();
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options,
            run: run.unwrap_or_else(digest),
            key: 0,
            paths,
            plan: plan.digest(),
            share: (share.number(), share.of()),
        }
    }
}

/// A share of a run.
#[derive(Debug)]
pub struct ShareRun<'r> {
    /// The inputs of the whole run.
    pub inputs: &'r [Result<Found, Missing>],
    pub plan: &'r Plan,
    pub share: Share,
    pub header: &'r Header,
    /// The files of the whole run that weren't read.
    pub skipped: Vec<Skipped>,
    pub options: &'r Options,
}

impl ShareRun<'_> {
    /// Reads the inputs of the share and writes its partial result.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(self, mut work: Work<'_>, to: &mut dyn Write) -> io::Result<Written> {
        // The hashes in partial results can be compared if they have one key.
        let header = Header {
            key: common_key(&self.header.run),
            ..self.header.clone()
        };
        let options = self.options;
        let mut writer = FrameWriter::new(to)?;
        writer.write(Frame::Header, &header)?;
        let mut own_calls = SubAgentCalls::new(self.inputs);
        let mut secrets = Mask::default();
        let mut written = Written::default();
        let (mut turns, mut openings) = (0, 0);
        for part in self.plan.parts(self.share) {
            let Some(input) = self.inputs.get(part.input) else {
                continue;
            };
            let result = read_part((input, &part), &mut own_calls, options, &mut work)?;
            let Some(mut result) = result else {
                continue;
            };
            secrets.absorb(std::mem::take(&mut result.mask));
            written.count(&result);
            if result.piece.is_none() {
                result = complete(input, result, options, &mut work)?;
            }
            if matches!(work, Work::Verify) {
                let timeline = &mut result.timeline;
                timeline.cut((turns, openings), options.max_turns);
                // If a divided input is read again, it may have fewer turns.
                if result.piece.is_none() {
                    turns += timeline.turns.len();
                    openings += timeline.openings.len();
                }
            }
            writer.write(Frame::Input, &result)?;
        }
        let mut report = Report {
            secrets,
            ..Report::default()
        };
        report.skip(self.skipped);
        let skipped = report.skipped.into_iter();
        let trailer = Trailer {
            inputs: written.inputs,
            skipped: skipped.map(|s| (s.name, s.reason.to_owned())).collect(),
            skipped_count: report.counts.skipped,
        };
        writer.write(Frame::Trailer, &trailer)?;
        writer.finish()?;
        Ok(written)
    }
}

/// Reads what a share reads of an input. An input that can't be divided is read by the share in
/// which it begins.
fn read_part(
    (input, part): (&Result<Found, Missing>, &Part),
    own_calls: &mut SubAgentCalls<'_>,
    options: &Options,
    work: &mut Work<'_>,
) -> io::Result<Option<InputResult>> {
    let is_whole = part.bytes == (0..part.size);
    if let Ok(found) = input
        && !is_whole
        && let Some(format) = piece::divisible(found, part, options)
    {
        let piece = piece::piece(found, part, format, options)?;
        return Ok(Some(match work {
            Work::Verify | Work::Condense(_) => {
                input::verify_piece((found, piece), format, options)
            }
            Work::Visit(to) => {
                let rule = to.rule();
                let result = visit_piece((found, piece), format, options, rule, *to);
                kept(result, *to)?
            }
        }));
    }
    let whole = part.begins_input();
    whole
        .then(|| read_whole(input, own_calls, options, work))
        .transpose()
}

fn read_whole(
    input: &Result<Found, Missing>,
    own_calls: &mut SubAgentCalls<'_>,
    options: &Options,
    work: &mut Work<'_>,
) -> io::Result<InputResult> {
    match work {
        Work::Verify | Work::Condense(_) => {
            let own_calls = own_calls.beside(input, options);
            Ok(input::verify(input, options, own_calls, None))
        }
        Work::Visit(to) => {
            let rule = to.rule();
            kept(visit_one(input, own_calls, options, rule, *to), *to)
        }
    }
}

/// Adds what a visitor keeps of the last input, unless the input is read again.
fn kept(mut result: InputResult, visitor: &mut dyn Condensing) -> io::Result<InputResult> {
    let bytes = visitor.condensed()?;
    let piece = result.piece.as_ref();
    if piece.is_none_or(|piece| piece.is_independent) {
        result.condensed.push(Kept {
            bytes,
            lines_before: 0,
        });
    }
    Ok(result)
}

/// Completes the result of an input that was read as a whole, or whose pieces were joined.
fn complete(
    input: &Result<Found, Missing>,
    result: InputResult,
    options: &Options,
    work: &mut Work<'_>,
) -> io::Result<InputResult> {
    match work {
        Work::Condense(condense) => condensed(input, result, options, *condense),
        Work::Verify | Work::Visit(_) => Ok(result),
    }
}

fn condensed(
    input: &Result<Found, Missing>,
    result: InputResult,
    options: &Options,
    condense: &mut Condense<'_>,
) -> io::Result<InputResult> {
    let (file, unopened) = (result.file.clone(), result.counts.unopened);
    let mut report = Report::default();
    report.counts.files = 1;
    report.add(result, options);
    let (condensed, summaries) = condense(input, finish(report, options))?;
    let mut result = InputResult {
        file,
        summaries,
        condensed: vec![Kept {
            bytes: condensed,
            lines_before: 0,
        }],
        ..InputResult::default()
    };
    result.counts.unopened = unopened;
    Ok(result)
}

/// Gives this process the key of a run, unless it has hashed something before, and returns what
/// identifies its key.
fn common_key(run: &str) -> u64 {
    let _ = util::share_key(key_of(run));
    util::keyed_hash("the key of a run")
}

/// Returns the key with which the shares of a run hash what they compare.
fn key_of(run: &str) -> [u64; 2] {
    let hash = *blake3::hash(run.as_bytes()).as_bytes();
    let (one, rest) = hash.split_first_chunk().unwrap_or((&[0; 8], &[]));
    let other = rest.first_chunk().unwrap_or(&[0; 8]);
    [one, other].map(|bytes| u64::from_le_bytes(*bytes))
}

impl Written {
    fn count(&mut self, result: &InputResult) {
        self.inputs += 1;
        self.executions += result.summaries.len() as u64;
        self.findings += result.findings.len() as u64 + result.dropped.values().sum::<u64>();
        self.unopened += result.counts.unopened;
    }
}
