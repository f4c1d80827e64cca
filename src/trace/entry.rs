//! One record of an input: its content, position and problems.

use super::formats::session::SessionRecord;
use super::formats::{Format, FormatRecord, NativeRecord, Peek, RecordClass};
use super::line_index::LineIndex;
use super::record::RecordKind;
use super::recover::Recovered;
use super::schemas;
use super::step::{Fact, Part, Step};
use super::v1;
use crate::diag::{Code, Excerpt, Place};
use crate::schema::{Validator, Violation};
use content_scan::Remark;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use strict_json::{
    Error, ErrorKind, Located, MOST_NAMES, MOST_NOTES, NoteKind, Scanner, Str, from_text,
    pointer_at,
};

/// A record and its position.
#[derive(Debug)]
pub struct Entry<'a> {
    /// Line of its first byte, from 1.
    pub line: u64,
    /// Number of bytes before it on that line.
    pub indent: u64,
    /// The record as written.
    pub text: &'a str,
    pub record: Record<'a>,
    /// Problems of the record in the order of its text.
    pub problems: Vec<Problem>,
    /// Byte ranges of the credentials in its text. Excerpts never show them.
    pub secrets: Vec<Range<usize>>,
    /// Hash of text that belongs to the record but isn't in `text` because it can't be read.
    pub unread: Option<Box<str>>,
    /// It contains an object that may have any members, such as `metadata`. Set only for version 1.
    pub open: bool,
    /// It was derived from other records: its text isn't in the input.
    pub derived: bool,
    line_index: OnceLock<LineIndex>,
}

/// Content of a record.
#[derive(Debug)]
pub enum Record<'a> {
    /// A record of version 1.
    V1(v1::Record<'a>),
    /// A record of any other format.
    Native(NativeRecord<'a>),
    /// A turn or an execution of version 1 that violates its schema, part by part.
    Recovered(Box<Recovered<'a>>),
    /// Valid JSON that violates its schema.
    Broken(Broken<'a>),
    /// Valid JSON of an unknown format. It has only been scanned for duplicate members and the
    /// like.
    Foreign,
    /// Unreadable; not even its execution is known.
    Unreadable,
}

/// Members of a record that violates its schema.
#[derive(Debug, Clone, Copy, Default)]
pub struct Broken<'a> {
    pub kind: Option<RecordKind>,
    pub execution: Option<Str<'a>>,
    pub turn: Option<i64>,
    /// Hash of the record before.
    pub prev: Option<Str<'a>>,
}

/// A problem of one record.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Code of the rule that reports it.
    pub code: Code,
    /// Byte offset into the record, and length.
    pub at: (usize, usize),
    /// JSON pointer.
    pub pointer: Option<String>,
    /// May contain hostile text.
    pub message: String,
}

impl Problem {
    /// Returns whether a scan of the text found it. Such a problem doesn't invalidate the record.
    #[must_use]
    pub fn is_scanned(&self) -> bool {
        matches!(self.code, Code(803 | 804))
    }

    fn schema(violation: Violation) -> Self {
        Self {
            code: Code(103),
            at: (violation.at.start, violation.at.len()),
            pointer: Some(violation.pointer).filter(|p| !p.is_empty()),
            message: violation.message,
        }
    }
}

impl<'a> Entry<'a> {
    /// Creates the entry of an unreadable text, from its line and the number of bytes before it.
    #[must_use]
    pub fn unread(
        place: (u64, u64),
        text: &'a str,
        problems: Vec<Problem>,
        secrets: Vec<Range<usize>>,
    ) -> Self {
        let (line, indent) = place;
        Self {
            line,
            indent,
            text,
            record: Record::Unreadable,
            problems,
            secrets,
            unread: None,
            open: false,
            derived: false,
            line_index: OnceLock::new(),
        }
    }

    /// Returns a copy with another record, which only the records before it complete.
    pub(super) fn with_record(&self, record: Record<'a>) -> Self {
        let place = (self.line, self.indent);
        Self {
            record,
            unread: self.unread.clone(),
            open: self.open,
            derived: self.derived,
            ..Self::unread(
                place,
                self.text,
                self.problems.clone(),
                self.secrets.clone(),
            )
        }
    }

    fn line_index(&self) -> &LineIndex {
        self.line_index.get_or_init(|| LineIndex::of(self.text))
    }

    /// Returns the position of the value that a pointer names.
    #[must_use]
    pub fn resolve(&self, pointer: &str) -> Option<Located> {
        self.line_index().resolve(self.text, pointer)
    }

    /// Returns line and column (bytes, from 1) of an offset into the record.
    #[must_use]
    pub fn position(&self, at: usize) -> (u64, u64) {
        let (before, start) = self.line_index().line(at.min(self.text.len()));
        let indent = if before == 0 { self.indent } else { 0 };
        (
            self.line + before as u64,
            indent + at.saturating_sub(start) as u64 + 1,
        )
    }

    /// Returns the line around an offset, cut to fit a terminal.
    #[must_use]
    pub fn excerpt(&self, at: usize, length: usize) -> Excerpt {
        let (start, excerpt) = excerpt_around(self.text, self.line_index(), at, length);
        let secret = |at: usize| self.secrets.iter().any(|s| s.contains(&(start + at)));
        let end = start + excerpt.text.len();
        if !self.secrets.iter().any(|s| s.start < end && s.end > start) {
            return excerpt;
        }
        Excerpt {
            text: content_scan::mask::redact_span(&excerpt.text, secret),
            ..excerpt
        }
    }

    /// Reports that part of a credential from another record appears here. The part isn't hidden in
    /// excerpts: hiding every occurrence of a short text would remove unrelated letters.
    pub fn add_secret_part(&mut self, piece: &Range<usize>, message: String) {
        let pointer = Some(pointer_at(self.text, piece.start)).filter(|p| !p.is_empty());
        self.problems.push(Problem {
            code: Code(803),
            at: (piece.start, piece.len()),
            pointer,
            message,
        });
    }

    /// Returns its credentials as written and, where that differs, decoded.
    pub fn secret_texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let written = self
            .secrets
            .iter()
            .filter_map(|place| self.text.get(place.clone()));
        written.flat_map(|text| {
            let meant = text.contains('\\').then(|| {
                from_text::<Str<'_>>(&format!("\"{text}\""))
                    .ok()
                    .map(|s| s.decode().into_owned())
            });
            [Some(Cow::Borrowed(text)), meant.flatten().map(Cow::Owned)]
                .into_iter()
                .flatten()
        })
    }
}

