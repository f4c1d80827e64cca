//! Reads an input that is one JSON document: an array of records, or one record over several lines.

use super::{Run, overlong_subject};
use crate::diag::subject;
use crate::replay::AnalysisCache;
use crate::rules::codes;
use crate::source::{Blocks, DocumentError, Element, Limits, Next, Position, each_element};
use crate::trace::entry::{Entry, Problem};
use crate::trace::formats::Format;
use crate::verify::parse::{self, BOM};
use crate::verify::shard::Shard;
use std::io::Read;
use strict_json::Scanner;

impl Run<'_> {
    /// Returns whether an input is one JSON document over several lines, judging by its beginning:
    /// it begins with a value that continues after the first line, and that line isn't just a
    /// broken record.
    pub(super) fn is_document(&self, head: &[u8]) -> bool {
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
        if !line.starts_with(['[', '{']) || self.format.is_some_and(|f| f.is_line_oriented()) {
            return false;
        }
        let mut scanner = Scanner::new(line, self.options.limits.depth);
        match scanner.skip() {
            // A whole array on one line is a document, unless it is a frame of a recording.
            Ok(_) => {
                line.starts_with('[')
                    && scanner.end().is_ok()
                    && Format::of_record(line, self.options.limits.depth)
                        .is_none_or(|format| !format.has_arrays())
            }
            Err(error) => {
                let behind = rest
                    .get(line_end.unwrap_or(rest.len())..)
                    .unwrap_or_default();
                let next = behind.iter().find(|b| !b.is_ascii_whitespace());
                // A line in the middle of a JSON text ends with a token that something must follow,
                // or the next line begins with one that can't begin a text. It never ends inside a
                // string.
                let goes_on = line.trim_end().ends_with(['[', '{', ',', ':'])
                    || matches!(next, Some(b',' | b':' | b']' | b'}'));
                let objects = || {
                    line.strip_prefix('[')
                        .is_some_and(|inner| inner.trim_start().starts_with('{'))
                };
                // A list of objects on one line isn't a record of any format, so it can only be a
                // truncated document.
                error.is_incomplete() && if next.is_some() { goes_on } else { objects() }
            }
        }
    }

    /// Reads one JSON document: an array of records, or one record over several lines.
    pub(super) fn document<R: Read>(&mut self, blocks: &mut Blocks<R>) {
        self.in_document = true;
        let limits = self.options.limits;
        let (cache, settings) = (AnalysisCache::default(), &self.options.settings);
        let mut broken = None;
        let end = each_element(blocks, limits, &mut |at, element| {
            let bytes = match element {
                Element::Bytes(bytes) => bytes,
                Element::OversizedLine(overlong, most) => {
                    self.limit(
                        at.line,
                        &overlong_subject(&overlong),
                        &parse::too_long(overlong.length, most),
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
            // Its size has been checked.
            let record_bytes = limits.record_bytes.max(bytes.len());
            let entry = parse::parse_record(
                bytes,
                (at.line, at.indent),
                reading.grammar,
                &mut scanner,
                Limits {
                    record_bytes,
                    ..limits
                },
                false,
            );
            if self.shards.is_empty() {
                self.shards = self.create_shards();
            }
            let mut entries = [entry];
            self.scan_frames(&mut entries);
            let routes = reading.router.routes(&entries);
            self.note_records(&entries, &routes);
            if reading.router.format.is_none() {
                self.lost_before_shards = at.line;
            }
            reading
                .router
                .replay((0, &mut self.shards), (&entries, &routes), settings, &cache);
            if let Some(on_turn) = &mut self.turns {
                let mut complete = Vec::new();
                for shard in &mut self.shards {
                    shard.drain_turns(&mut complete);
                }
                for (_, turn) in complete {
                    on_turn(turn);
                }
            }
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
                    &subject(["document", &self.stored_hash()]),
                    &format!(
                        "the document is longer than {limit} bytes and doesn't have one record per line"
                    ),
                );
                self.units.refused += 1;
                return self.lose_rest(at.line);
            }
            (Err(DocumentError::Io(error)), None) => {
                self.next_line = 1;
                let line = self.report_read_error(&error);
                return self.lose_rest(line);
            }
        };
        let message =
            format!("the document is not valid JSON: {error}; nothing after this place was read");
        let problem = Problem {
            code: codes::INVALID_JSON,
            at: (0, 1),
            pointer: None,
            message,
        };
        let mut entry = Entry::unread((at.line, at.indent), "", vec![problem], Vec::new());
        entry.unread = Some(self.stored_hash());
        self.units.refused += 1;
        self.report_problems(&entry);
        self.lose_rest(at.line);
    }

    /// Records that the content of a line is unknown.
    fn lose(&mut self, line: u64) {
        self.lost_before_shards = line;
        self.shards.iter_mut().for_each(|shard| shard.lost(line));
    }

    /// Records that the content of the document is unknown from a line on.
    fn lose_rest(&mut self, line: u64) {
        self.lose(line);
        self.shards.iter_mut().for_each(Shard::lose_rest);
    }
}

/// Returns the position of a byte in an element that begins at `start`.
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
