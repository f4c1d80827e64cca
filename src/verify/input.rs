//! Opens one input, reads it in blocks, and passes the records to the workers.

mod detection;
mod document;
mod finish;

use super::Options;
use super::bounds::{Bound, Bounds};
use super::finding_store::FindingStore;
use super::input_result::InputResult;
use super::kept_text::execution_name;
use super::parse;
use super::piece::{Piece, Seam};
use super::pipeline::{self, ParsedBlock, Reading, Route, Router};
use super::place::{help, problem_finding};
use super::shard::Shard;
use super::timeline::{CommandRun, Recorder, Turn};
use super::units::Units;
use crate::diag::{Code, ContentHash, Finding, Place, subject};
use crate::rules::{self, codes};
use crate::source::{
    Block, Blocks, Found, Input, Missing, OversizedLine, open_counted, open_range, stored_hash,
};
use crate::trace::cut::{self, CutAction};
use crate::trace::entry::{Entry, Grammar, Problem, Record};
use crate::trace::formats::{Coverage, Format, OwnCalls, Reader, RecordClass};
use content_scan::frames::Frames;
use content_scan::mask::Mask;
use detection::UnknownRecords;
use std::io::Read;
use std::sync::Arc;

/// A callback that receives each record with the id of its execution.
pub(super) type Watch<'w> = &'w mut (dyn FnMut(&str, &Entry<'_>) + Send);

/// Passes the records of one input to `watch`, in order. With `rule`, it also replays them and
/// reports the findings of this rule. What can't be read is reported as usual.
pub(super) fn watch<'w>(
    input: &'w Result<Found, Missing>,
    options: &'w Options,
    rule: Option<Code>,
    own_calls: OwnCalls,
    watch: Watch<'w>,
) -> InputResult {
    read(input, options, |run| {
        run.watch = Some(watch);
        run.only = rule;
        run.own_calls = own_calls;
    })
}

/// A callback that receives each turn as soon as it is complete.
pub(super) type OnTurn<'t> = &'t mut (dyn FnMut(Turn) + Send);

/// The state of verifying one input.
pub(super) struct Run<'o> {
    file: Arc<str>,
    /// The execution id for formats whose records name none: the file's name without directory and
    /// extensions.
    stem: Arc<str>,
    options: &'o Options,
    /// The calls that sub-agents' own sessions, other inputs of the run, contain.
    own_calls: OwnCalls,
    /// Assigns the records to executions when they are watched; otherwise each worker has its own
    /// reader.
    reader: Option<Box<dyn Reader>>,
    /// The source of the input, if it is one that can be named in findings.
    source: Option<&'o Input>,
    /// The receiver of the records, instead of the workers.
    watch: Option<Watch<'o>>,
    /// The only rule for which the workers also replay the watched records.
    only: Option<Code>,
    /// The receiver of the turns, instead of the report.
    pub(super) turns: Option<OnTurn<'o>>,
    shards: Vec<Shard>,
    /// Records of commands, which belong to no execution and aren't replayed.
    commands: Vec<CommandRun>,
    format: Option<Format>,
    /// The number of units by outcome.
    units: Units,
    /// How many of the refused units aren't single records but the unread rest of an input.
    unread_rests: u64,
    findings: FindingStore,
    mask: Mask,
    /// Text of a terminal recording, joined over its frames.
    frames: Frames,
    /// The last line that couldn't be read before the workers were created, or 0.
    lost_before_shards: u64,
    /// Records that match no known format.
    foreign: Option<UnknownRecords>,
    /// The last line, if it breaks off and may contain an executed action.
    cut: Option<(u64, CutAction)>,
    /// The number of the next block's first line.
    next_line: u64,
    /// Whether the input is one JSON document.
    in_document: bool,
    /// Number of bytes that were read, after decompression.
    bytes: u64,
    /// The piece of a large input that is read, if it isn't read whole.
    piece: Option<Piece>,
    /// The seam that is read, if the piece is one.
    seam: Option<&'o Seam>,
}

/// Verifies one input. If `turns` is set, it receives the turns.
pub(super) fn verify<'o>(
    input: &'o Result<Found, Missing>,
    options: &'o Options,
    own_calls: OwnCalls,
    turns: Option<OnTurn<'o>>,
) -> InputResult {
    read(input, options, |run| {
        run.turns = turns;
        run.own_calls = own_calls;
    })
}

