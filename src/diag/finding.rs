//! Findings and their parts.

use borsh::{BorshDeserialize, BorshSerialize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The number of a rule, printed as `YV201`. Numbers are never reused.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize,
)]
pub struct Code(pub u16);

impl Code {
    /// Parses a code such as `YV201`, in upper or lower case.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let digits = word
            .strip_prefix("YV")
            .or_else(|| word.strip_prefix("yv"))?;
        if digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit()) {
            digits.parse().ok().map(Self)
        } else {
            None
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "YV{:03}", self.0)
    }
}

/// The severity of a finding.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information for the reader.
    Note,
    /// A problem that should be reviewed.
    Warning,
    /// A problem that fails a gate.
    Error,
}

impl Severity {
    /// Returns the word for reports.
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

/// The part of an input that a finding shows: an excerpt of one line.
#[derive(Debug, Clone, PartialEq, Eq, Default, BorshSerialize, BorshDeserialize)]
pub struct Excerpt {
    /// Text from the input. Hostile: it must be escaped for output.
    pub text: String,
    /// Byte range in `text` that the finding is about.
    pub span: (usize, usize),
    /// Whether the line has more text before `text`.
    pub cut_before: bool,
    /// Whether the line has more text after `text`.
    pub cut_after: bool,
    /// How many more bytes than characters the line has before `text`.
    pub surplus_before: u64,
}

/// A position in an input.
#[derive(Debug, Clone, PartialEq, Eq, Default, BorshSerialize, BorshDeserialize)]
pub struct Place {
    /// Name of the input.
    pub file: Arc<str>,
    /// Line, from 1; 0 for the input as a whole.
    pub line: u64,
    /// Column in UTF-8 bytes, from 1; 0 for the line as a whole.
    pub column: u64,
    /// JSON pointer into the record.
    pub pointer: Option<String>,
    /// The text at this position.
    pub excerpt: Option<Excerpt>,
}

impl Place {
    /// Returns the start and end on the line in characters (Unicode code points), from 1, the end
    /// exclusive. `None` for the whole line or input. `column` counts bytes instead.
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

/// Another position that explains a finding, or a follow-up finding that is caused by it.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Related {
    /// Name of the input.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u64,
    /// How this position relates to the finding.
    pub message: String,
    /// The follow-up findings that are listed here. They become findings of their own when the
    /// finding above them is suppressed or lowered.
    #[borsh(deserialize_with = "folded::read")]
    pub folded: Vec<Finding>,
}

impl Related {
    /// Creates a position that only explains.
    #[must_use]
    pub fn new(file: &Arc<str>, line: u64, message: impl Into<String>) -> Self {
        Self {
            file: file.clone(),
            line,
            message: message.into(),
            folded: Vec::new(),
        }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Finding {
    /// Code of the rule.
    pub code: Code,
    /// Name of the rule. A partial result doesn't contain it.
    #[borsh(skip)]
    pub name: &'static str,
    pub severity: Severity,
    /// The message, in lower case, with user text in backticks. May contain hostile text.
    pub message: String,
    /// Position in the input.
    pub place: Place,
    /// Id of the execution that the finding belongs to, if any.
    pub execution: Option<Arc<str>>,
    /// Number of the turn that the finding belongs to, if any.
    pub turn: Option<i64>,
    /// Other positions that explain the finding.
    pub related: Vec<Related>,
    /// How to fix the finding.
    pub help: Option<String>,
    /// Hash of the action that the finding is about. A known finding about one action doesn't apply
    /// to another action in the same position.
    pub about: Option<Box<str>>,
    /// The subject of the finding, where execution, turn and action don't identify it. It consists
    /// of facts, never of the words of a message.
    pub subject: Option<Box<str>>,
    /// Number of findings that are folded under this one and listed by no related position.
    pub unlisted: BTreeMap<(Code, Severity), u64>,
    /// Identity of the finding, independent of line numbers and messages.
    pub fingerprint: String,
}

impl Finding {
    /// Returns the sort key: findings are reported in input order.
    #[must_use]
    pub fn order(&self) -> (Arc<str>, u64, u64, Code, String) {
        (
            self.place.file.clone(),
            self.place.line,
            self.place.column,
            self.code,
            self.message.clone(),
        )
    }
}

/// Maximum number of related positions kept for one finding; the rest is counted.
const MAX_RELATED: usize = 12;

impl Finding {
    /// Creates a finding of a rule; see [`crate::rules::finding`].
    pub(crate) fn new(
        code: Code,
        name: &'static str,
        severity: Severity,
        message: impl Into<String>,
        place: Place,
    ) -> Self {
        Self {
            code,
            name,
            severity,
            message: message.into(),
            place,
            execution: None,
            turn: None,
            related: Vec::new(),
            help: None,
            about: None,
            subject: None,
            unlisted: BTreeMap::new(),
            fingerprint: String::new(),
        }
    }

    /// Adds a related position, up to a limit so that a hostile trace can't grow one finding
    /// without bound. Beyond the limit, folded findings are only counted.
    pub fn relate(&mut self, related: Related) {
        let Related {
            file, line, folded, ..
        } = match self.related.len() {
            n if n < MAX_RELATED => return self.related.push(related),
            _ => related,
        };
        if self.related.len() == MAX_RELATED {
            self.related.push(Related::new(
                &file,
                line,
                "further follow-ups are not listed",
            ));
        }
        for folded in folded {
            *self
                .unlisted
                .entry((folded.code, folded.severity))
                .or_default() += 1;
        }
    }

    /// Iterates over the findings that are folded under this one.
    pub fn folded(&self) -> impl Iterator<Item = &Self> {
        self.related.iter().flat_map(|r| &r.folded)
    }
}

/// Reads folded findings from a partial result.
mod folded {
    use super::Finding;
    use borsh::BorshDeserialize as _;
    use std::cell::Cell;
    use std::io::{Error, ErrorKind, Read, Result};

    /// Maximum depth. What this program writes has a depth of one.
    const MOST: u32 = 8;

    thread_local! {
        static DEPTH: Cell<u32> = const { Cell::new(0) };
    }

    pub(super) fn read<R: Read>(from: &mut R) -> Result<Vec<Finding>> {
        let depth = DEPTH.get();
        if depth >= MOST {
            return Err(Error::new(ErrorKind::InvalidData, "findings are nested"));
        }
        DEPTH.set(depth + 1);
        let findings = Vec::deserialize_reader(from);
        DEPTH.set(depth);
        findings
    }
}

/// Joins facts into one subject. The encoding is unambiguous: different facts give different
/// subjects.
#[must_use]
pub fn subject<'p>(parts: impl IntoIterator<Item = &'p str>) -> Box<str> {
    parts
        .into_iter()
        .map(|part| format!("{}:{part};", part.len()))
        .collect::<String>()
        .into()
}

/// Returns the hash of a text, for use in a subject.
#[must_use]
pub fn digest(text: impl AsRef<[u8]>) -> Box<str> {
    short(Sha256::digest(text)).into()
}

/// Returns the same as [`digest`] from the text's SHA-256 hash.
#[must_use]
pub fn digest_of(hash: &[u8; 32]) -> Box<str> {
    short(hash).into()
}

/// Incremental hash of content that comes in parts, for use in a subject.
#[derive(Debug, Clone, Default)]
pub struct ContentHash(blake3::Hasher);

impl ContentHash {
    /// Adds a part. The boundaries between parts are included in the hash.
    pub fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0
            .update(&(part.len() as u64).to_le_bytes())
            .update(part);
    }

