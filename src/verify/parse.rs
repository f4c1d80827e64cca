//! Parses the lines of a block into records.

use crate::diag::digest;
use crate::rules::codes;
use crate::source::{Block, Limits};
use crate::trace::entry::{self, Entry, Grammar, Problem};
use std::ops::Range;
use strict_json::Scanner;

pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The parsed lines of a block.
pub(super) struct Lines<'b> {
    /// The entries of lines that aren't blank, numbered from 0.
    pub(super) entries: Vec<Entry<'b>>,
    /// Number of lines that end in the block.
    pub(super) ends: u64,
    /// Number of blank lines.
    pub(super) blank: u64,
}

/// Parses the lines of a block. `first` tells whether the block begins the input.
pub(super) fn parse<'b>(
    block: &'b Block,
    first: bool,
    grammar: Grammar<'_>,
    limits: Limits,
) -> Lines<'b> {
    let mut entries = Vec::with_capacity(block.bytes.len() / 1024);
    let mut scanner = Scanner::new("", limits.depth);
    let mut rest = block.bytes.as_slice();
    let (mut line, mut blank) = (0, 0);
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest);
        let (bytes, tail) = match end {
            Some(n) => (
                rest.get(..n).unwrap_or_default(),
                rest.get(n + 1..).unwrap_or_default(),
            ),
            None => (rest, &[][..]),
        };
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let (bytes, indent) = match bytes.strip_prefix(BOM) {
            Some(text) if first && line == 0 => (text, BOM.len() as u64),
            _ => (bytes, 0),
        };
        let unended = end.is_none() && block.last;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            blank += 1;
        } else {
            entries.push(parse_record(
                bytes,
                (line, indent),
                grammar,
                &mut scanner,
                limits,
                unended,
            ));
        }
        rest = tail;
        line += u64::from(end.is_some());
    }
    Lines {
        entries,
        ends: line,
        blank,
    }
}

/// Parses one record. `unended` tells whether the input ends without a line end after it, so that
/// it may be incomplete.
pub(super) fn parse_record<'b>(
    bytes: &'b [u8],
    place: (u64, u64),
    grammar: Grammar<'_>,
    scanner: &mut Scanner<'b>,
    limits: Limits,
    unended: bool,
) -> Entry<'b> {
    match simdutf8::compat::from_utf8(bytes) {
        Ok(text) if text.len() > limits.record_bytes => overlong(text, place, limits.record_bytes),
        Ok(text) => entry::read(grammar, scanner, text, place, unended),
        Err(error) => not_utf8(bytes, error.valid_up_to(), place),
    }
}

/// Returns the message for a line over the limit, whether the line is in memory or was skipped.
pub(super) fn too_long(length: u64, limit: usize) -> String {
    format!("the record has {length} bytes; the limit is {limit}")
}

fn overlong(text: &str, place: (u64, u64), limit: usize) -> Entry<'_> {
    let problem = Problem {
        code: codes::LIMIT_EXCEEDED,
        at: (0, 1),
        pointer: None,
        message: too_long(text.len() as u64, limit),
    };
    let secrets = content_scan::secrets(text, false).places;
    Entry::unread(place, text, vec![problem], secrets)
}

fn not_utf8(bytes: &[u8], valid: usize, place: (u64, u64)) -> Entry<'_> {
    let text = bytes
        .get(..valid)
        .and_then(|b| std::str::from_utf8(b).ok())
        .unwrap_or_default();
    let byte = bytes.get(valid).copied().unwrap_or_default();
    let message = format!("the line is not valid UTF-8: byte 0x{byte:02x}");
    let problem = Problem {
        code: codes::UNREADABLE_INPUT,
        at: (valid, 1),
        pointer: None,
        message,
    };
    let secrets = content_scan::secrets(text, false).places;
    let mut entry = Entry::unread(place, text, vec![problem], secrets);
    entry.unread = Some(digest(bytes.get(valid..).unwrap_or_default()));
    entry
}

/// Returns the parts of a text outside of `places`.
pub(super) fn without(text: &str, mut places: Vec<Range<usize>>) -> Vec<&str> {
    places.sort_unstable_by_key(|place| (place.start, place.end));
    let (mut parts, mut at) = (Vec::with_capacity(places.len() + 1), 0);
    for place in places {
        parts.push(text.get(at..place.start).unwrap_or_default());
        at = place.end.max(at);
    }
    parts.push(text.get(at..).unwrap_or_default());
    parts
}