/// Reads one input. `prepare` completes the state with which it begins.
fn read<'o>(
    input: &'o Result<Found, Missing>,
    options: &'o Options,
    prepare: impl FnOnce(&mut Run<'o>),
) -> InputResult {
    match input {
        Ok(found) => match open_counted(&found.input, options.bytes_read.clone()) {
            Ok(reader) => {
                let mut run = Run::new(&found.name, options);
                run.source = Some(&found.input);
                prepare(&mut run);
                run.read(reader);
                run.end_watch();
                run.finish()
            }
            Err(error) => cannot_open(&found.name, &error, options),
        },
        Err(missing) => cannot_open(&missing.name, &missing.error, options),
    }
}

/// Verifies a piece of an input, in a format that can be divided.
pub(super) fn verify_piece(
    (found, piece): (&Found, Piece),
    format: Format,
    options: &Options,
) -> InputResult {
    read_piece((found, piece), format, options, |_| {})
}

/// Passes the records of a piece of an input to `watch`, as [`watch()`] does with a whole input.
pub(super) fn watch_piece<'w>(
    (found, mut piece): (&Found, Piece),
    format: Format,
    options: &'w Options,
    rule: Option<Code>,
    watch: Watch<'w>,
) -> InputResult {
    piece.refuse_crossings();
    read_piece((found, piece), format, options, |run| {
        run.watch = Some(watch);
        run.only = rule;
    })
}

/// Verifies the executions of a seam between pieces of an input.
pub(super) fn verify_seam<'o>(
    (found, seam): (&Found, &'o Seam),
    format: Format,
    options: &'o Options,
) -> InputResult {
    let piece = Piece::of_seam(seam);
    read_piece((found, piece), format, options, |run| {
        run.seam = Some(seam);
        run.next_line = seam.line;
    })
}

fn read_piece<'o>(
    (found, piece): (&Found, Piece),
    format: Format,
    options: &'o Options,
    prepare: impl FnOnce(&mut Run<'o>),
) -> InputResult {
    let Input::File(path) = &found.input else {
        return InputResult::default();
    };
    let mut run = Run::new(&found.name, options);
    run.format = Some(format);
    prepare(&mut run);
    let reader = open_range(path, piece.bytes.clone(), options.bytes_read.clone());
    let is_independent = piece.is_independent;
    run.piece = Some(piece);
    match reader {
        Ok(reader) if is_independent => {
            let mut blocks = Blocks::new(reader, options.limits);
            run.lines(&mut blocks);
            run.bytes = blocks.bytes_read();
            run.end_watch();
        }
        // The input is read again when the pieces are joined, which reports an error.
        _ => run.lose_piece(),
    }
    run.finish()
}

/// Verifies the content of a reader.
pub(super) fn verify_reader(
    name: &str,
    reader: impl Read + Send,
    options: &Options,
) -> InputResult {
    let mut run = Run::new(name, options);
    run.read(reader);
    run.finish()
}

/// Reports that inputs, at least one, weren't read because the executions so far have reached a
/// bound.
pub(super) fn refuse(
    bound: Bound,
    inputs: &[Result<Found, Missing>],
    options: &Options,
) -> Option<InputResult> {
    let mut content = ContentHash::default();
    let mut first = None;
    for input in inputs {
        let (name, stored) = match input {
            Ok(found) => (&found.name, stored_hash(&found.input)),
            Err(missing) => (&missing.name, String::new()),
        };
        content.add(name);
        content.add(stored);
        first = first.or(Some(name));
    }
    let mut run = Run::new(first?, options);
    let inputs = if inputs.len() == 1 {
        "1 input was".to_owned()
    } else {
        format!("{} inputs were", inputs.len())
    };
    let why = bound.of_run(&options.limits);
    run.limit(
        0,
        &subject(["executions of the run", &content.finish()]),
        &format!("from here on {inputs} not read: {why}"),
    );
    run.count_unread_rest();
    Some(run.finish())
}

fn cannot_open(name: &str, error: &std::io::Error, options: &Options) -> InputResult {
    let mut run = Run::new(name, options);
    run.unreadable(
        0,
        "unopened",
        &format!("the input can't be opened: {error}"),
    );
    run.count_unread_rest();
    let mut result = run.finish();
    result.counts.unopened = 1;
    result
}

