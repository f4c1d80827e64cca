//! Removes credentials from a trace of any layout and format, so that it can be shared.
//!
//! Only text is replaced, so a record keeps its members, their order and its white space. Values
//! that were computed from the text become invalid. Chains and signatures that were valid are
//! recomputed if their keys are given. The others are unchanged, which a replay reports, and the
//! metadata of the record says so.

mod record;
mod resign;

pub use resign::Keys;

use crate::trace::Format;
use crate::trace::formats::{Coverage, FormatRecord};
use content_scan::redact::{Gathered, RedactError, Redactor, has_member};
use record::{Edit, set};
use resign::Resigner;
use std::collections::BTreeSet;
use strict_json::Scanner;

/// Maximum nesting of a record.
const DEPTH: u32 = strict_json::DEFAULT_MAX_DEPTH;

/// An error that prevents redaction.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No part of the trace is JSON.
    #[error("the format of the trace can't be determined, and no line of it is JSON")]
    UnknownFormat,
    /// The trace has no record.
    #[error("there is no record")]
    Empty,
    /// A single document contains records that are chained or signed.
    #[error("the records are in one document and are chained or signed")]
    SealedDocument,
    /// A secret couldn't be removed.
    #[error("line {line}: {cause}")]
    Secret { line: u64, cause: RedactError },
}

/// The counts of a redaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Number of records.
    pub records: u64,
    /// Number of positions with a secret.
    pub places: u64,
    /// Number of records with a secret.
    pub changed: u64,
    /// Links of a chain.
    pub links: RecomputedCounts,
    /// Signatures of decisions.
    pub signatures: RecomputedCounts,
    /// Number of recomputed hashes of messages (`inputHash`).
    pub input_hashes: u64,
    /// Number of lines that aren't JSON. Secrets in them are replaced, too.
    pub unreadable: u64,
}

/// Counts of values that were computed from changed text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecomputedCounts {
    /// Values that were recomputed.
    pub recomputed: u64,
    /// Values that were left unchanged: they no longer match, or never did.
    pub stale: u64,
}

/// Removes the secrets from a trace.
///
/// JSON of an unknown format is supported, too; only its secrets change.
///
/// # Errors
/// When no part of the trace is JSON, when a secret would remain, or when computed values can't be
/// corrected.
pub fn redact(text: &str, keys: &Keys) -> Result<(String, Outcome), Error> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let format = format(body)?;
    let document = is_document(body, format);
    let mut gathered = Gathered::default();
    if document {
        gathered.add(body, true);
        if is_session(format) {
            gathered.add_frames(std::iter::once(body));
        }
    } else {
        for line in body.lines() {
            gathered.add(line, is_json(line));
        }
        if is_session(format) {
            gathered.add_frames(body.lines());
        }
    }
    let redactor = gathered
        .redactor()
        .map_err(|cause| Error::Secret { line: 0, cause })?;
    let mut outcome = Outcome::default();
    let bom = text.get(..text.len() - body.len()).unwrap_or_default();
    let redacted = if is_session(format) {
        redact_recording(body, document, format, &redactor, &mut outcome)?
    } else if document {
        redact_document(body, format, &redactor, &mut outcome)?
    } else {
        redact_lines(body, format, &redactor, keys, &mut outcome)?
    };
    Ok((format!("{bom}{redacted}"), outcome))
}

/// Returns the format of the first record that has one; `None` for JSON of an unknown format.
fn format(body: &str) -> Result<Option<Format>, Error> {
    let trimmed = body.trim();
    if trimmed.is_empty() {
        return Err(Error::Empty);
    }
    let line = body.lines().find_map(|line| Format::of_record(line, DEPTH));
    let first = || {
        let mut scanner = Scanner::new(trimmed, DEPTH);
        let mut found = None;
        // A syntax error further on doesn't affect the elements before it.
        let _ = scanner.each_element(|start, end| {
            found = found
                .or_else(|| Format::of_record(trimmed.get(start..end).unwrap_or_default(), DEPTH));
        });
        found
    };
    match line
        .or_else(|| Format::of_record(trimmed, DEPTH))
        .or_else(first)
    {
        None if !is_json(trimmed) && !body.lines().any(is_json) => Err(Error::UnknownFormat),
        format => Ok(format),
    }
}

/// Returns true if typed or printed text may span several records.
fn is_session(format: Option<Format>) -> bool {
    format.is_some_and(|f| f.coverage() == Coverage::Terminal)
}

/// Returns true if the format has signatures and links between records.
fn is_sealed(format: Option<Format>) -> bool {
    format.is_some_and(|f| f.coverage() == Coverage::Complete)
}

fn is_json(text: &str) -> bool {
    let mut scanner = Scanner::new(text, DEPTH);
    scanner.skip().is_ok() && scanner.end().is_ok()
}

/// Returns true if the text is one value over several lines, or an array that isn't a frame of a
/// recording.
fn is_document(body: &str, format: Option<Format>) -> bool {
    let several =
        body.trim().contains('\n') || body.trim_start().starts_with('[') && !is_session(format);
    several && is_json(body)
}