/// Indexes a text of several lines. The returned function gives line, column (bytes, both from 1)
/// and excerpt of a span.
pub(crate) fn places_in(file: &str, text: &str) -> impl Fn(&Range<usize>) -> Place {
    let line_index = LineIndex::of(text);
    let file: Arc<str> = file.into();
    move |span| {
        let at = span.start.min(text.len());
        let (before, start) = line_index.line(at);
        Place {
            file: file.clone(),
            line: before as u64 + 1,
            column: at.saturating_sub(start) as u64 + 1,
            pointer: None,
            excerpt: Some(excerpt_around(text, &line_index, at, span.len()).1),
        }
    }
}

/// Returns the line of `text` around `at`, cut on both sides, and its start.
fn excerpt_around(
    text: &str,
    line_index: &LineIndex,
    at: usize,
    length: usize,
) -> (usize, Excerpt) {
    const BEFORE: usize = 40;
    const WIDTH: usize = 100;
    let at = at.min(text.len());
    let (_, line_start) = line_index.line(at);
    let line_end = line_index.line_end(at, text);
    let boundary = |mut n: usize| {
        while !text.is_char_boundary(n) {
            n -= 1;
        }
        n
    };
    let start = boundary(at.saturating_sub(BEFORE).max(line_start));
    let start = if start - line_start < 8 {
        line_start
    } else {
        start
    };
    let end = boundary((start + WIDTH).min(line_end));
    let from = at - start;
    let to = (from + length.max(1))
        .min(end.saturating_sub(start))
        .max(from);
    let excerpt = Excerpt {
        text: text.get(start..end).unwrap_or_default().to_owned(),
        span: (from, to),
        cut_before: start > line_start,
        cut_after: end < line_end,
        surplus_before: line_index.surplus(line_start..start, text) as u64,
    };
    (start, excerpt)
}