/// Returns a file name without directory and extensions.
fn stem(name: &str) -> String {
    let base = name.rsplit('/').next().unwrap_or(name);
    let base = base
        .strip_suffix(".gz")
        .or_else(|| base.strip_suffix(".zst"))
        .unwrap_or(base);
    base.rsplit_once('.')
        .map_or(base, |(stem, _)| stem)
        .to_owned()
}

impl<'o> Run<'o> {
    fn new(name: &str, options: &'o Options) -> Self {
        Self {
            file: name.into(),
            stem: stem(name).into(),
            options,
            own_calls: OwnCalls::default(),
            reader: None,
            source: None,
            watch: None,
            only: None,
            turns: None,
            shards: Vec::new(),
            commands: Vec::new(),
            format: options.format,
            units: Units::default(),
            unread_rests: 0,
            findings: FindingStore::new(options.kept_findings(), false),
            mask: Mask::default(),
            frames: Frames::default(),
            foreign: None,
            cut: None,
            lost_before_shards: 0,
            next_line: 1,
            in_document: false,
            bytes: 0,
            piece: None,
            seam: None,
        }
    }

    /// Passes the records that a reader held back until the end to the watcher.
    fn end_watch(&mut self) {
        let (Some(reader), Some(watch)) = (&mut self.reader, &mut self.watch) else {
            return;
        };
        let stem = &self.stem;
        reader.finish(&mut |fed| {
            watch(
                &execution_name(fed.execution.as_deref().unwrap_or(stem)),
                fed.entry,
            );
        });
    }

    fn read(&mut self, reader: impl Read + Send) {
        let mut blocks = Blocks::new(reader, self.options.limits);
        if self.is_document(blocks.head()) {
            self.document(&mut blocks);
        } else {
            self.lines(&mut blocks);
        }
        self.bytes = blocks.bytes_read();
    }

    /// Reads an input with one record on each line.
    fn lines<R: Read + Send>(&mut self, blocks: &mut Blocks<R>) {
        let mut next = blocks.next(Vec::new());
        // Until a record identifies the format, blocks are read here, one by one.
        while let Ok(Some(mut block)) = next {
            if self.format.is_none() && self.options.schema.is_none() && block.overlong.is_none() {
                let (format, known) = self.detect(&block).unzip();
                let rest = block.bytes.split_off(known.unwrap_or(block.bytes.len()));
                let last = block.last;
                block.last &= rest.is_empty();
                self.read_undetected(&block);
                self.recognise(format, self.next_line);
                block = Block {
                    bytes: rest,
                    overlong: None,
                    last,
                };
            } else if self.format.is_none() && self.options.schema.is_none() {
                self.read_undetected(&block);
            }
            if self.format.is_some() || self.options.schema.is_some() {
                return pipeline::run(self, blocks, block);
            }
            next = blocks.next(block.bytes);
        }
        if let Err(error) = next {
            self.lost_before_shards = self.report_read_error(&error);
        }
    }

    /// Reports that reading failed after the data read so far; returns the line.
    pub(super) fn report_read_error(&mut self, error: &std::io::Error) -> u64 {
        let what = if error.kind() == std::io::ErrorKind::FileTooLarge {
            "is longer than the limit"
        } else {
            "breaks off"
        };
        let line = self.next_line;
        self.lose_piece();
        let subject = subject(["broken off", &self.stored_hash()]);
        self.unreadable(line, &subject, &format!("the input {what} here: {error}"));
        self.count_unread_rest();
        line
    }

    /// Returns a hash of the stored input, including what wasn't read. Without it, a suppressed
    /// finding would also hide changes in the unread part.
    fn stored_hash(&self) -> Box<str> {
        self.source
            .map_or_else(Box::default, |input| stored_hash(input).into())
    }

    /// Records that the piece shows something that concerns the whole input.
    fn lose_piece(&mut self) {
        if let Some(piece) = &mut self.piece {
            piece.is_independent = false;
        }
    }

    /// Counts the unread rest of the input as one refused unit, since its number of records is
    /// unknown.
    fn count_unread_rest(&mut self) {
        self.units.refused += 1;
        self.unread_rests += 1;
    }