/// Redacts a single document. Hashes of messages are recomputed in each element.
fn redact_document(
    body: &str,
    format: Option<Format>,
    redactor: &Redactor,
    outcome: &mut Outcome,
) -> Result<String, Error> {
    let secret = |cause| Error::Secret { line: 1, cause };
    let places = |text: &str| {
        let trimmed = text.trim_start();
        let skipped = text.len() - trimmed.len();
        let mut places = Vec::new();
        if !trimmed.starts_with('[')
            || Scanner::new(trimmed, DEPTH)
                .each_element(|s, e| places.push((skipped + s, skipped + e)))
                .is_err()
        {
            places = vec![(skipped, text.trim_end().len())];
        }
        places
    };
    let mut out = String::with_capacity(body.len());
    let mut from = 0;
    for (start, end) in places(body) {
        let element = body.get(start..end).unwrap_or_default();
        out.push_str(
            &redactor
                .redact(body.get(from..start).unwrap_or_default(), true)
                .map_err(secret)?
                .0,
        );
        let (mut text, count) = redactor.redact(element, true).map_err(secret)?;
        outcome.records += 1;
        outcome.places += count as u64;
        outcome.changed += u64::from(count > 0);
        if count > 0 {
            input_hash(format, element, &mut text, outcome);
        }
        out.push_str(&text);
        from = end;
    }
    out.push_str(body.get(from..).unwrap_or_default());
    // Signed content and the target of a link may be in another record, so they can't be recomputed
    // here.
    if outcome.changed > 0 && is_sealed(format) && has_member(body, &["signature", "prev"]) {
        return Err(Error::SealedDocument);
    }
    Ok(out)
}

fn redact_lines(
    body: &str,
    format: Option<Format>,
    redactor: &Redactor,
    keys: &Keys,
    outcome: &mut Outcome,
) -> Result<String, Error> {
    let lines = || {
        (1..)
            .zip(body.split_inclusive('\n'))
            .map(|(number, whole)| (number, without_end(whole), whole))
    };
    // When nothing is recomputed, every link after a change is stale.
    let broken_links = if keys.is_empty() || !is_sealed(format) {
        BTreeSet::new()
    } else {
        resign::broken_links(
            lines()
                .filter(|(_, line, _)| is_json(line))
                .map(|(number, line, _)| (number, line)),
        )
    };
    let mut resigner = Resigner::new(keys, broken_links);
    let mut out = String::with_capacity(body.len());
    for (number, line, whole) in lines() {
        let end = whole.get(line.len()..).unwrap_or_default();
        if line.trim().is_empty() {
            out.push_str(whole);
            continue;
        }
        let valid = is_json(line);
        let (mut text, count) = redactor
            .redact(line, valid)
            .map_err(|cause| Error::Secret {
                line: number,
                cause,
            })?;
        outcome.records += 1;
        outcome.places += count as u64;
        outcome.changed += u64::from(count > 0);
        outcome.unreadable += u64::from(!valid);
        if is_sealed(format) && valid {
            resigner.record((number, line), &mut text, count, outcome);
        } else if count > 0 {
            input_hash(format, line, &mut text, outcome);
        }
        out.push_str(&text);
        out.push_str(end);
    }
    Ok(out)
}

/// Redacts a recording: first secrets that span several frames, then those within one frame.
fn redact_recording(
    body: &str,
    document: bool,
    format: Option<Format>,
    redactor: &Redactor,
    outcome: &mut Outcome,
) -> Result<String, Error> {
    let all = |cause| Error::Secret { line: 1, cause };
    let pieces = |text| {
        if document {
            vec![text]
        } else {
            str::split_inclusive(text, '\n').collect()
        }
    };
    let lines: Vec<&str> = pieces(body);
    let (changed, count) = redactor.redact_frames(&lines).map_err(all)?;
    let apart: String = lines
        .iter()
        .zip(&changed)
        .map(|(line, new)| new.as_deref().unwrap_or(line))
        .collect();
    let out = if document {
        redact_document(&apart, format, redactor, outcome)?
    } else {
        redact_lines(&apart, format, redactor, &Keys::new(), outcome)?
    };
    outcome.places += count as u64;
    outcome.changed = pieces(&out)
        .into_iter()
        .zip(lines)
        .filter(|(new, old)| new != old)
        .count() as u64;
    // A replacement may complete text that only then looks like a secret.
    let left = redactor.redact_frames(&pieces(&out)).map_err(all)?.1;
    if left > 0 {
        Err(all(RedactError::Remains))
    } else {
        Ok(out)
    }
}

/// Returns a line without its line end.
fn without_end(whole: &str) -> &str {
    let line = whole.strip_suffix('\n').unwrap_or(whole);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Recomputes the hash of a turn's messages, if it was correct before.
fn input_hash(format: Option<Format>, before: &str, after: &mut String, outcome: &mut Outcome) {
    let Some(format) = format.filter(|f| f.coverage() == Coverage::Turns) else {
        return;
    };
    let was_right = read(format, before, |record| record.input_hash_is_wrong()) == Some(false);
    let new = read(format, after, |record| record.input_hash());
    if let Some(new) = new.filter(|_| was_right) {
        let edit = Edit {
            pointer: "/contextSnapshot/inputHash",
            value: format!("\"{new}\""),
        };
        outcome.input_hashes += u64::from(set(after, &edit));
    }
}

/// Reads a value of a record; `None` if the record can't be read.
fn read<T>(
    format: Format,
    text: &str,
    ask: impl FnOnce(&dyn FormatRecord<'_>) -> Option<T>,
) -> Option<T> {
    let record = format.read(&mut Scanner::new(text, DEPTH), text).ok()?;
    ask(record.native()?)
}