    /// Returns the hash of all parts so far.
    #[must_use]
    pub fn finish(&self) -> Box<str> {
        short(self.0.finalize().as_bytes()).into()
    }
}

/// Formats the first 8 bytes of a hash in hexadecimal.
fn short(hash: impl AsRef<[u8]>) -> String {
    hash.as_ref()
        .iter()
        .take(8)
        .map(|b| format!("{b:02x}"))
        .collect()
}

fn hashed(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    short(hash.finalize())
}

/// Numbers repeated texts.
#[derive(Default)]
struct Numbers(BTreeMap<String, u32>);

impl Numbers {
    fn add(&mut self, text: String) -> String {
        let count = self.0.entry(text.clone()).or_default();
        *count += 1;
        if *count > 1 {
            format!("{text}-{count}")
        } else {
            text
        }
    }
}

fn fingerprint(finding: &Finding) -> String {
    hashed(&[
        "2",
        &finding.code.to_string(),
        &finding.place.file,
        finding.execution.as_deref().unwrap_or_default(),
        &finding.turn.map(|t| t.to_string()).unwrap_or_default(),
        finding.about.as_deref().unwrap_or_default(),
        finding.subject.as_deref().unwrap_or_default(),
    ])
}

/// Gives every finding its fingerprint: a hash of its code, its input and its subject, without
/// lines and messages. Findings with equal hashes are numbered, with folded findings after all
/// others.
pub fn assign_fingerprints(findings: &mut [Finding]) {
    let mut numbers = Numbers::default();
    for finding in findings.iter_mut() {
        finding.fingerprint = numbers.add(fingerprint(finding));
    }
    for folded in findings
        .iter_mut()
        .flat_map(|f| &mut f.related)
        .flat_map(|r| &mut r.folded)
    {
        folded.fingerprint = numbers.add(fingerprint(folded));
    }
}

/// Returns the fingerprints of version 1, for baselines and ignores that contain them. They depend
/// on messages.
#[must_use]
pub fn fingerprints_v1(findings: &[Finding]) -> Vec<String> {
    let mut numbers = Numbers::default();
    let of = |finding: &Finding| {
        hashed(&[
            &finding.code.to_string(),
            &finding.place.file,
            finding.execution.as_deref().unwrap_or_default(),
            &finding.turn.map(|t| t.to_string()).unwrap_or_default(),
            finding.place.pointer.as_deref().unwrap_or_default(),
            &finding.message,
            finding.about.as_deref().unwrap_or_default(),
        ])
    };
    findings
        .iter()
        .map(|finding| numbers.add(of(finding)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn finding(message: &str, line: u64) -> Finding {
        let place = Place {
            file: "traces/a.jsonl".into(),
            line,
            column: line % 7,
            ..Place::default()
        };
        let found = Finding::new(
            Code(301),
            "unauthorised-execution",
            Severity::Error,
            message,
            place,
        );
        let (execution, about, subject) = (
            Some("e".into()),
            Some(digest("rm")),
            Some(subject(["executed", "a1"])),
        );
        Finding {
            execution,
            turn: Some(2),
            about,
            subject,
            ..found
        }
    }

    fn prints(mut findings: Vec<Finding>) -> Vec<String> {
        assign_fingerprints(&mut findings);
        findings.into_iter().map(|f| f.fingerprint).collect()
    }

    proptest! {
        #[test]
        fn words_and_lines_change_no_fingerprint(words in ".{0,20}", line in 0u64..1000, others in 0u64..4) {
            let mut moved: Vec<Finding> = (0..others).map(|n| Finding { turn: Some(9), ..finding("before it", n) }).collect();
            moved.push(finding(&words, line));
            prop_assert_eq!(prints(moved).last().cloned(), prints(vec![finding("as it was", 1)]).pop());
        }

        #[test]
        fn what_it_is_about_does(what in 0usize..6, word in "[a-z]{1,8}") {
            let before = finding("m", 1);
            let mut after = before.clone();
            match what {
                0 => after.code = Code(302),
                1 => after.place.file = word.into(),
                2 => after.execution = Some(format!("e{word}").into()),
                3 => after.turn = Some(3),
                4 => after.about = Some(digest(word)),
                _ => after.subject = Some(subject(["executed", &word])),
            }
            prop_assert_ne!(prints(vec![before]), prints(vec![after]));
        }
    }

    #[test]
    fn what_is_found_twice_has_a_number_and_what_is_folded_comes_last() {
        let mut root = finding("root", 1);
        for line in 2..20 {
            root.relate(Related {
                folded: vec![finding("folded", line)],
                ..Related::new(&"a".into(), line, "follows")
            });
        }
        let mut all = vec![root, finding("other", 30)];
        assign_fingerprints(&mut all);
        assert!(all[1].fingerprint.ends_with("-2"), "{}", all[1].fingerprint);
        assert!(all[0].related[0].folded[0].fingerprint.ends_with("-3"));
        assert_eq!(
            (all[0].related.len(), all[0].folded().count()),
            (MAX_RELATED + 1, MAX_RELATED)
        );
        assert_eq!(
            all[0].unlisted.get(&(Code(301), Severity::Error)),
            Some(&(18 - MAX_RELATED as u64)),
            "none is lost"
        );
    }

    #[test]
    fn parts_of_a_subject_stay_apart() {
        assert_ne!(subject(["a", "b"]), subject(["ab", ""]));
        assert_ne!(subject(["1:a;"]), subject(["a"]));
    }

    #[test]
    fn deeply_nested_findings_are_not_read() {
        let nested = |depth: usize| {
            let mut finding = Finding::new(Code(300), "", Severity::Error, "", Place::default());
            for _ in 0..depth {
                let mut related = Related::new(&"f".into(), 1, "");
                related.folded.push(finding);
                finding = Finding::new(Code(300), "", Severity::Error, "", Place::default());
                finding.related.push(related);
            }
            borsh::to_vec(&finding).unwrap()
        };
        assert!(borsh::from_slice::<Finding>(&nested(2)).is_ok());
        assert!(borsh::from_slice::<Finding>(&nested(100)).is_err());
        assert!(
            borsh::from_slice::<Finding>(&nested(2)).is_ok(),
            "the depth is counted again"
        );
    }
}