    /// Finds secrets that span several frames of a recording. Adds each to the frame in which it
    /// begins.
    fn scan_frames(&mut self, entries: &mut [Entry<'_>]) {
        let recording = |format: Format| format.coverage() == Coverage::Terminal;
        if !self.format.is_some_and(recording) || self.options.schema.is_some() {
            return;
        }
        let found = self.frames.read(entries.iter().map(|entry| entry.text));
        for spread in found {
            self.mask.add(&spread.secret);
            let first = spread.pieces.into_iter().next();
            if let Some((entry, place)) =
                first.and_then(|(n, place)| Some((entries.get_mut(n)?, place)))
            {
                entry.add_secret_part(&place, spread.message);
            }
        }
    }

    /// Turns line numbers within a block into line numbers of the input, and counts its lines.
    fn number(&mut self, parsed: &mut ParsedBlock<'_>) {
        for entry in &mut parsed.entries {
            entry.line += self.next_line;
        }
        if parsed.overlong.is_some() {
            self.lose_piece();
        }
        if let Some(overlong) = parsed.overlong {
            let limit = self.options.limits.record_bytes;
            let line = self.next_line;
            self.limit(
                line,
                &overlong_subject(&overlong),
                &parse::too_long(overlong.length, limit),
            );
            self.units.findings += 1;
            self.lost_before_shards = line;
        }
        if self.seam.is_none() {
            self.units.blank += parsed.blank;
        }
        self.next_line += parsed.lines;
    }

    /// Leaves out the records that are read with another piece of the input, and notes the
    /// executions of the others.
    fn leave_out(&mut self, parsed: &mut ParsedBlock<'_>) {
        let Some(piece) = &mut self.piece else {
            return;
        };
        let mut last = None;
        for (entry, route) in parsed.entries.iter().zip(&mut parsed.routes) {
            let Some(id) = entry.record.execution_id() else {
                continue;
            };
            let id = id.decode();
            let is_left_out = match self.seam {
                Some(seam) => !seam.executions.contains(&*id),
                None => piece.leaves_out(&id, entry.line),
            };
            if is_left_out {
                *route = Route::Elsewhere;
            } else if last.as_ref() != Some(&id) {
                piece.add_execution(&id);
                last = Some(id);
            }
        }
    }

    /// Processes what was parsed of a block, in input order. Returns the number of its line that
    /// was too long, if there is one.
    pub(super) fn account(&mut self, parsed: &mut ParsedBlock<'_>) -> Option<u64> {
        let line = self.next_line;
        self.number(parsed);
        self.leave_out(parsed);
        self.scan_frames(&mut parsed.entries);
        self.note_records(&parsed.entries, &parsed.routes);
        parsed.overlong.map(|_| line)
    }

    /// Records secrets, counts, problems and commands of records before they are replayed.
    fn note_records(&mut self, entries: &[Entry<'_>], routes: &[Route]) {
        self.remember_secrets(entries);
        let concern_all = |route: &Route| matches!(route, Route::Lost | Route::Nowhere);
        if self.piece.is_some() && routes.iter().any(concern_all) {
            self.lose_piece();
        }
        for (entry, route) in entries.iter().zip(routes) {
            if *route == Route::Elsewhere {
                continue;
            }
            self.units.count(entry);
            if matches!(entry.record, Record::Foreign) {
                self.add_unknown(entry);
            }
            if entry
                .problems
                .iter()
                .any(|problem| problem.code == codes::TRUNCATED_RECORD)
            {
                self.cut = self
                    .format
                    .and_then(|format| cut::action(format, entry.text))
                    .map(|cut| {
                        let execution = cut.execution.map(|id| execution_name(&id).into_owned());
                        (entry.line, CutAction { execution, ..cut })
                    });
            }
            // Workers that report only one rule report no problems.
            if !matches!(route, Route::To(_)) || self.only.is_some() {
                self.report_problems(entry);
            }
            if let Some(watch) = &mut self.watch {
                let stem = &self.stem;
                let mut show = |execution: Option<&str>, entry: &Entry<'_>| {
                    watch(&execution_name(execution.unwrap_or(stem)), entry);
                };
                match (&mut self.reader, self.format) {
                    (reader, Some(format)) => reader
                        .get_or_insert_with(|| format.reader(stem, &self.own_calls))
                        .feed(entry, &mut |fed| show(fed.execution.as_deref(), fed.entry)),
                    (_, None) => show(None, entry),
                }
            }
            if *route == Route::Nowhere
                && entry.record.class() == Some(RecordClass::Command)
                && self.commands.len() < self.options.max_turns
            {
                self.commands.extend(CommandRun::of(&self.file, entry));
            }
        }
    }

    pub(super) fn options(&self) -> &'o Options {
        self.options
    }

