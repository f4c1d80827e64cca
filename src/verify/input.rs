//! One input: opened, read in blocks, handed to the workers.

mod detection;
mod document;
mod finish;

use super::bounds::{Bound, Bounds};
use super::kept::Kept;
use super::kept_text::execution_name;
use super::parse;
use super::pipeline::{self, Parsed, Reading, Route, Router};
use super::place::{help, problem_finding};
use super::shard::Shard;
use super::timeline::{CommandRun, Recorder, Turn};
use super::units::Units;
use super::{Options, Report};
use crate::diag::{Code, ContentHash, Finding, Place, subject};
use crate::rules::{self, codes};
use crate::source::{
    Block, Blocks, Found, Input, Missing, OversizedLine, open_counted, stored_hash,
};
use crate::trace::cut::{self, CutAction};
use crate::trace::entry::{Entry, Grammar, Problem, Record};
use crate::trace::formats::{Coverage, Format, OwnCalls, Reader, RecordClass};
use content_scan::frames::Frames;
use content_scan::mask::Mask;
use detection::Foreign;
use std::io::Read;
use std::sync::Arc;

/// Is shown each record, with the execution that it belongs to.
pub(super) type Watch<'w> = &'w mut (dyn FnMut(&str, &Entry<'_>) + Send);

/// Shows the records of one input, in their order, instead of replaying them. What can't be read is
/// reported all the same.
pub(super) fn watch<'w>(
    input: &Result<Found, Missing>,
    options: &'w Options,
    own_calls: &OwnCalls,
    report: &mut Report,
    watch: Watch<'w>,
) {
    match input {
        Ok(found) => match open_counted(&found.input, options.bytes_read.clone()) {
            Ok(reader) => {
                let mut run = Run {
                    watch: Some(watch),
                    source: Some(&found.input),
                    own_calls: own_calls.clone(),
                    ..Run::new(&found.name, options)
                };
                run.read(reader, &mut report.counts.bytes);
                run.end_watch();
                run.finish(report);
            }
            Err(error) => cannot_open(&found.name, &error, options, report),
        },
        Err(missing) => cannot_open(&missing.name, &missing.error, options, report),
    }
}

/// Is handed turns, each when nothing can be added to it.
pub(super) type OnTurn<'t> = &'t mut (dyn FnMut(Turn) + Send);

/// An input while it is being verified.
pub(super) struct Run<'o> {
    file: Arc<str>,
    /// The execution of formats that name none: the stem of the file.
    stem: Arc<str>,
    options: &'o Options,
    /// The calls of sub-agents that other inputs tell of.
    own_calls: OwnCalls,
    /// What turns the records into those of executions, where these are watched.
    reader: Option<Box<dyn Reader>>,
    /// Where the input is read from.
    source: Option<&'o Input>,
    /// Instead of workers: whoever wants to see the records themselves.
    watch: Option<Watch<'o>>,
    /// Who is handed the turns, instead of the report.
    pub(super) turns: Option<OnTurn<'o>>,
    shards: Vec<Shard>,
    /// Records of commands, which no worker has to replay.
    commands: Vec<CommandRun>,
    format: Option<Format>,
    /// What became of every unit.
    units: Units,
    /// How many of the refused ones aren't records, but what is left of an input.
    rests: u64,
    findings: Kept,
    mask: Mask,
    /// What the frames of a recording say together.
    frames: Frames,
    /// The last line that could not be read before there were workers to tell.
    lost_early: u64,
    /// Records of no known shape.
    foreign: Option<Foreign>,
    /// The last line breaks off and may show an executed action: the line, and what is left of it.
    cut: Option<(u64, CutAction)>,
    /// The line that the next block begins with.
    next_line: u64,
    /// The input is one JSON document.
    in_document: bool,
}