impl<'a> Record<'a> {
    /// Returns the id of the execution that the record names.
    #[must_use]
    pub fn execution_id(&self) -> Option<Str<'a>> {
        match self {
            Self::V1(r) => Some(r.execution_id()),
            Self::Recovered(r) => Some(r.execution_id),
            Self::Native(r) => r.get().execution_id(),
            Self::Broken(broken) => broken.execution,
            Self::Foreign | Self::Unreadable => None,
        }
    }

    /// Returns the class of the record; `None` when it can't be read.
    #[must_use]
    pub fn class(&self) -> Option<RecordClass> {
        match self {
            Self::V1(v1::Record::Turn(_) | v1::Record::Execution(_)) | Self::Recovered(_) => {
                Some(RecordClass::Turn)
            }
            Self::V1(_) => Some(RecordClass::Event),
            Self::Native(r) => Some(r.get().class()),
            Self::Broken(_) | Self::Foreign | Self::Unreadable => None,
        }
    }

    /// Returns a record of another format than version 1.
    #[must_use]
    pub fn native(&self) -> Option<&(dyn FormatRecord<'a> + 'a)> {
        match self {
            Self::Native(r) => Some(r.get()),
            _ => None,
        }
    }

    /// Passes the record's steps to `emit`, in their order.
    pub fn steps<'r>(&'r self, emit: &mut dyn FnMut(&Step<'r, 'a>)) {
        match self {
            Self::V1(r) => r.steps(emit),
            Self::Recovered(r) => r.steps(emit),
            Self::Native(r) => r.get().steps(emit),
            Self::Broken(Broken {
                kind: Some(kind),
                turn,
                ..
            }) => {
                emit(&Step {
                    turn: *turn,
                    time: None,
                    part: Part::WHOLE,
                    fact: Fact::Unreadable(*kind),
                });
            }
            Self::Broken(_) | Self::Foreign | Self::Unreadable => {}
        }
    }
}

/// Expected form of a record.
#[derive(Debug, Clone, Copy)]
pub enum Grammar<'v> {
    /// A record of a format.
    Format(Format),
    /// Anything that is valid under a schema.
    Schema(&'v Validator),
    /// Any object or array, while the input's format isn't known; any value in a document.
    Any {
        /// Whether it is an element of a document.
        element: bool,
    },
}

/// Reads one record. `last_unended` says that it is the last line and has no line end: an
/// incomplete text was then cut off by a crash.
#[must_use]
pub fn read<'a>(
    grammar: Grammar<'_>,
    scanner: &mut Scanner<'a>,
    text: &'a str,
    place: (u64, u64),
    last_unended: bool,
) -> Entry<'a> {
    scanner.reset(text);
    let mut problems = Vec::new();
    let format = match grammar {
        Grammar::Format(format) => format,
        Grammar::Any { element } => {
            let record = match scanner.skip().and_then(|_| scanner.end()) {
                Ok(()) if element || text.trim_start().starts_with(['{', '[']) => Record::Foreign,
                Ok(()) => not_an_object(text, &mut problems),
                Err(error) => unreadable(text, &error, last_unended, &mut problems),
            };
            let secrets = scanned(text, matches!(record, Record::Foreign), &mut problems);
            return Entry {
                record,
                ..Entry::unread(place, text, problems, secrets)
            };
        }
        Grammar::Schema(schema) => {
            match scanner.skip().and_then(|_| scanner.end()) {
                Ok(()) => {
                    problems.extend(schema.violations(text).into_iter().map(Problem::schema));
                    notes(scanner, text, &mut problems);
                }
                Err(error) => {
                    unreadable(text, &error, last_unended, &mut problems);
                }
            }
            let secrets = content_scan::secrets(text, problems.is_empty()).places;
            return Entry::unread(place, text, problems, secrets);
        }
    };
    let record = match read_record(format, scanner, text) {
        Ok(record) => record,
        Err(error) if error.is_data() => {
            // The typed reader stops at the first error. The rest must be scanned for syntax and
            // duplicate members too.
            scanner.reset(text);
            match scanner.skip().and_then(|_| scanner.end()) {
                Ok(()) => broken(format, text, &error, &mut problems),
                Err(error) => unreadable(text, &error, last_unended, &mut problems),
            }
        }
        Err(error) => unreadable(text, &error, last_unended, &mut problems),
    };
    if let Record::Native(NativeRecord::Session(session)) = &record {
        problems.extend(malformed(session, text));
    }
    // A comment isn't JSON, so it is scanned as plain text.
    let valid = !matches!(record, Record::Unreadable) && !text.starts_with('#');
    let open = scanner.has_met_open_object();
    if valid {
        notes(scanner, text, &mut problems);
        let is_known = |pointer: &str| format.repeats_member(pointer);
        problems.retain(|problem| {
            let pointer = problem.pointer.as_deref().unwrap_or_default();
            problem.code != Code(106) || !is_known(pointer)
        });
    }
    let secrets = scanned(text, valid, &mut problems);
    Entry {
        record,
        open,
        ..Entry::unread(place, text, problems, secrets)
    }
}