    /// Returns whether nothing has been read yet.
    pub(super) fn is_at_start(&self) -> bool {
        self.next_line == 1
            && self
                .piece
                .as_ref()
                .is_none_or(|piece| piece.bytes.start == 0)
    }

    /// Returns how to read the next blocks, given what is known about the format.
    pub(super) fn reading(&self) -> Reading<'o> {
        let replayed = (self.watch.is_none() || self.only.is_some())
            && !self.options.schema_only
            && self.options.schema.is_none();
        Reading {
            grammar: match &self.options.schema {
                Some(schema) => Grammar::Schema(schema),
                None => self.format.map_or(
                    Grammar::Any {
                        element: self.in_document,
                    },
                    Grammar::Format,
                ),
            },
            limits: self.options.limits,
            router: Router {
                format: self.format.filter(|_| replayed),
                stem: self.stem.clone(),
            },
        }
    }

    /// Creates the workers for this input.
    pub(super) fn create_shards(&self) -> Vec<Shard> {
        let router = self.reading().router;
        let most = self.options.kept_findings();
        let bounds = Bounds::for_workers(&self.options.limits, most, router.workers());
        let bounds = Bounds {
            worst: self.options.max_findings > 0,
            ..bounds
        };
        let new = |format: Format| {
            let recorder = if self.turns.is_some() {
                Recorder::streaming()
            } else {
                Recorder::new(self.options.max_turns)
            };
            let reader = format.reader(&self.stem, &self.own_calls);
            let mut shard = Shard::new(self.file.clone(), format, reader, recorder, bounds);
            shard.lost(self.lost_before_shards);
            shard.report_only(self.only);
            shard
        };
        router
            .format
            .map(|format| (0..router.workers()).map(|_| new(format)).collect())
            .unwrap_or_default()
    }

    /// Takes the workers back after everything was read.
    pub(super) fn collect(&mut self, shards: Vec<Shard>) {
        self.shards = shards;
    }

    /// Adds secrets to the mask, so that no text of the report shows them.
    fn remember_secrets(&mut self, entries: &[Entry<'_>]) {
        for entry in entries {
            for secret in entry.secret_texts() {
                self.mask.add(&secret);
            }
        }
    }

    fn report_problems(&mut self, entry: &Entry<'_>) {
        for problem in &entry.problems {
            if problem.is_scanned() && (self.options.schema_only || self.options.schema.is_some()) {
                continue;
            }
            // `validate` only checks schemas, so a violation of the prompt contract is reported as
            // one of the schema.
            let code = if self.options.schema_only && problem.code == codes::CONTRACT_VIOLATION {
                codes::SCHEMA_VIOLATION
            } else {
                problem.code
            };
            let problem = Problem {
                code,
                ..problem.clone()
            };
            let execution = entry
                .record
                .execution_id()
                .map(|id| Arc::from(&*execution_name(&id.decode())));
            if let Some(finding) = problem_finding(&self.file, entry, &problem, execution) {
                self.findings.add(finding);
            }
        }
    }

    /// Reports a finding about the input. `subject` identifies what it is about, independent of the
    /// message.
    fn finding(&mut self, code: Code, place: (u64, u64), subject: &str, message: &str) {
        if let Some(finding) = self.file_finding(code, place, subject, message) {
            self.findings.add(finding);
        }
    }

    /// Creates a finding about the input itself.
    fn file_finding(
        &self,
        code: Code,
        (line, column): (u64, u64),
        subject: &str,
        message: &str,
    ) -> Option<Finding> {
        let rule = rules::by_code(code)?;
        let place = Place {
            file: self.file.clone(),
            line,
            column,
            ..Place::default()
        };
        Some(Finding {
            help: Some(help(rule)),
            subject: Some(subject.into()),
            ..rules::finding(code, message, place)
        })
    }

    fn unreadable(&mut self, line: u64, subject: &str, message: &str) {
        self.finding(codes::UNREADABLE_INPUT, (line, 0), subject, message);
    }

    fn limit(&mut self, line: u64, subject: &str, message: &str) {
        self.finding(codes::LIMIT_EXCEEDED, (line, 1), subject, message);
    }
}

/// Returns the subject of a finding about an oversized record.
fn overlong_subject(overlong: &OversizedLine) -> Box<str> {
    subject(["record", &overlong.hash.to_hex()])
}
