//! One input: opened, told apart, read in blocks, handed to the workers.

use super::lanes::{self, Dealing, Falls, Parsed, Reading};
use super::shard::{Harvest, Shard, problem_finding};
use super::timeline::{CommandRun, Timeline};
use super::{Options, Report};
use crate::diag::{Code, Finding, Place};
use crate::json::Scanner;
use crate::replay::{Looks, Summary};
use crate::rules;
use crate::scan::frames::Frames;
use crate::scan::mask::Mask;
use crate::source::{Block, Blocks, Found, Limits, Missing, open};
use crate::trace::entry::{self, Entry, Grammar, Problem, Record};
use crate::trace::format::Format;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Is shown each record, with the execution that it belongs to.
pub(super) type Watch<'w> = &'w mut (dyn FnMut(&str, &Entry<'_>) + Send);

/// Shows the records of one input, in their order, instead of replaying them. What can't be read is
/// reported all the same.
pub(super) fn watch<'w>(input: &Result<Found, Missing>, options: &'w Options, report: &mut Report, watch: Watch<'w>) {
    match input {
        Ok(found) => match open(&found.input) {
            Ok(reader) => {
                let mut run = Run { watch: Some(watch), ..Run::new(&found.name, options) };
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
    /// Instead of workers: whoever wants to see the records themselves.
    watch: Option<Watch<'o>>,
    shards: Vec<Shard>,
    /// Records of commands, which no worker has to replay.
    commands: Vec<CommandRun>,
    format: Option<Format>,
    records: u64,
    findings: Vec<Finding>,
    mask: Mask,
    /// What the frames of a recording say together.
    frames: Frames,
    /// The last line that could not be read before there were workers to tell.
    lost_early: u64,
    /// Lines before the format was told that hold JSON of no known shape.
    strange: Option<(u64, String)>,
    /// The line that the next block begins with.
    next_line: u64,
}

/// Verifies one input into `report`.
pub(super) fn verify(input: &Result<Found, Missing>, options: &Options, report: &mut Report) {
    match input {
        Ok(found) => match open(&found.input) {
            Ok(reader) => verify_reader(&found.name, reader, options, report),
            Err(error) => cannot_open(&found.name, &error, options, report),
        },
        Err(missing) => cannot_open(&missing.name, &missing.error, options, report),
    }
}

/// Verifies what a reader gives into `report`.
pub(super) fn verify_reader(name: &str, reader: impl Read + Send, options: &Options, report: &mut Report) {
    let mut run = Run::new(name, options);
    run.read(reader, &mut report.counts.bytes);
    run.finish(report);
}

fn cannot_open(name: &str, error: &std::io::Error, options: &Options, report: &mut Report) {
    report.counts.unopened += 1;
    let mut run = Run::new(name, options);
    run.unreadable(0, &format!("the input can't be opened: {error}"));
    run.finish(report);
}

/// The name of a file without its folder and endings.
fn stem(name: &str) -> String {
    let base = name.rsplit('/').next().unwrap_or(name);
    let base = base.strip_suffix(".gz").or_else(|| base.strip_suffix(".zst")).unwrap_or(base);
    base.rsplit_once('.').map_or(base, |(stem, _)| stem).to_owned()
}

impl<'o> Run<'o> {
    fn new(name: &str, options: &'o Options) -> Self {
        Self {
            file: name.into(),
            stem: stem(name).into(),
            options,
            watch: None,
            shards: Vec::new(),
            commands: Vec::new(),
            format: options.format,
            records: 0,
            findings: Vec::new(),
            mask: Mask::default(),
            frames: Frames::default(),
            strange: None,
            lost_early: 0,
            next_line: 1,
        }
    }

    fn read(&mut self, reader: impl Read + Send, bytes: &mut u64) {
        let mut blocks = Blocks::new(reader, self.options.limits);
        let mut next = blocks.next(Vec::new());
        let mut document = Vec::new();
        if let Ok(Some(block)) = &next
            && self.is_document(block)
        {
            while let Ok(Some(block)) = next {
                if document.len() + block.bytes.len() > self.options.limits.document_bytes || block.overlong.is_some() {
                    let limit = self.options.limits.document_bytes;
                    self.limit(1, &format!("the document is longer than {limit} bytes and isn't one record a line"));
                    document.clear();
                    next = Ok(None);
                    break;
                }
                document.extend_from_slice(&block.bytes);
                next = blocks.next(block.bytes);
            }
        }
        // Until a record tells the format, block after block is looked at here.
        while let Ok(Some(block)) = &next
            && !self.tell_format(block)
        {
            self.formless(block);
            let spare = next.ok().flatten().map(|block| block.bytes);
            next = blocks.next(spare.unwrap_or_default());
        }
        match next {
            Ok(Some(block)) => lanes::run(self, &mut blocks, block),
            Ok(None) => {}
            Err(error) => self.lost_early = self.breaks_off(&error),
        }
        *bytes += blocks.bytes_read();
        if !document.is_empty() {
            self.document(&document);
        }
    }

    /// Reports that reading failed behind what has been read; returns the line.
    pub(super) fn breaks_off(&mut self, error: &std::io::Error) -> u64 {
        let what = if error.kind() == std::io::ErrorKind::FileTooLarge { "is longer than the limit" } else { "breaks off" };
        let line = self.next_line;
        self.unreadable(line, &format!("the input {what} here: {error}"));
        line
    }

    /// Whether an input is one JSON document over several lines: it begins with a value that goes on
    /// behind its first line, and that is no broken record among others.
    fn is_document(&self, block: &Block) -> bool {
        let bytes = block.bytes.strip_prefix(BOM).unwrap_or(&block.bytes);
        let Some(start) = bytes.iter().position(|b| !b.is_ascii_whitespace()) else {
            return false;
        };
        let rest = bytes.get(start..).unwrap_or_default();
        let line_end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let (Ok(line), Some(open)) = (std::str::from_utf8(rest.get(..line_end).unwrap_or_default()), rest.first()) else {
            return false;
        };
        if !matches!(open, b'[' | b'{') || self.format.is_some_and(Format::is_line_oriented) {
            return false;
        }
        let mut scanner = Scanner::new(line, self.options.limits.depth);
        match scanner.skip() {
            // A whole array on one line is a document, unless it is a frame of a recording.
            Ok(_) => {
                *open == b'['
                    && scanner.end().is_ok()
                    && Format::of_record(line, self.options.limits.depth) != Some(Format::YuangsCast)
            }
            Err(error) => {
                let more = rest.get(line_end..).unwrap_or_default().iter().any(|b| !b.is_ascii_whitespace());
                // Pretty-printed JSON stops behind `[`, `{` or an opening member, never inside a string.
                let objects = || line.strip_prefix('[').is_some_and(|inner| inner.trim_start().starts_with('{'));
                // A list of objects on one line is no record of any format, and can only be a document that was cut off.
                error.is_incomplete() && (more && line.trim_end().ends_with(['[', '{', ',', ':']) || !more && objects())
            }
        }
    }

    /// Whether it is known how records are to be read, now that this block is here.
    fn tell_format(&mut self, block: &Block) -> bool {
        if self.format.is_none() && self.options.schema.is_none() && block.overlong.is_none() {
            self.format = self.detect(block);
        }
        self.format.is_some() || self.options.schema.is_some()
    }

    /// A block of an input whose format isn't told yet.
    fn formless(&mut self, block: &Block) {
        // Lines that aren't even JSON are reported whatever the format is; of others nothing can be said.
        let mut parsed = Parsed::of(block, self.is_at_start(), &self.reading());
        parsed.entries.retain(|entry| matches!(entry.record, Record::Unreadable));
        self.number(&mut parsed);
        self.take_note(&parsed.entries, &parsed.falls);
        self.lost_early = parsed.entries.last().map_or(self.lost_early, |entry| entry.line);
    }

    /// Adds the secrets that stand in several frames of a recording, each to the frame in which it begins.
    fn secrets_over_frames(&mut self, entries: &mut [Entry<'_>]) {
        let found = self.frames.read(entries.iter().map(|entry| entry.text));
        for spread in found {
            self.mask.add(&spread.secret);
            let first = spread.pieces.into_iter().next();
            if let Some((entry, place)) = first.and_then(|(n, place)| Some((entries.get_mut(n)?, place))) {
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
            self.limit(line, &too_long(overlong.length, limit));
            self.records += 1;
            self.lost_early = line;
        }
        self.next_line += parsed.lines;
    }

    /// One JSON document: an array of records, or one record over several lines.
    fn document(&mut self, bytes: &[u8]) {
        let indent = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let text = match std::str::from_utf8(bytes.get(indent..).unwrap_or_default()) {
            Ok(text) => text,
            Err(error) => {
                let before = bytes.get(..indent + error.valid_up_to()).unwrap_or_default();
                let line = memchr::memchr_iter(b'\n', before).count() as u64 + 1;
                return self.unreadable(line, "the input is no UTF-8");
            }
        };
        if let Some(schema) = &self.options.schema {
            let mut scanner = Scanner::new("", self.options.limits.depth);
            let start = text.len() - text.trim_start().len();
            let line = memchr::memchr_iter(b'\n', text.get(..start).unwrap_or_default().as_bytes()).count() as u64 + 1;
            let entry = entry::read(Grammar::Schema(schema), &mut scanner, text.trim(), (line, 0), false);
            return self.take_note(&[entry], &[Falls::Lost]);
        }
        let (elements, error) = elements(text, self.options.limits.depth);
        if self.format.is_none() {
            self.format =
                elements.iter().find_map(|(at, end)| Format::of_record(text.get(*at..*end)?, self.options.limits.depth));
        }
        let ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
        let place = |at: usize| {
            let before = ends.partition_point(|end| *end < at);
            let line_start = before.checked_sub(1).and_then(|n| ends.get(n)).map_or(0, |end| end + 1);
            let first_line_indent = if line_start == 0 { indent } else { 0 };
            (before as u64 + 1, (at - line_start + first_line_indent) as u64)
        };
        if let Some(format) = self.format {
            let limits = self.options.limits;
            let entries: Vec<Entry<'_>> = elements
                .iter()
                .map(|(at, end)| {
                    let text = text.get(*at..*end).unwrap_or_default();
                    let mut scanner = Scanner::new("", limits.depth);
                    if text.len() > limits.record_bytes {
                        return overlong(text, place(*at), limits.record_bytes);
                    }
                    entry::read(Grammar::Format(format), &mut scanner, text, place(*at), false)
                })
                .collect();
            let dealing = self.reading().dealing;
            let falls = dealing.all(&entries);
            self.take_note(&entries, &falls);
            self.shards = self.hire();
            dealing.replay((0, &mut self.shards), (&entries, &falls), &self.options.settings, &Looks::default());
        } else if let Some((at, _)) = elements.first() {
            self.strange = Some((place(*at).0, "its records look like none of the known formats".into()));
        }
        if let Some(error) = error {
            let (line, column) = place(error.at.min(text.len()));
            let problem = Problem {
                code: Code(102),
                at: (0, 1),
                pointer: None,
                message: format!("the document is no valid JSON: {error}; nothing behind this place is read"),
            };
            let entry = Entry::unread((line, column), "", vec![problem], Vec::new());
            self.records += 1;
            self.report_problems(&entry);
            for shard in &mut self.shards {
                shard.lost(line);
                shard.lose_rest();
            }
        }
    }

    /// Finds out the format: that of the first line that is shaped like a record of one.
    fn detect(&mut self, block: &Block) -> Option<Format> {
        let lines = block.bytes.strip_prefix(BOM).unwrap_or(&block.bytes).split(|b| *b == b'\n');
        for (number, line) in (self.next_line..).zip(lines) {
            if let Ok(text) = std::str::from_utf8(line)
                && !text.trim().is_empty()
            {
                if let Some(format) = Format::of_record(text, self.options.limits.depth) {
                    return Some(format);
                }
                let mut scanner = Scanner::new(text, self.options.limits.depth);
                if self.strange.is_none() && text.trim_start().starts_with('{') && scanner.skip().is_ok() && scanner.end().is_ok()
                {
                    self.strange = Some((number, "its records look like none of the known formats".into()));
                }
            }
        }
        None
    }

    /// Takes account of what was read of a block, in the order of the input; returns the line of it that was too long.
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
    fn take_note(&mut self, entries: &[Entry<'_>], falls: &[Falls]) {
        self.records += entries.len() as u64;
        self.remember_secrets(entries);
        for (entry, falls) in entries.iter().zip(falls) {
            if !matches!(falls, Falls::To(_)) {
                self.report_problems(entry);
            }
            if let Some(watch) = &mut self.watch {
                let named = entry.record.execution_id().map(|id| id.decode());
                watch(named.as_deref().unwrap_or(&self.stem), entry);
            }
            if *falls == Falls::Nowhere
                && let Record::Command(record) = &entry.record
                && self.commands.len() < self.options.max_turns
            {
                self.commands.push(CommandRun::of(&self.file, entry, record));
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
        let replayed = self.watch.is_none() && !self.options.schema_only && self.options.schema.is_none();
        Reading {
            grammar: match &self.options.schema {
                Some(schema) => Grammar::Schema(schema),
                None => Grammar::Format(self.format.unwrap_or(Format::ExecutionRecord)),
            },
            limits: self.options.limits,
            dealing: Dealing { format: self.format.filter(|_| replayed), stem: self.stem.clone() },
        }
    }

    /// The workers that this input needs.
    pub(super) fn hire(&self) -> Vec<Shard> {
        let dealing = self.reading().dealing;
        let new = |format| {
            let mut shard = Shard::new(self.file.clone(), format, self.options.max_turns);
            shard.lost(self.lost_early);
            shard
        };
        dealing.format.map(|format| (0..dealing.workers()).map(|_| new(format)).collect()).unwrap_or_default()
    }

    /// Takes back the workers when everything is read.
    pub(super) fn dismiss(&mut self, shards: Vec<Shard>) {
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
            let code = if self.options.schema_only && problem.code == Code(210) { Code(103) } else { problem.code };
            let problem = Problem { code, ..problem.clone() };
            let execution = entry.record.execution_id().map(|id| Arc::from(&*id.decode()));
            self.findings.extend(problem_finding(&self.file, entry, &problem, execution));
        }
    }

    fn finding(&mut self, code: Code, (line, column): (u64, u64), message: &str) {
        if let Some(rule) = rules::by_code(code) {
            self.findings.push(Finding {
                code,
                name: rule.name,
                severity: rule.severity,
                message: message.to_owned(),
                place: Place { file: self.file.clone(), line, column, ..Place::default() },
                execution: None,
                turn: None,
                related: Vec::new(),
                help: Some(super::shard::help(rule)),
                about: None,
                fingerprint: String::new(),
            });
        }
    }

    fn unreadable(&mut self, line: u64, message: &str) {
        self.finding(Code(101), (line, 0), message);
    }

    fn limit(&mut self, line: u64, message: &str) {
        self.finding(Code(107), (line, 1), message);
    }

    fn finish(mut self, report: &mut Report) {
        if self.format.is_none()
            && self.options.schema.is_none()
            && let Some((line, why)) = self.strange.take()
        {
            let known: Vec<&str> = Format::ALL.iter().map(|f| f.name()).collect();
            self.finding(Code(108), (line, 0), &format!("the format can't be told: {why} ({})", known.join(", ")));
        }
        let settings = &self.options.settings;
        let earlier = report.summaries.len();
        let harvests: Vec<Harvest> = std::mem::take(&mut self.shards).into_iter().map(|s| s.end(settings)).collect();
        let mut findings = self.findings;
        let mut follow_ups = Vec::new();
        let mut timelines = Vec::new();
        for mut harvest in harvests {
            if !self.mask.is_empty() {
                harvest.timeline.each_text(&mut |text| self.mask.clean(text));
            }
            findings.extend(harvest.findings);
            follow_ups.extend(harvest.follow_ups);
            timelines.push(harvest.timeline);
            for ((code, severity), number) in harvest.dropped {
                report.drop_findings(code, severity, number);
            }
            for id in harvest.failed_unlisted {
                let id = self.mask.hide(&id).map_or(id, Into::into);
                report.failed_unlisted.insert((self.file.clone(), id));
            }
            for summary in harvest.summaries {
                report.counts.turns += summary.turns;
                report.counts.signatures_unchecked += summary.signatures_unchecked;
                report.summaries.push(summary);
            }
        }
        let mut commands = Timeline { commands: self.commands, ..Timeline::default() };
        commands.each_text(&mut |text| self.mask.clean(text));
        timelines.push(commands);
        super::timeline::merge(&mut report.timeline, timelines, self.options.max_turns);
        follow_ups.sort_by(|(a, x), (b, y)| (a, x.line, &x.message).cmp(&(b, y.line, &y.message)));
        let mut roots: HashMap<u64, usize> = HashMap::new();
        for (n, finding) in findings.iter().enumerate().filter(|(_, f)| f.code < Code(200)) {
            roots.entry(finding.place.line).or_insert(n);
        }
        for (line, related) in follow_ups {
            if let Some(finding) = roots.get(&line).and_then(|n| findings.get_mut(*n)) {
                finding.relate(related);
            }
        }
        report.counts.records += self.records;
        for finding in &findings {
            report.counts.count(finding.severity);
        }
        if !self.mask.is_empty() {
            for finding in &mut findings {
                hide_in_finding(finding, &self.mask);
            }
            for summary in report.summaries.iter_mut().skip(earlier) {
                hide_in_summary(summary, &self.mask);
            }
        }
        report.findings.extend(findings);
        report.secrets.absorb(self.mask);
    }
}

/// Takes secrets out of everything that a finding says.
fn hide_in_finding(finding: &mut Finding, mask: &Mask) {
    // What says that there is a secret doesn't say it, and names it by its first characters.
    if finding.code != Code(803) {
        mask.clean(&mut finding.message);
    }
    if let Some(excerpt) = &mut finding.place.excerpt
        && let Some(text) = mask.blot(&excerpt.text)
    {
        excerpt.text = text;
    }
    if let Some(pointer) = &mut finding.place.pointer {
        mask.clean(pointer);
    }
    if let Some(hidden) = finding.execution.as_deref().and_then(|id| mask.hide(id)) {
        finding.execution = Some(hidden.into());
    }
    finding.related.iter_mut().for_each(|r| mask.clean(&mut r.message));
}

fn hide_in_summary(summary: &mut Summary, mask: &Mask) {
    if let Some(hidden) = mask.hide(&summary.id) {
        summary.id = hidden.into();
    }
    if let Some(outcome) = &mut summary.outcome {
        mask.clean(outcome);
    }
}

/// Parses the lines of a block, numbered from 0; returns how many lines end in it besides. `first`: it begins the input.
pub(super) fn parse<'b>(block: &'b Block, first: bool, grammar: Grammar<'_>, limits: Limits) -> (Vec<Entry<'b>>, u64) {
    let mut entries = Vec::with_capacity(block.bytes.len() / 1024);
    let mut scanner = Scanner::new("", limits.depth);
    let mut rest = block.bytes.as_slice();
    let mut line = 0;
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest);
        let (bytes, tail) = match end {
            Some(n) => (rest.get(..n).unwrap_or_default(), rest.get(n + 1..).unwrap_or_default()),
            None => (rest, &[][..]),
        };
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let (bytes, indent) = match bytes.strip_prefix(BOM) {
            Some(text) if first && line == 0 => (text, BOM.len() as u64),
            _ => (bytes, 0),
        };
        let unended = end.is_none() && block.last;
        if !bytes.iter().all(u8::is_ascii_whitespace) {
            entries.push(match simdutf8::compat::from_utf8(bytes) {
                Ok(text) if text.len() > limits.record_bytes => overlong(text, (line, indent), limits.record_bytes),
                Ok(text) => entry::read(grammar, &mut scanner, text, (line, indent), unended),
                Err(error) => not_utf8(bytes, error.valid_up_to(), (line, indent)),
            });
        }
        rest = tail;
        line += u64::from(end.is_some());
    }
    (entries, line)
}

/// The same of a line, whether it was kept or passed over while it was read.
fn too_long(length: u64, limit: usize) -> String {
    format!("the record has {length} bytes; it may have {limit}")
}

fn overlong(text: &str, place: (u64, u64), limit: usize) -> Entry<'_> {
    let problem = Problem { code: Code(107), at: (0, 1), pointer: None, message: too_long(text.len() as u64, limit) };
    let secrets = crate::scan::secrets(text, false).places;
    Entry::unread(place, text, vec![problem], secrets)
}

fn not_utf8(bytes: &[u8], valid: usize, place: (u64, u64)) -> Entry<'_> {
    let text = bytes.get(..valid).and_then(|b| std::str::from_utf8(b).ok()).unwrap_or_default();
    let byte = bytes.get(valid).copied().unwrap_or_default();
    let problem =
        Problem { code: Code(101), at: (valid, 1), pointer: None, message: format!("the line is no UTF-8: byte 0x{byte:02x}") };
    let secrets = crate::scan::secrets(text, false).places;
    Entry::unread(place, text, vec![problem], secrets)
}

/// The records of a document as byte ranges: the elements of an array, or the one value; and where it
/// stops being JSON.
fn elements(text: &str, depth: u32) -> (Vec<(usize, usize)>, Option<crate::json::Error>) {
    let mut scanner = Scanner::new(text, depth);
    let mut all = Vec::new();
    let result = scanner.each_element(|start, end| all.push((start, end)));
    (all, result.err())
}
