//! Extracts what is stored from the bytes of a source.
//!
//! Each kind of source has a file here. A faulty line is reported as a finding, and the other lines
//! are still read. Anything that the scan for credentials finds is removed.

mod asciidoc;
mod bank;
#[cfg_attr(not(feature = "repomap"), path = "code_absent.rs")]
mod code;
mod commits;
mod date;
mod document;
mod graph;
mod html;
mod library;
mod markdown;
mod notebook;
mod promotion;
mod restructured;
mod rows;
mod runs;
mod secrets;
mod skill;
mod trace;
mod transcript;
mod turn;

pub(super) use document::is_document;
pub use promotion::Promotion;
pub(super) use promotion::read as read_promotion;
pub(super) use secrets::learn;
pub(super) use trace::each_turn;
pub(super) use transcript::message;
pub(super) use turn::{RecordedAction, Turn};

use super::source_config::{SourceFile, SourceKind, finding};
use crate::diag::Finding;
use crate::source::read_whole;
use knowledge_index::chunks::chunks;
use knowledge_index::{Kind, Observation, summarise};
use secrets::Cleaner;
use serde_json::Value;
use std::collections::BTreeMap;
use strict_json::{DEFAULT_MAX_DEPTH, NoteKind, Scanner};

/// Increased when the extraction of the same bytes changes, which causes all sources to be read
/// again.
pub(super) const VERSION: i64 = 11;
/// Maximum size, in bytes, of a source that has to be read into memory.
const WHOLE: u64 = 64 << 20;
/// Characters kept of a text of an action or a result.
const TEXT: usize = 4_000;

/// An edge of the knowledge graph.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Edge {
    pub(super) line: u64,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) kind: String,
    pub(super) time: Option<i64>,
    /// How strong the relation is, as its writer counts it.
    pub(super) weight: Option<f64>,
    /// Compact JSON with sorted keys.
    pub(super) meta: Option<String>,
}

/// A node of the knowledge graph, in the form with separate files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) line: u64,
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) time: Option<i64>,
    pub(super) payload: Option<String>,
}

/// A use of a skill in a turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SkillUse {
    pub(super) line: u64,
    pub(super) skill: String,
    pub(super) version: String,
    pub(super) task: String,
    /// The turn's number; `None` unless the turn and its execution have names of their own.
    pub(super) turn: Option<i64>,
    pub(super) success: Option<bool>,
    pub(super) rolled_back: bool,
    pub(super) error: Option<String>,
    pub(super) cost: Option<f64>,
    pub(super) latency: Option<f64>,
    pub(super) tokens: Option<i64>,
    /// The execution's intent and the action, as JSON.
    pub(super) input: String,
    /// The result as JSON.
    pub(super) output: Option<String>,
    /// The result's metadata as JSON.
    pub(super) metadata: Option<String>,
    pub(super) started: Option<i64>,
    pub(super) completed: Option<i64>,
}

/// A name that edges may use for a known execution, context or skill.
pub(super) type Name = (NameKind, String);

/// The kind of thing that a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum NameKind {
    Execution,
    Context,
    Skill,
}

impl NameKind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Execution => "execution",
            Self::Context => "context",
            Self::Skill => "skill",
        }
    }
}

/// The extracted content of one file.
#[derive(Debug, Default)]
pub(super) struct Extracted {
    pub(super) observations: Vec<Observation>,
    pub(super) edges: Vec<Edge>,
    pub(super) nodes: Vec<Node>,
    pub(super) uses: Vec<SkillUse>,
    pub(super) promotions: Vec<Promotion>,
    pub(super) names: Vec<Name>,
    /// Executions and the paths in their contexts.
    pub(super) contexts: Vec<(String, String)>,
    /// Items of a context bank or metadata of a skill: id and JSON.
    pub(super) documents: Vec<(String, String)>,
    pub(super) findings: Vec<Finding>,
    /// Number of texts with a removed secret.
    pub(super) hidden: u64,
    /// Secrets found before any text was cut.
    seen: Cleaner,
}