/// Verifies one input into `report`; its turns are for `turns`, if somebody asks for them.
pub(super) fn verify<'o>(
    input: &'o Result<Found, Missing>,
    options: &'o Options,
    own_calls: &OwnCalls,
    turns: Option<OnTurn<'o>>,
    report: &mut Report,
) {
    match input {
        Ok(found) => match open_counted(&found.input, options.bytes_read.clone()) {
            Ok(reader) => {
                let mut run = Run {
                    turns,
                    source: Some(&found.input),
                    own_calls: own_calls.clone(),
                    ..Run::new(&found.name, options)
                };
                run.read(reader, &mut report.counts.bytes);
                run.finish(report);
            }
            Err(error) => cannot_open(&found.name, &error, options, report),
        },
        Err(missing) => cannot_open(&missing.name, &missing.error, options, report),
    }
}

/// Verifies what a reader gives into `report`.
pub(super) fn verify_reader(
    name: &str,
    reader: impl Read + Send,
    options: &Options,
    report: &mut Report,
) {
    let mut run = Run::new(name, options);
    run.read(reader, &mut report.counts.bytes);
    run.finish(report);
}

/// Refuses inputs, since the executions so far have come to a bound.
pub(super) fn refuse(
    bound: Bound,
    inputs: &[Result<Found, Missing>],
    options: &Options,
    report: &mut Report,
) {
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
    let Some(name) = first else { return };
    let mut run = Run::new(name, options);
    let inputs = if inputs.len() == 1 {
        "1 input was".to_owned()
    } else {
        format!("{} inputs were", inputs.len())
    };
    let why = match bound {
        Bound::Executions => format!(
            "the run has come to {} executions, and may have no more (--max-executions)",
            options.limits.executions
        ),
        Bound::Held => format!(
            "what is kept of the run's executions holds {} bytes, and may hold no more (--max-open-bytes)",
            options.limits.open_bytes
        ),
    };
    run.limit(
        0,
        &subject(["executions of the run", &content.finish()]),
        &format!("from here on {inputs} not read: {why}"),
    );
    run.refuse_rest();
    run.finish(report);
}

fn cannot_open(name: &str, error: &std::io::Error, options: &Options, report: &mut Report) {
    report.counts.unopened += 1;
    let mut run = Run::new(name, options);
    run.unreadable(
        0,
        "unopened",
        &format!("the input can't be opened: {error}"),
    );
    run.refuse_rest();
    run.finish(report);
}

