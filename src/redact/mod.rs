//! A trace without its credentials, that can be handed on: every layout and every native format, as
//! text.
//!
//! Only text is replaced, so a record keeps its members, their order and its white space. What was
//! computed from the text no longer fits: the chain and the signatures are recomputed where their
//! keys are given, and where they fitted before; elsewhere they stay as they are, which a replay
//! reports, and the record says so in its metadata.

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

/// Nesting that a record may have.
const DEPTH: u32 = strict_json::DEFAULT_MAX_DEPTH;

/// A trace can't be redacted.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing in it is JSON.
    #[error("the format of the trace can't be determined, and no line of it is JSON")]
    UnknownFormat,
    /// There is nothing to look at.
    #[error("there is no record")]
    Empty,
    /// One document holds records that are chained or signed.
    #[error("the records are in one document and are chained or signed")]
    SealedDocument,
    /// A secret stays.
    #[error("line {line}: {cause}")]
    Secret { line: u64, cause: RedactError },
}

/// What was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Records that were looked at.
    pub records: u64,
    /// Places where a secret stood.
    pub places: u64,
    /// Records that hold one.
    pub changed: u64,
    /// Links of a chain that were recomputed, and that no longer fit.
    pub links: RecomputedCounts,
    /// Signatures that were recomputed, and that no longer fit.
    pub signatures: RecomputedCounts,
    /// Hashes of messages (`inputHash`) that were recomputed.
    pub input_hashes: u64,
    /// Lines that are no JSON; their text was replaced all the same.
    pub unreadable: u64,
}

/// What became of something that was computed from text that has changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecomputedCounts {
    /// Recomputed.
    pub recomputed: u64,
    /// Left as it was: it doesn't fit any more, or never did.
    pub stale: u64,
}

/// Takes the secrets out of a trace.
///
/// JSON of an unknown format loses them as well; of its text nothing else is changed.
///
/// # Errors
/// When nothing is JSON, when a secret would stay, or when what is computed from the text can't be
/// put right.
pub fn redact(text: &str, keys: &Keys) -> Result<(String, Outcome), Error> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let format = format(body)?;
    let document = is_document(body, format);
    let mut gathered = Gathered::default();
    if document {
        gathered.add(body, true);
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
    let redacted = if document {
        whole(body, format, &redactor, &mut outcome)?
    } else if is_session(format) {
        recording(body, format, &redactor, &mut outcome)?
    } else {
        by_line(body, format, &redactor, keys, &mut outcome)?
    };
    Ok((format!("{bom}{redacted}"), outcome))
}

/// The format of the first record that has one; `None` for JSON of an unknown format.
fn format(body: &str) -> Result<Option<Format>, Error> {
    let trimmed = body.trim();
    if trimmed.is_empty() {
        return Err(Error::Empty);
    }
    let line = body.lines().find_map(|line| Format::of_record(line, DEPTH));
    let first = || {
        let mut scanner = Scanner::new(trimmed, DEPTH);
        let mut found = None;
        // What is broken further on changes nothing about what comes before it.
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

/// Whether what was typed or printed may be spread over several records.
fn is_session(format: Option<Format>) -> bool {
    format.is_some_and(|f| f.coverage() == Coverage::Terminal)
}

/// Whether records are signed and linked.
fn is_sealed(format: Option<Format>) -> bool {
    format.is_some_and(|f| f.coverage() == Coverage::Complete)
}

fn is_json(text: &str) -> bool {
    let mut scanner = Scanner::new(text, DEPTH);
    scanner.skip().is_ok() && scanner.end().is_ok()
}

/// Whether the whole text is one value over several lines, or an array that is no frame of a
/// recording.
fn is_document(body: &str, format: Option<Format>) -> bool {
    let several =
        body.trim().contains('\n') || body.trim_start().starts_with('[') && !is_session(format);
    several && is_json(body)
}

/// One document, as a whole. Hashes of messages are recomputed in each element.
fn whole(
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
    // What a signature vouches for, and what a link is made of, is in another record.
    if outcome.changed > 0 && is_sealed(format) && has_member(body, &["signature", "prev"]) {
        return Err(Error::SealedDocument);
    }
    Ok(out)
}

fn by_line(
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
    // Where nothing is recomputed, every link behind a change is stale.
    let misfits = if keys.is_empty() || !is_sealed(format) {
        BTreeSet::new()
    } else {
        resign::misfits(
            lines()
                .filter(|(_, line, _)| is_json(line))
                .map(|(number, line, _)| (number, line)),
        )
    };
    let mut resigner = Resigner::new(keys, misfits);
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

/// A recording: what spans several frames, then what is in one.
fn recording(
    body: &str,
    format: Option<Format>,
    redactor: &Redactor,
    outcome: &mut Outcome,
) -> Result<String, Error> {
    let all = |cause| Error::Secret { line: 1, cause };
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let (changed, count) = redactor.redact_frames(&lines).map_err(all)?;
    let apart: String = lines
        .iter()
        .zip(&changed)
        .map(|(line, new)| new.as_deref().unwrap_or(line))
        .collect();
    let out = by_line(&apart, format, redactor, &Keys::new(), outcome)?;
    outcome.places += count as u64;
    outcome.changed = out
        .split_inclusive('\n')
        .zip(lines)
        .filter(|(new, old)| new != old)
        .count() as u64;
    // A mark may complete what only then looks like a secret.
    let left = redactor
        .redact_frames(&out.lines().collect::<Vec<_>>())
        .map_err(all)?
        .1;
    if left > 0 {
        Err(all(RedactError::Remains))
    } else {
        Ok(out)
    }
}

/// A line without what ends it.
fn without_end(whole: &str) -> &str {
    let line = whole.strip_suffix('\n').unwrap_or(whole);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Recomputes the hash of a turn's messages, if it was right before.
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

/// What a record says, if it can be read.
fn read<T>(
    format: Format,
    text: &str,
    ask: impl FnOnce(&dyn FormatRecord<'_>) -> Option<T>,
) -> Option<T> {
    let record = format.read(&mut Scanner::new(text, DEPTH), text).ok()?;
    ask(record.native()?)
}