impl Extracted {
    /// Adds an observation, split into chunks if it is long. `lines` are source lines. With
    /// `follows`, the detail matches the source line by line, so each chunk gets its own lines.
    fn push(&mut self, observation: Observation, follows: bool) {
        let pieces = chunks(&observation.detail);
        if pieces.len() <= 1 {
            if !pieces.is_empty() {
                self.observations.push(observation);
            }
            return;
        }
        // A chunk may contain the middle of a secret, which can't be detected on its own.
        self.seen.read(&observation.detail);
        for (n, piece) in pieces.iter().enumerate() {
            let first = observation.lines.0;
            let summary = if follows {
                piece.text
            } else {
                &observation.summary
            };
            self.observations.push(Observation {
                summary: summarise(&format!("({}/{}) {summary}", n + 1, pieces.len())),
                detail: piece.text.to_owned(),
                lines: if follows {
                    (first + piece.lines.0, first + piece.lines.1)
                } else {
                    observation.lines
                },
                ..observation.clone()
            });
        }
    }

    /// Removes every secret.
    fn clean(&mut self) {
        std::mem::take(&mut self.seen).clean(self);
    }

    fn object(&mut self, code: u16, file: &SourceFile, line: u64, message: impl Into<String>) {
        self.findings
            .push(finding(code, &file.name, line, message.into()));
    }
}

/// Extracts a source.
pub(super) fn extract(file: &SourceFile) -> Extracted {
    if file.kind == SourceKind::Traces {
        return trace::extract(file);
    }
    let mut out = Extracted::default();
    match file.kind {
        SourceKind::RepoMap => code::extract(file, &mut out),
        SourceKind::History => commits::extract(file, &mut out),
        _ => text(file, &mut out),
    }
    out.clean();
    fold(&mut out.findings);
    out
}

/// Extracts a source that is one text.
fn text(file: &SourceFile, out: &mut Extracted) {
    let text = match whole(file) {
        Ok(text) => text,
        Err((code, line, message)) => {
            return out.object(code, file, line, message);
        }
    };
    match file.kind {
        SourceKind::Transcripts => transcript::extract(file, &text, out),
        SourceKind::Documents => document::extract(file, &text, out),
        SourceKind::Progress => rows::extract(&text, Kind::Progress, out),
        SourceKind::Summaries => rows::extract(&text, Kind::Log, out),
        SourceKind::Runs => runs::extract(file, &text, out),
        SourceKind::Graph => graph::extract(file, &text, out),
        SourceKind::Bank => bank::extract(file, &text, out),
        SourceKind::Skills if file.is_lines() => promotion::extract(file, &text, out),
        SourceKind::Skills if file.is_skill_set() => skill::extract_set(file, &text, out),
        SourceKind::Skills => skill::extract(file, &text, out),
        SourceKind::Traces | SourceKind::RepoMap | SourceKind::History => {}
    }
    let seen = &mut out.seen;
    match file.kind {
        SourceKind::Skills if file.is_lines() => text.lines().for_each(|line| seen.learn(line)),
        SourceKind::Transcripts | SourceKind::Graph => {
            text.lines().for_each(|line| seen.learn(line));
        }
        SourceKind::Runs | SourceKind::Bank | SourceKind::Skills => seen.learn(&text),
        SourceKind::Documents | SourceKind::Progress | SourceKind::Summaries => seen.read(&text),
        SourceKind::Traces | SourceKind::RepoMap | SourceKind::History => {}
    }
}

/// Maximum number of findings with one code and message that a source keeps.
const ALIKE: usize = 3;