/// Returns the lists of a session's record that aren't lists.
fn malformed(session: &SessionRecord<'_>, text: &str) -> Vec<Problem> {
    let at = |part: &str| (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let all = session.malformed.iter().map(|(part, message)| Problem {
        code: Code(103),
        at: (at(part), 1),
        pointer: Some(pointer_at(text, at(part))),
        message: message.clone(),
    });
    all.collect()
}

/// Reads a record and lets its type detect duplicate members. If the type finds some, the record is
/// read again so that each is noted.
fn read_record<'a>(
    format: Format,
    scanner: &mut Scanner<'a>,
    text: &'a str,
) -> Result<Record<'a>, Error> {
    scanner.trust_types(true);
    let record = format.read(scanner, text);
    scanner.trust_types(false);
    match record {
        Err(Error {
            kind: ErrorKind::Repeated(_),
            ..
        }) => {
            scanner.reset(text);
            format.read(scanner, text)
        }
        other => other,
    }
}

/// Creates the error of a text that is JSON but not a valid record.
pub(super) fn data(message: &str) -> Error {
    Error {
        at: 0,
        kind: ErrorKind::Data(message.into()),
    }
}

/// Maximum bytes of a record for which every schema violation is reported; for a longer one, only
/// the first is. Values take up to thirty times as much memory as their text.
const MAX_REPORTED: usize = 1 << 20;

/// Handles JSON that violates its schema: the general validator locates the violations.
fn broken<'a>(
    format: Format,
    text: &'a str,
    error: &Error,
    problems: &mut Vec<Problem>,
) -> Record<'a> {
    let kind_of_text = text.trim_start().as_bytes().first();
    if !matches!(
        (kind_of_text, format.has_arrays()),
        (Some(b'{'), _) | (Some(b'['), true)
    ) {
        return not_an_object(text, problems);
    }
    // A frame is an array, so it has no members.
    let peek: Peek<'a> = if kind_of_text == Some(&b'{') {
        from_text(text).unwrap_or_default()
    } else {
        Peek::default()
    };
    let kind = peek
        .record
        .and_then(|r| r.read::<Str<'_>>())
        .and_then(|w| RecordKind::parse(&w.decode()));
    let code_at = |pointer: &str| {
        if in_contract(pointer, kind) {
            Code(210)
        } else {
            Code(103)
        }
    };
    let mut violations = if text.len() <= MAX_REPORTED {
        schemas::violations(format, kind, text)
    } else {
        Vec::new()
    };
    violations.retain(|v| !v.is_unplaced());
    if violations.is_empty() {
        // The place is too deep, the record is too long, or the two validators disagree. Then the
        // stricter one counts.
        let pointer = pointer_at(text, error.at);
        problems.push(Problem {
            code: code_at(&pointer),
            at: (error.at.min(text.len()), 1),
            pointer: Some(pointer),
            message: error.to_string(),
        });
    }
    for violation in violations {
        let code = code_at(&violation.pointer);
        problems.push(Problem {
            code,
            ..Problem::schema(violation)
        });
    }
    if let Some(recovered) = kind.and_then(|kind| format.recover(kind, text)) {
        return Record::Recovered(Box::new(recovered));
    }
    Record::Broken(Broken {
        kind,
        execution: peek.execution_id.and_then(|r| r.read()),
        turn: peek
            .turn_id
            .and_then(|r| r.read::<super::scalar::Int<1>>())
            .map(|n| n.get()),
        prev: peek.prev.and_then(|r| r.read()),
    })
}

fn not_an_object<'a>(text: &str, problems: &mut Vec<Problem>) -> Record<'a> {
    let at = text.len() - text.trim_start().len();
    let message = "the line is JSON, but not an object".into();
    problems.push(Problem {
        code: Code(102),
        at: (at, text.trim().len()),
        pointer: None,
        message,
    });
    Record::Unreadable
}

