//! One input: opened, told apart, read in blocks, handed to the workers.

use super::bounds::{Bound, Bounds, Refused};
use super::kept::Kept;
use super::kept_text::execution_name;
use super::parse::{self, BOM};
use super::pipeline::{self, Parsed, Reading, Route, Router};
use super::place::{help, problem_finding, shown_parts};
use super::shard::Shard;
use super::signed::{self, Signed};
use super::timeline::{CommandRun, Timeline};
use super::units::{InputUnits, Units};
use super::{Options, Report};
use crate::diag::{Code, ContentHash, Finding, Place, Severity, subject};
use crate::replay::{Execution, Looks, Summary};
use crate::rules;
use crate::source::{
    Block, Blocks, DocumentError, Element, Found, Input, Missing, Next, OversizedLine, Position,
    each_element, open, stored_hash,
};
use crate::trace::cut::{self, CutAction};
use crate::trace::entry::{Entry, Grammar, Problem, Record};
use crate::trace::foreign;
use crate::trace::format::Format;
use content_scan::frames::Frames;
use content_scan::mask::Mask;
use governance::State;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;
use strict_json::Scanner;

/// Is shown each record, with the execution that it belongs to.
pub(super) type Watch<'w> = &'w mut (dyn FnMut(&str, &Entry<'_>) + Send);

/// Shows the records of one input, in their order, instead of replaying them. What can't be read is
/// reported all the same.
pub(super) fn watch<'w>(
    input: &Result<Found, Missing>,
    options: &'w Options,
    report: &mut Report,
    watch: Watch<'w>,
) {
    match input {
        Ok(found) => match open(&found.input) {
            Ok(reader) => {
                let mut run = Run {
                    watch: Some(watch),
                    source: Some(&found.input),
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

/// An input while it is being verified.
pub(super) struct Run<'o> {
    file: Arc<str>,
    /// The execution of formats that name none: the stem of the file.
    stem: Arc<str>,
    options: &'o Options,
    /// Where the input is read from.
    source: Option<&'o Input>,
    /// Instead of workers: whoever wants to see the records themselves.
    watch: Option<Watch<'o>>,
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

/// Records that came before any whose format is known.
#[derive(Debug)]
struct Foreign {
    /// Where the first one is.
    line: u64,
    /// How many they are.
    count: u64,
    /// What they look like.
    looks: Option<&'static str>,
    /// Where the first record of a known format is, if there is one.
    known: Option<u64>,
    /// What they hold.
    content: ContentHash,
}

/// Verifies one input into `report`.
pub(super) fn verify(input: &Result<Found, Missing>, options: &Options, report: &mut Report) {
    match input {
        Ok(found) => match open(&found.input) {
            Ok(reader) => {
                let mut run = Run {
                    source: Some(&found.input),
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
            source: None,
            watch: None,
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

    /// Whether an input is one JSON document over several lines, by its beginning: it begins with a
    /// value that goes on behind its first line, and that is no broken record among others.
    fn is_document(&self, head: &[u8]) -> bool {
        let bytes = head.strip_prefix(BOM).unwrap_or(head);
        let Some(start) = bytes.iter().position(|b| !b.is_ascii_whitespace()) else {
            return false;
        };
        let rest = bytes.get(start..).unwrap_or_default();
        let line_end = memchr::memchr(b'\n', rest);
        let line = rest
            .get(..line_end.unwrap_or(rest.len()))
            .unwrap_or_default();
        // The head may end inside a character.
        let line = match std::str::from_utf8(line) {
            Ok(line) => line,
            Err(error) if line_end.is_none() && error.error_len().is_none() => {
                std::str::from_utf8(line.get(..error.valid_up_to()).unwrap_or_default())
                    .unwrap_or_default()
            }
            Err(_) => return false,
        };
        if !line.starts_with(['[', '{']) || self.format.is_some_and(Format::is_line_oriented) {
            return false;
        }
        let mut scanner = Scanner::new(line, self.options.limits.depth);
        match scanner.skip() {
            // A whole array on one line is a document, unless it is a frame of a recording.
            Ok(_) => {
                line.starts_with('[')
                    && scanner.end().is_ok()
                    && Format::of_record(line, self.options.limits.depth)
                        != Some(Format::YuangsCast)
            }
            Err(error) => {
                let behind = rest
                    .get(line_end.unwrap_or(rest.len())..)
                    .unwrap_or_default();
                let next = behind.iter().find(|b| !b.is_ascii_whitespace());
                // A line of one JSON text ends behind a sign that wants more, or the next one
                // begins with one that no text begins with. It never ends inside a string.
                let goes_on = line.trim_end().ends_with(['[', '{', ',', ':'])
                    || matches!(next, Some(b',' | b':' | b']' | b'}'));
                let objects = || {
                    line.strip_prefix('[')
                        .is_some_and(|inner| inner.trim_start().starts_with('{'))
                };
                // A list of objects on one line is no record of any format, and can only be a
                // document that was cut off.
                error.is_incomplete() && if next.is_some() { goes_on } else { objects() }
            }
        }
    }

    /// A block of an input whose format isn't told yet. That a line isn't JSON, and what no record
    /// may hold, is reported whatever the format is.
    fn formless(&mut self, block: &Block) {
        let mut parsed = Parsed::of(block, self.is_at_start(), &self.reading());
        self.number(&mut parsed);
        self.take_note(&parsed.entries, &parsed.falls);
        self.lost_early = parsed
            .entries
            .last()
            .map_or(self.lost_early, |entry| entry.line);
    }

    /// Takes note of a record of no known shape.
    fn meet_foreign(&mut self, entry: &Entry<'_>) {
        let new = Foreign {
            line: entry.line,
            count: 0,
            looks: None,
            known: None,
            content: ContentHash::default(),
        };
        let foreign = self.foreign.get_or_insert(new);
        foreign.count += 1;
        foreign.content.add("");
        for part in shown_parts(entry) {
            foreign.content.add(part);
        }
        // Sessions begin with records of several kinds: the first few are looked at.
        if foreign.count < 50 {
            foreign.looks = foreign.looks.or_else(|| foreign::looks_like(entry.text));
        }
    }

    /// From a line on the format is known.
    fn recognise(&mut self, format: Option<Format>, line: u64) {
        self.format = self.format.or(format);
        if let Some(foreign) = self.foreign.as_mut().filter(|_| format.is_some()) {
            foreign.known.get_or_insert(line);
        }
    }

    /// Adds the secrets that stand in several frames of a recording, each to the frame in which it
    /// begins.
    fn secrets_over_frames(&mut self, entries: &mut [Entry<'_>]) {
        let found = self.frames.read(entries.iter().map(|entry| entry.text));
        for spread in found {
            self.mask.add(&spread.secret);
            let first = spread.pieces.into_iter().next();
            if let Some((entry, place)) =
                first.and_then(|(n, place)| Some((entries.get_mut(n)?, place)))
            {
                entry.spread_secret(&place, spread.message);
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

    /// One JSON document: an array of records, or one record over several lines.
    fn document<R: Read>(&mut self, blocks: &mut Blocks<R>) {
        self.in_document = true;
        let limits = self.options.limits;
        let (looks, settings) = (Looks::default(), &self.options.settings);
        let mut broken = None;
        let end = each_element(blocks, limits, &mut |at, element| {
            let bytes = match element {
                Element::Bytes(bytes) => bytes,
                Element::OversizedLine(overlong) => {
                    self.limit(
                        at.line,
                        &overlong_subject(&overlong),
                        &parse::too_long(overlong.length, limits.record_bytes),
                    );
                    self.units.findings += 1;
                    self.lose(at.line);
                    return Next::Go;
                }
            };
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            let mut scanner = Scanner::new(text, limits.depth);
            if !text.is_empty()
                && let Err(error) = scanner.skip().and_then(|_| scanner.end())
            {
                broken = Some((within(at, text.as_bytes(), error.at), error.to_string()));
                return Next::Stop;
            }
            if self.format.is_none() && self.options.schema.is_none() {
                self.recognise(Format::of_record(text, limits.depth), at.line);
            }
            let mut scanner = Scanner::new("", limits.depth);
            let reading = self.reading();
            let entry = parse::one(
                bytes,
                (at.line, at.indent),
                reading.grammar,
                &mut scanner,
                limits,
                false,
            );
            if self.shards.is_empty() {
                self.shards = self.create_shards();
            }
            let entries = [entry];
            let falls = reading.dealing.all(&entries);
            self.take_note(&entries, &falls);
            if reading.dealing.format.is_none() {
                self.lost_early = at.line;
            }
            reading
                .dealing
                .replay((0, &mut self.shards), (&entries, &falls), settings, &looks);
            Next::Go
        });
        let (at, error) = match (end, broken) {
            (_, Some((at, error))) => (at, error),
            (Ok(()) | Err(DocumentError::Stopped), None) => return,
            (Err(DocumentError::Syntax(at, what)), None) => (at, what.to_owned()),
            (Err(DocumentError::Incomplete(at, bytes)), None) => {
                let text = String::from_utf8_lossy(&bytes);
                let mut scanner = Scanner::new(&text, limits.depth);
                match scanner.skip().and_then(|_| scanner.end()) {
                    Err(error) => (within(at, text.as_bytes(), error.at), error.to_string()),
                    Ok(()) => (at, "the array breaks off".to_owned()),
                }
            }
            (Err(DocumentError::TooLong(at)), None) => {
                let limit = limits.document_bytes;
                self.limit(
                    1,
                    &subject(["document", &self.stored()]),
                    &format!(
                        "the document is longer than {limit} bytes and isn't one record a line"
                    ),
                );
                self.units.refused += 1;
                return self.lose_rest(at.line);
            }
            (Err(DocumentError::Io(error)), None) => {
                self.next_line = 1;
                let line = self.breaks_off(&error);
                return self.lose_rest(line);
            }
        };
        let message =
            format!("the document is no valid JSON: {error}; nothing behind this place is read");
        let problem = Problem {
            code: Code(102),
            at: (0, 1),
            pointer: None,
            message,
        };
        let mut entry = Entry::unread((at.line, at.indent), "", vec![problem], Vec::new());
        entry.unread = Some(self.stored());
        self.units.refused += 1;
        self.report_problems(&entry);
        self.lose_rest(at.line);
    }

    /// Nobody knows what a line of a document held.
    fn lose(&mut self, line: u64) {
        self.lost_early = line;
        self.shards.iter_mut().for_each(|shard| shard.lost(line));
    }

    /// Nobody knows what a document holds from a line on.
    fn lose_rest(&mut self, line: u64) {
        self.lose(line);
        self.shards.iter_mut().for_each(Shard::lose_rest);
    }

    /// Finds out the format: that of the first line that is shaped like a record of one, and where
    /// that line begins.
    fn detect(&self, block: &Block) -> Option<(Format, usize)> {
        let mut at = 0;
        block
            .bytes
            .split_inclusive(|b| *b == b'\n')
            .find_map(|line| {
                let start = at;
                at += line.len();
                let text = std::str::from_utf8(
                    line.strip_prefix(BOM)
                        .filter(|_| start == 0)
                        .unwrap_or(line),
                )
                .ok()?;
                Some((Format::of_record(text, self.options.limits.depth)?, start))
            })
    }

    /// Takes account of what was read of a block, in the order of the input; returns the line of it
    /// that was too long.
    pub(super) fn account(&mut self, parsed: &mut Parsed<'_>) -> Option<u64> {
        let line = self.next_line;
        self.number(parsed);
        if self.format == Some(Format::YuangsCast) && self.options.schema.is_none() {
            self.secrets_over_frames(&mut parsed.entries);
        }
        self.take_note(&parsed.entries, &parsed.falls);
        parsed.overlong.map(|_| line)
    }

    /// Keeps what has to be kept of records, whoever replays them.
    fn take_note(&mut self, entries: &[Entry<'_>], falls: &[Route]) {
        self.remember_secrets(entries);
        for (entry, falls) in entries.iter().zip(falls) {
            self.units.count(entry);
            if matches!(entry.record, Record::Foreign) {
                self.meet_foreign(entry);
            }
            if entry
                .problems
                .iter()
                .any(|problem| problem.code == Code(104))
            {
                self.cut = self
                    .format
                    .and_then(|format| cut::action(format, entry.text))
                    .map(|cut| {
                        let execution = cut.execution.map(|id| execution_name(&id).into_owned());
                        (entry.line, CutAction { execution, ..cut })
                    });
            }
            if !matches!(falls, Route::To(_)) {
                self.report_problems(entry);
            }
            if let Some(watch) = &mut self.watch {
                let named = entry.record.execution_id().map(|id| id.decode());
                watch(
                    &execution_name(named.as_deref().unwrap_or(&self.stem)),
                    entry,
                );
            }
            if *falls == Route::Nowhere
                && let Record::Command(record) = &entry.record
                && self.commands.len() < self.options.max_turns
            {
                self.commands
                    .push(CommandRun::of(&self.file, entry, record));
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
            dealing: Router {
                format: self.format.filter(|_| replayed),
                stem: self.stem.clone(),
            },
        }
    }

    /// The workers that this input needs.
    pub(super) fn create_shards(&self) -> Vec<Shard> {
        let dealing = self.reading().dealing;
        let most = self.options.kept_findings();
        let bounds = Bounds::of(&self.options.limits, most, dealing.workers());
        let bounds = Bounds {
            worst: self.options.max_findings > 0,
            ..bounds
        };
        let new = |format| {
            let mut shard = Shard::new(self.file.clone(), format, self.options.max_turns, bounds);
            shard.lost(self.lost_early);
            shard
        };
        dealing
            .format
            .map(|format| (0..dealing.workers()).map(|_| new(format)).collect())
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
            let code = if self.options.schema_only && problem.code == Code(210) {
                Code(103)
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
            ..Finding::new(code, rule.name, rule.severity, message, place)
        })
    }

    fn unreadable(&mut self, line: u64, subject: &str, message: &str) {
        self.finding(Code(101), (line, 0), subject, message);
    }

    fn limit(&mut self, line: u64, subject: &str, message: &str) {
        self.finding(Code(107), (line, 1), subject, message);
    }

    /// Says that records were refused because nobody knows what they are.
    fn report_foreign(&mut self) {
        let Some(Foreign {
            line,
            count,
            looks,
            known,
            content,
        }) = &self.foreign
        else {
            return;
        };
        let (line, count, looks, known, content) =
            (*line, *count, *looks, *known, content.finish());
        let names: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
        let looks = looks
            .map(|name| format!("; this looks like {name}"))
            .unwrap_or_default();
        let message = match known {
            None => {
                format!(
                    "the format can't be told: its records look like none of the known formats ({}){looks}",
                    names.join(", ")
                )
            }
            Some(known) => {
                let records = if count == 1 {
                    "1 record".to_owned()
                } else {
                    format!("{count} records")
                };
                format!(
                    "{records} before line {known} look like none of the known formats ({}) and were not checked{looks}",
                    names.join(", ")
                )
            }
        };
        self.finding(
            Code(108),
            (line, 0),
            &subject(["format", &content]),
            &message,
        );
    }

    fn finish(mut self, report: &mut Report) {
        self.report_foreign();
        report.counts.unknown_inputs += u64::from(
            self.foreign
                .as_ref()
                .is_some_and(|foreign| foreign.known.is_none()),
        );
        report.counts.known_inputs +=
            u64::from(self.format.is_some() || self.options.schema.is_some());
        if let (Some(format), Some(accepted)) = (self.format, &self.options.formats)
            && !accepted.contains(&format)
        {
            let accepted: Vec<&str> = accepted.iter().map(|f| f.name()).collect();
            let accepted = if accepted.is_empty() {
                "none".to_owned()
            } else {
                accepted.join(", ")
            };
            let message = format!(
                "the trace is in the format `{}`; the configuration accepts {accepted}",
                format.name()
            );
            self.finding(Code(110), (0, 0), format.name(), &message);
        }
        let settings = &self.options.settings;
        let earlier = report.summaries.len();
        let shards = std::mem::take(&mut self.shards);
        let (mut findings, dropped) =
            std::mem::replace(&mut self.findings, Kept::new(0, false)).into_parts();
        for ((code, severity), number) in dropped {
            report.drop_findings(code, severity, number);
        }
        let mut refused: Option<Refused> = None;
        report
            .summaries
            .reserve(shards.iter().map(Shard::executions).sum());
        let mut follow_ups = Vec::new();
        let mut timelines = Vec::new();
        let mut signed = Signed::default();
        // A record that breaks off belongs to an execution that has others, and may belong to one
        // that isn't over.
        let (mut attributed, mut open) = (false, false);
        for shard in shards {
            let mut harvest = shard.end(settings);
            if !self.mask.is_empty() {
                harvest
                    .timeline
                    .each_text(&mut |text| self.mask.clean(text));
            }
            self.units.move_steps(
                harvest.repeated,
                harvest
                    .refused
                    .as_ref()
                    .map_or(0, |refused| refused.records),
            );
            refused = match (refused, harvest.refused) {
                (Some(one), Some(other)) => Some(one.with(&other)),
                (one, other) => one.or(other),
            };
            findings.extend(harvest.findings);
            follow_ups.extend(harvest.follow_ups);
            timelines.push(harvest.timeline);
            signed.absorb(harvest.signed);
            for ((code, severity), number) in harvest.dropped {
                report.drop_findings(code, severity, number);
            }
            for id in harvest.failed_unlisted {
                let id = self.mask.hide(&id).map_or(id, Into::into);
                report.failed_unlisted.insert((self.file.clone(), id));
            }
            for mut summary in harvest.summaries {
                if let Some((_, cut)) = &self.cut
                    && cut.execution.as_deref().is_none_or(|id| *id == *summary.id)
                {
                    summary.verdict.doubt_all();
                    attributed = true;
                    open |= cut.execution.is_some() || summary.final_state != Some(State::Terminal);
                }
                report.counts.turns += summary.turns;
                report.counts.signatures_unchecked += summary.signatures_unchecked;
                report.held += summary.weight();
                report.summaries.push(summary);
            }
        }
        if let Some((line, cut)) = &self.cut {
            let finding = findings
                .iter_mut()
                .find(|f| f.code == Code(104) && f.place.line == *line);
            if let Some(finding) = finding.filter(|_| cut.shown && !open) {
                // Nothing may be executed in an execution that is over, and there is no other
                // record of one that isn't.
                finding.severity = Severity::Error;
                finding.execution = cut.execution.as_deref().map(Into::into);
                finding.message.push_str(
                    "; it shows an executed action, and no execution on record is open for it",
                );
            }
            if !attributed {
                report
                    .summaries
                    .extend(orphan(&self.file, self.format, *line, cut));
            }
        }
        if let Some(refused) = refused {
            let message = refused.message(&self.options.limits, self.reading().dealing.workers());
            let about = subject(["executions", &refused.content.finish()]);
            findings.extend(
                self.file_finding(Code(107), (refused.line, 0), &about, &message)
                    .map(Box::new),
            );
        }
        findings.extend(
            signed::compare(report, &self.file, signed)
                .into_iter()
                .map(Box::new),
        );
        let mut commands = Timeline {
            commands: self.commands,
            ..Timeline::default()
        };
        commands.each_text(&mut |text| self.mask.clean(text));
        timelines.push(commands);
        super::timeline::merge(&mut report.timeline, timelines, self.options.max_turns);
        follow_ups.sort_by(|(a, x), (b, y)| (a, x.line, &x.message).cmp(&(b, y.line, &y.message)));
        let mut roots: HashMap<u64, usize> = HashMap::new();
        for (n, finding) in findings
            .iter()
            .enumerate()
            .filter(|(_, f)| f.code < Code(200))
        {
            roots.entry(finding.place.line).or_insert(n);
        }
        for (line, related) in follow_ups {
            if let Some(finding) = roots.get(&line).and_then(|n| findings.get_mut(*n)) {
                finding.relate(related);
                continue;
            }
            // What explains them isn't listed.
            for folded in related.folded {
                report.drop_findings(folded.code, folded.severity, 1);
                if let Some(id) = folded
                    .execution
                    .filter(|_| folded.severity == Severity::Error)
                {
                    let id = self.mask.hide(&id).map_or(id, Into::into);
                    report.failed_unlisted.insert((self.file.clone(), id));
                }
            }
        }
        report.counts.records += (self.units.total() - self.units.blank).saturating_sub(self.rests);
        report.add_input(InputUnits {
            path: self.file.clone(),
            format: self.format.map(Format::name),
            units: self.units,
        });
        if !self.mask.is_empty() {
            for finding in &mut findings {
                hide_in_finding(finding, &self.mask);
            }
            for summary in report.summaries.iter_mut().skip(earlier) {
                hide_in_summary(summary, &self.mask);
            }
        }
        report.keep(findings, self.options.kept_findings());
        report.secrets.absorb(self.mask);
    }
}

/// What a finding about a record that is too long is about.
fn overlong_subject(overlong: &OversizedLine) -> Box<str> {
    subject(["record", &overlong.hash.to_hex()])
}

/// Takes secrets out of everything that a finding says.
fn hide_in_finding(finding: &mut Finding, mask: &Mask) {
    // What says that there is a secret doesn't say it, and names it by its first characters.
    if finding.code != Code(803) {
        mask.clean(&mut finding.message);
    }
    if let Some(excerpt) = &mut finding.place.excerpt
        && let Some(text) = mask.redact_span(&excerpt.text)
    {
        excerpt.text = text;
    }
    if let Some(pointer) = &mut finding.place.pointer {
        mask.clean(pointer);
    }
    if let Some(hidden) = finding.execution.as_deref().and_then(|id| mask.hide(id)) {
        finding.execution = Some(hidden.into());
    }
    for related in &mut finding.related {
        mask.clean(&mut related.message);
        related
            .folded
            .iter_mut()
            .for_each(|folded| hide_in_finding(folded, mask));
    }
}

fn hide_in_summary(summary: &mut Summary, mask: &Mask) {
    if let Some(hidden) = mask.hide(&summary.id) {
        summary.id = hidden.into();
    }
    if let Some(hidden) = summary
        .outcome
        .as_deref()
        .and_then(|outcome| mask.hide(outcome))
    {
        summary.outcome = Some(hidden.into());
    }
}

/// What is reported of an execution whose only record breaks off.
fn orphan(file: &Arc<str>, format: Option<Format>, line: u64, cut: &CutAction) -> Option<Summary> {
    let id = cut.execution.as_deref()?;
    let mut execution = Execution::new(id.into(), file.clone(), format?, line);
    execution.doubt_all();
    Some(execution.summary())
}

/// The place of a byte of an element that begins at `start`.
fn within(start: Position, text: &[u8], at: usize) -> Position {
    let before = text.get(..at.min(text.len())).unwrap_or(text);
    let Some(end) = memchr::memrchr(b'\n', before) else {
        return Position {
            indent: start.indent + before.len() as u64,
            ..start
        };
    };
    let lines = memchr::memchr_iter(b'\n', before).count() as u64;
    Position {
        line: start.line + lines,
        indent: (before.len() - end - 1) as u64,
    }
}
