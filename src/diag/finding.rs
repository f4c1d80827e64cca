//! Findings and their parts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The number of a rule. Printed as `YV201`; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub u16);

impl Code {
    /// The code that a word names, in either case.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let digits = word.strip_prefix("YV").or_else(|| word.strip_prefix("yv"))?;
        if digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok().map(Self) } else { None }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "YV{:03}", self.0)
    }
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something that a reader should know.
    Note,
    /// Something that deserves a look.
    Warning,
    /// Something that fails a gate.
    Error,
}

impl Severity {
    /// The word in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The part of an input that a finding shows: one line, cut to what matters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// Text from the input. Hostile: whoever prints it has to escape it.
    pub text: String,
    /// Bytes of `text` that the finding is about.
    pub span: (usize, usize),
    /// Something stands before it on the line.
    pub cut_before: bool,
    /// Something stands behind it on the line.
    pub cut_after: bool,
    /// How many more bytes than characters the part before `text` has.
    pub surplus_before: u64,
}

/// A place in an input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// Name of the input.
    pub file: Arc<str>,
    /// Line, from 1; 0 for the input as a whole.
    pub line: u64,
    /// Column in UTF-8 bytes, from 1; 0 for the line as a whole.
    pub column: u64,
    /// JSON pointer into the record.
    pub pointer: Option<String>,
    /// What stands there.
    pub excerpt: Option<Excerpt>,
}

impl Place {
    /// Where it begins and ends on its line in characters (Unicode code points), from 1, the end exclusive;
    /// `None` for the line or the input as a whole. `column` counts bytes.
    #[must_use]
    pub fn characters(&self) -> Option<(u64, u64)> {
        let excerpt = self.excerpt.as_ref().filter(|_| self.column > 0)?;
        let part = |from, to| excerpt.text.get(from..to);
        let before = part(0, excerpt.span.0)?;
        let marked = part(excerpt.span.0, excerpt.span.1)?;
        let surplus = excerpt.surplus_before + (before.len() - before.chars().count()) as u64;
        let start = self.column.saturating_sub(surplus).max(1);
        Some((start, start + (marked.chars().count() as u64).max(1)))
    }
}

/// Another place that explains a finding, or a follow-up that only exists because of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// Name of the input.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u64,
    /// What it has to do with the finding.
    pub message: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub code: Code,
    /// The rule's name.
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found, in lower case, user text in backticks. May hold hostile text.
    pub message: String,
    /// Where.
    pub place: Place,
    /// The execution that it belongs to.
    pub execution: Option<Arc<str>>,
    /// The turn that it belongs to.
    pub turn: Option<i64>,
    /// Other places.
    pub related: Vec<Related>,
    /// How to mend it.
    pub help: Option<String>,
    /// A hash of the action that it is about: what is known of one action says nothing of another in its place.
    pub about: Option<Box<str>>,
    /// Stable identity: independent of line numbers.
    pub fingerprint: String,
}

impl Finding {
    /// Findings are reported in the order of the input.
    #[must_use]
    pub fn order(&self) -> (Arc<str>, u64, u64, Code, String) {
        (self.place.file.clone(), self.place.line, self.place.column, self.code, self.message.clone())
    }
}

/// Related places that are kept for one finding; the rest is counted.
const MAX_RELATED: usize = 12;

impl Finding {
    /// Adds a related place, up to a limit that keeps a hostile trace from growing one finding forever.
    pub fn relate(&mut self, related: Related) {
        match self.related.len() {
            n if n < MAX_RELATED => self.related.push(related),
            MAX_RELATED => self.related.push(Related { message: "further follow-ups are not listed".into(), ..related }),
            _ => {}
        }
    }
}

/// Gives every finding its fingerprint: a hash of what it says and what it is about, without lines,
/// and a number where the same thing is found several times.
pub fn assign_fingerprints(findings: &mut [Finding]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for finding in findings {
        let mut hash = Sha256::new();
        for part in [
            &finding.code.to_string(),
            &*finding.place.file,
            finding.execution.as_deref().unwrap_or_default(),
            &finding.turn.map(|t| t.to_string()).unwrap_or_default(),
            finding.place.pointer.as_deref().unwrap_or_default(),
            &finding.message,
            finding.about.as_deref().unwrap_or_default(),
        ] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let mut text: String = hash.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect();
        let count = seen.entry(text.clone()).or_default();
        *count += 1;
        if *count > 1 {
            text.push_str(&format!("-{count}"));
        }
        finding.fingerprint = text;
    }
}