/// Replaces findings of one source that only differ in their lines, beyond the first ones, by a
/// count in the last one that is kept.
fn fold(findings: &mut Vec<Finding>) {
    let mut count: BTreeMap<(u16, String), usize> = BTreeMap::new();
    for finding in findings.iter() {
        let key = (finding.code.0, finding.message.clone());
        *count.entry(key).or_default() += 1;
    }
    let mut seen: BTreeMap<(u16, String), usize> = BTreeMap::new();
    findings.retain_mut(|finding| {
        let key = (finding.code.0, finding.message.clone());
        let all = count.get(&key).copied().unwrap_or_default();
        let kept = if all > ALIKE { 1 } else { ALIKE };
        let seen = seen.entry(key).or_default();
        *seen += 1;
        if all > ALIKE {
            finding.message = format!("{} (on {all} lines; this is the first)", finding.message);
        }
        *seen <= kept
    });
}

/// Reads the text of a file. The error is a finding's code, line and message.
fn whole(file: &SourceFile) -> Result<String, (u16, u64, String)> {
    let bytes = std::fs::File::open(&file.path)
        .and_then(|opened| read_whole(opened, WHOLE))
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::FileTooLarge => {
                (107, 0, format!("the source has more than {WHOLE} bytes"))
            }
            _ => (101, 0, format!("the source can't be read: {error}")),
        })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error
            .as_bytes()
            .get(..error.utf8_error().valid_up_to())
            .unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', valid).count() as u64 + 1;
        (101, line, "the source is not valid UTF-8".to_owned())
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Calls `take` for each line of a JSON Lines source that is an object, and reports the other
/// lines.
fn objects<'t>(
    file: &SourceFile,
    text: &'t str,
    out: &mut Extracted,
    mut take: impl FnMut(&mut Extracted, u64, &'t str, Value),
) {
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(line) {
            Ok(Value::Object(_)) if is_repeated(line) => out.object(106, file, number, REPEATED),
            Ok(value @ Value::Object(_)) => take(out, number, line, value),
            Ok(_) => out.object(102, file, number, "the line is JSON, but no object"),
            Err(error) => out.object(
                102,
                file,
                number,
                format!("the line is not JSON: {}", plain(&error)),
            ),
        }
    }
}

/// The message about a text with a duplicate member.
const REPEATED: &str =
    "a member appears twice in its object: which of them counts depends on the reader";

/// Whether an object has a duplicate member, which readers interpret differently.
pub(super) fn is_repeated(text: &str) -> bool {
    let mut scanner = Scanner::new(text, DEFAULT_MAX_DEPTH);
    // The caller has already rejected text that can't be scanned.
    scanner.skip().is_ok()
        && scanner
            .notes()
            .iter()
            .any(|note| note.kind == NoteKind::DuplicateMember)
}

/// Returns the message of a JSON error without its position.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split_once(" at line ")
        .map_or(text.clone(), |(what, _)| what.to_owned())
}

/// Reads a time: milliseconds since the Unix epoch, or a date as text.
pub(super) fn time(value: &Value) -> Option<i64> {
    match value {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a float to integer cast saturates, which suits a time"
        )]
        Value::Number(n) => n.as_i64().or_else(|| n.as_f64().map(|f| f as i64)),
        Value::String(text) => date::parse(text),
        _ => None,
    }
}

/// Returns the first of some members that is a text with content.
fn text_of<'v>(value: &'v Value, members: &[&str]) -> Option<&'v str> {
    members
        .iter()
        .find_map(|m| value.get(m)?.as_str())
        .filter(|t| !t.trim().is_empty())
}

/// Cuts a text to the length that is kept. A cut is always marked.
fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        None => text.to_owned(),
        Some((at, _)) => {
            let (kept, rest) = text.split_at_checked(at).unwrap_or((text, ""));
            format!("{kept}… ({} more characters)", rest.chars().count())
        }
    }
}

/// Returns a file's name without directory and extension.
fn stem(name: &str) -> &str {
    let base = name.rsplit('/').next().unwrap_or(name);
    base.split_once('.').map_or(base, |(stem, _)| stem)
}

#[cfg(test)]
mod tests;