/// Returns whether a pointer lies in a part that a model produces. A violation there breaks the
/// prompt contract (YV210), not just the schema.
fn in_contract(pointer: &str, kind: Option<RecordKind>) -> bool {
    let thought = |rest: &str| {
        let rest = rest.strip_prefix("/thought").map(|r| {
            r.strip_prefix("s/")
                .map_or(r, |r| r.trim_start_matches(|c: char| c.is_ascii_digit()))
        });
        rest.is_some_and(|r| r.is_empty() || r.starts_with('/'))
    };
    match kind {
        Some(RecordKind::ThoughtGenerated | RecordKind::Turn) => thought(pointer),
        Some(RecordKind::Execution) => {
            let rest = pointer
                .strip_prefix("/turns/")
                .map(|r| r.trim_start_matches(|c: char| c.is_ascii_digit()));
            rest.is_some_and(thought)
        }
        _ => false,
    }
}

fn unreadable<'a>(
    text: &str,
    error: &Error,
    last_unended: bool,
    problems: &mut Vec<Problem>,
) -> Record<'a> {
    let (code, message) = match &error.kind {
        ErrorKind::TooDeep(limit) => (
            Code(107),
            format!("the record is nested deeper than {limit} levels"),
        ),
        ErrorKind::Incomplete if last_unended => (
            Code(104),
            "the last line breaks off inside a record".to_owned(),
        ),
        ErrorKind::TrailingText if !text.trim_start().starts_with('{') => {
            (Code(102), "the line is not a JSON object".to_owned())
        }
        _ => (Code(102), error.to_string()),
    };
    let at = error.at.min(text.len());
    problems.push(Problem {
        code,
        at: (at, 1),
        pointer: Some(pointer_at(text, at)).filter(|p| !p.is_empty()),
        message,
    });
    Record::Unreadable
}

fn notes(scanner: &Scanner<'_>, text: &str, problems: &mut Vec<Problem>) {
    const MOST: usize = 5;
    for (kind, code) in [
        (NoteKind::DuplicateMember, Code(106)),
        (NoteKind::LoneSurrogate, Code(109)),
        (NoteKind::TooManyMembers, Code(107)),
    ] {
        let of_kind = scanner.notes().iter().filter(|n| n.kind == kind);
        let count = of_kind.clone().count();
        // One cut text may produce many lone surrogates; one finding per record is enough.
        let most = if kind == NoteKind::DuplicateMember {
            MOST
        } else {
            1
        };
        let or_more = if scanner.notes().len() >= MOST_NOTES {
            " or more"
        } else {
            ""
        };
        for note in of_kind.take(most) {
            let rest = text.get(note.at..).unwrap_or_default();
            let message = match kind {
                NoteKind::DuplicateMember => {
                    let name = Scanner::new(rest, 1).skip().unwrap_or_default();
                    format!(
                        "the member {} appears twice in its object; the first one is read",
                        cut(name)
                    )
                }
                NoteKind::LoneSurrogate if count > 1 => {
                    format!(
                        "`{}` is half of a surrogate pair, read as U+FFFD ({count}{or_more} such \
                         escapes in this record)",
                        rest.get(..6).unwrap_or_default()
                    )
                }
                NoteKind::TooManyMembers => {
                    format!(
                        "the open objects have more than {MOST_NAMES} members: duplicate ones \
                         can't be detected"
                    )
                }
                NoteKind::LoneSurrogate => {
                    format!(
                        "`{}` is half of a surrogate pair, read as U+FFFD",
                        rest.get(..6).unwrap_or_default()
                    )
                }
            };
            problems.push(Problem {
                code,
                at: (note.at, 6),
                pointer: Some(pointer_at(text, note.at)),
                message,
            });
        }
    }
    problems.sort_by_key(|p| p.at);
}

/// Adds credentials and hidden text as problems. Returns the byte ranges of the credentials.
fn scanned(text: &str, valid: bool, problems: &mut Vec<Problem>) -> Vec<Range<usize>> {
    let mut add = |code, remarks: Vec<Remark>| {
        for remark in remarks {
            let pointer = Some(pointer_at(text, remark.at.0)).filter(|p| valid && !p.is_empty());
            problems.push(Problem {
                code,
                at: remark.at,
                pointer,
                message: remark.message,
            });
        }
    };
    let (secrets, hidden) = if valid {
        content_scan::scan(text)
    } else {
        (content_scan::secrets(text, false), Vec::new())
    };
    add(Code(803), secrets.remarks);
    add(Code(804), hidden);
    secrets.places
}

fn cut(name: &str) -> String {
    let end = (0..=40.min(name.len()))
        .rev()
        .find(|n| name.is_char_boundary(*n))
        .unwrap_or_default();
    let dots = if end < name.len() { "…" } else { "" };
    format!("`{}{dots}`", name.get(..end).unwrap_or_default())
}