/// The name of a file without its folder and endings.
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
            turns: None,
            shards: Vec::new(),
            commands: Vec::new(),
            format: options.format,
            units: Units::default(),
            rests: 0,
            findings: Kept::new(options.kept_findings(), false),
            mask: Mask::default(),
            frames: Frames::default(),
            foreign: None,
            cut: None,
            lost_early: 0,
            next_line: 1,
            in_document: false,
        }
    }

    /// Shows what only the end of the input completes.
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

    fn read(&mut self, reader: impl Read + Send, bytes: &mut u64) {
        let mut blocks = Blocks::new(reader, self.options.limits);
        if self.is_document(blocks.head()) {
            self.document(&mut blocks);
        } else {
            self.lines(&mut blocks);
        }
        *bytes += blocks.bytes_read();
    }

    /// An input with a record on each line.
    fn lines<R: Read + Send>(&mut self, blocks: &mut Blocks<R>) {
        let mut next = blocks.next(Vec::new());
        // Until a record tells the format, block after block is read here.
        while let Ok(Some(mut block)) = next {
            if self.format.is_none() && self.options.schema.is_none() && block.overlong.is_none() {
                let (format, known) = self.detect(&block).unzip();
                let rest = block.bytes.split_off(known.unwrap_or(block.bytes.len()));
                let last = block.last;
                block.last &= rest.is_empty();
                self.formless(&block);
                self.recognise(format, self.next_line);
                block = Block {
                    bytes: rest,
                    overlong: None,
                    last,
                };
            } else if self.format.is_none() && self.options.schema.is_none() {
                self.formless(&block);
            }
            if self.format.is_some() || self.options.schema.is_some() {
                return pipeline::run(self, blocks, block);
            }
            next = blocks.next(block.bytes);
        }
        if let Err(error) = next {
            self.lost_early = self.breaks_off(&error);
        }
    }

    /// Reports that reading failed behind what has been read; returns the line.
    pub(super) fn breaks_off(&mut self, error: &std::io::Error) -> u64 {
        let what = if error.kind() == std::io::ErrorKind::FileTooLarge {
            "is longer than the limit"
        } else {
            "breaks off"
        };
        let line = self.next_line;
        let subject = subject(["broken off", &self.stored()]);
        self.unreadable(line, &subject, &format!("the input {what} here: {error}"));
        self.refuse_rest();
        line
    }

    /// A hash of the input as it is stored, whatever can be read of it. That a part isn't read says
    /// nothing of what is in it.
    fn stored(&self) -> Box<str> {
        self.source
            .map_or_else(Box::default, |input| stored_hash(input).into())
    }

    /// What is left of the input can't be read: nobody knows how many records it holds.
    fn refuse_rest(&mut self) {
        self.units.refused += 1;
        self.rests += 1;
    }

    /// Adds the secrets that stand in several frames of a recording, each to the frame in which it
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

    /// Gives what was read of a block its place in the input.
    fn number(&mut self, parsed: &mut Parsed<'_>) {
        for entry in &mut parsed.entries {
            entry.line += self.next_line;
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
            self.lost_early = line;
        }
        self.units.blank += parsed.blank;
        self.next_line += parsed.lines;
    }

    /// Takes account of what was read of a block, in the order of the input; returns the line of it
    /// that was too long.
    pub(super) fn account(&mut self, parsed: &mut Parsed<'_>) -> Option<u64> {
        let line = self.next_line;
        self.number(parsed);
        self.scan_frames(&mut parsed.entries);
        self.take_note(&parsed.entries, &parsed.routes);
        parsed.overlong.map(|_| line)
    }

    /// Keeps what has to be kept of records, whoever replays them.
    fn take_note(&mut self, entries: &[Entry<'_>], routes: &[Route]) {
        self.remember_secrets(entries);
        for (entry, route) in entries.iter().zip(routes) {
            self.units.count(entry);
            if matches!(entry.record, Record::Foreign) {
                self.meet_foreign(entry);
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
            if !matches!(route, Route::To(_)) {
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

    /// Whether nothing was read yet.
    pub(super) fn is_at_start(&self) -> bool {
        self.next_line == 1
    }

    /// How blocks are read, as far as it is known by now.
    pub(super) fn reading(&self) -> Reading<'o> {
        let replayed =
            self.watch.is_none() && !self.options.schema_only && self.options.schema.is_none();
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

    /// The workers that this input needs.
    pub(super) fn create_shards(&self) -> Vec<Shard> {
        let router = self.reading().router;
        let most = self.options.kept_findings();
        let bounds = Bounds::of(&self.options.limits, most, router.workers());
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
            shard.lost(self.lost_early);
            shard
        };
        router
            .format
            .map(|format| (0..router.workers()).map(|_| new(format)).collect())
            .unwrap_or_default()
    }

    /// Takes back the workers when everything is read.
    pub(super) fn collect(&mut self, shards: Vec<Shard>) {
        self.shards = shards;
    }

    /// What was found secret once is shown nowhere.
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
            // `validate` knows nothing of rules: what breaks the prompt contract breaks the schema.
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

    /// Reports something about the input. `subject` says which of the things that the rule finds it
    /// is, whatever the message.
    fn finding(&mut self, code: Code, place: (u64, u64), subject: &str, message: &str) {
        if let Some(finding) = self.file_finding(code, place, subject, message) {
            self.findings.add(finding);
        }
    }

    /// A finding about the input itself.
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

/// What a finding about a record that is too long is about.
fn overlong_subject(overlong: &OversizedLine) -> Box<str> {
    subject(["record", &overlong.hash.to_hex()])
}
