//! The result of a verification.

use super::bounds::Bound;
use super::timeline::Timeline;
use super::units::InputUnits;
use crate::diag::{Code, Finding, Severity};
use crate::replay::Summary;
use crate::source::{Limits, NO_ENDING, Skipped};
use borsh::{BorshDeserialize, BorshSerialize};
use content_scan::mask::Mask;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How much was verified. A gate must not pass because nothing was checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Counts {
    /// Number of inputs that were named or found.
    pub files: u64,
    /// Number of inputs that couldn't be opened.
    pub unopened: u64,
    /// Number of records that were read, including broken ones.
    pub records: u64,
    /// Number of turns that were replayed.
    pub turns: u64,
    /// Number of rules that ran.
    pub rules_run: u64,
    /// Number of errors, including those that weren't kept.
    pub errors: u64,
    /// Number of warnings, including those that weren't kept.
    pub warnings: u64,
    /// Number of notes, including those that weren't kept.
    pub notes: u64,
    /// Number of findings that were counted but not kept.
    pub left_out: u64,
    /// Number of signatures that weren't checked.
    pub signatures_unchecked: u64,
    /// Number of bytes that were read, after decompression.
    pub bytes: u64,
    /// Number of inputs whose format is known.
    pub known_inputs: u64,
    /// Number of inputs that contain records, but none of a known format.
    pub unknown_inputs: u64,
    /// Number of files under the given paths that weren't read.
    pub skipped: u64,
}

impl Counts {
    /// Counts a finding.
    pub fn count(&mut self, severity: Severity) {
        let counter = self.counter(severity);
        *counter = counter.saturating_add(1);
    }

    /// Returns all of them.
    pub(super) const fn all(&self) -> [u64; 14] {
        [
            self.files,
            self.unopened,
            self.records,
            self.turns,
            self.rules_run,
            self.errors,
            self.warnings,
            self.notes,
            self.left_out,
            self.signatures_unchecked,
            self.bytes,
            self.known_inputs,
            self.unknown_inputs,
            self.skipped,
        ]
    }

    /// Adds the counts of other inputs.
    pub(super) fn add(&mut self, other: &Self) {
        self.files = self.files.saturating_add(other.files);
        self.unopened = self.unopened.saturating_add(other.unopened);
        self.records = self.records.saturating_add(other.records);
        self.turns = self.turns.saturating_add(other.turns);
        self.rules_run = self.rules_run.max(other.rules_run);
        self.errors = self.errors.saturating_add(other.errors);
        self.warnings = self.warnings.saturating_add(other.warnings);
        self.notes = self.notes.saturating_add(other.notes);
        self.left_out = self.left_out.saturating_add(other.left_out);
        self.signatures_unchecked = self
            .signatures_unchecked
            .saturating_add(other.signatures_unchecked);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.known_inputs = self.known_inputs.saturating_add(other.known_inputs);
        self.unknown_inputs = self.unknown_inputs.saturating_add(other.unknown_inputs);
        self.skipped = self.skipped.saturating_add(other.skipped);
    }

    /// Returns the counter of findings with exactly this severity.
    pub fn counter(&mut self, severity: Severity) -> &mut u64 {
        match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        }
    }

    /// Returns the number of findings with at least this severity.
    #[must_use]
    pub fn at_least(&self, severity: Severity) -> u64 {
        match severity {
            Severity::Error => self.errors,
            Severity::Warning => self.errors.saturating_add(self.warnings),
            Severity::Note => {
                let worse = self.errors.saturating_add(self.warnings);
                worse.saturating_add(self.notes)
            }
        }
    }
}

/// Numbers of findings that weren't kept, by rule and severity.
pub type Dropped = BTreeMap<(Code, Severity), u64>;

/// Maximum number of inputs that have an entry of their own in a report.
const MOST_INPUTS: usize = 10_000;

/// The result of a verification.
#[derive(Debug, Default)]
pub struct Report {
    /// How much was verified.
    pub counts: Counts,
    /// The units of each input, by outcome.
    pub inputs: Vec<InputUnits>,
    /// Number of inputs without an entry of their own. Their units are in the last entry, whose
    /// name is empty.
    pub inputs_left_out: u64,
    /// The executions, in input order.
    pub summaries: Vec<Summary>,
    /// Bytes that the summaries hold.
    pub(crate) held: usize,
    /// The findings, in input order.
    pub findings: Vec<Finding>,
    /// Number of findings that inputs have added, by severity.
    pub(crate) kept: [usize; 3],
    /// Findings that were counted but not kept. A configuration may still change their severity.
    pub dropped: Dropped,
    /// Executions with an error that wasn't kept, as file and id. They count as failed, whatever
    /// findings are listed.
    pub failed_unlisted: BTreeSet<(Arc<str>, Arc<str>)>,
    /// The turns, if requested.
    pub timeline: Timeline,
    /// Further sentences for the reader of the report. They may contain hostile text.
    pub notices: Vec<String>,
    /// The secrets that were found. The report's own texts are masked already; anything else
    /// printed about the inputs must be masked too.
    pub secrets: Mask,
    /// Files under the given paths that weren't read, up to a limit.
    pub skipped: Vec<Skipped>,
    /// Inputs of known formats that hold nothing to verify.
    pub silent: SilentInputs,
    /// The signatures seen so far.
    pub signed: super::signed::Signatures,
    /// The result of applying the recorded changes to a revision, if one was given.
    pub account: Option<super::account::Account>,
}

/// Maximum number of skipped files that a report lists; the rest is counted.
const SKIPPED: usize = 100;
/// Maximum number of skipped files that a sentence names.
const NAMED: usize = 5;

/// Returns a sentence that names the files that weren't read; `None` if all were.
#[must_use]
pub fn skipped_sentence(skipped: &[Skipped], count: u64) -> Option<String> {
    let name = |s: &Skipped| match s.reason {
        NO_ENDING => format!("`{}`", s.name),
        reason => format!("`{}` ({reason})", s.name),
    };
    let mut named: Vec<String> = skipped.iter().take(NAMED).map(name).collect();
    if count > named.len() as u64 {
        named.push(format!("{} more", count - named.len() as u64));
    }
    let files = if count == 1 {
        "1 file".to_owned()
    } else {
        format!("{count} files")
    };
    (count > 0).then(|| {
        format!(
            "skipped {files} under the given paths: {}",
            named.join(", ")
        )
    })
}

/// Inputs of known formats in which no execution shows anything. A session may have only summaries,
/// so this is no finding.
#[derive(Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct SilentInputs {
    /// Number of them.
    pub count: u64,
    /// The first of them, up to a limit.
    pub named: Vec<String>,
}

impl SilentInputs {
    /// Returns a sentence that names them; `None` if there are none.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let mut named: Vec<String> = self.named.iter().map(|name| format!("`{name}`")).collect();
        if self.count > named.len() as u64 {
            named.push(format!("{} more", self.count - named.len() as u64));
        }
        let named = named.join(", ");
        match self.count {
            0 => None,
            1 => Some(format!("1 input holds no tool calls or turns: {named}")),
            count => Some(format!(
                "{count} inputs hold no tool calls or turns: {named}"
            )),
        }
    }

    /// Adds others.
    pub fn absorb(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        let room = NAMED.saturating_sub(self.named.len());
        self.named.extend(other.named.into_iter().take(room));
    }
}

impl Report {
    /// Counts an input in which no execution shows anything.
    pub(super) fn add_silent(&mut self, name: &str) {
        let mut name = name.to_owned();
        self.secrets.clean(&mut name);
        let named = vec![name];
        self.silent.absorb(SilentInputs { count: 1, named });
    }

    /// Returns the bound that the executions so far have reached.
    pub(super) fn full(&self, limits: &Limits) -> Option<Bound> {
        if self.summaries.len() >= limits.executions {
            Some(Bound::Executions)
        } else {
            (self.held >= limits.open_bytes).then_some(Bound::Held)
        }
    }

    /// Adds files that weren't read.
    pub fn skip(&mut self, skipped: Vec<Skipped>) {
        let number = skipped.len() as u64;
        self.counts.skipped = self.counts.skipped.saturating_add(number);
        for mut skipped in skipped
            .into_iter()
            .take(SKIPPED.saturating_sub(self.skipped.len()))
        {
            self.secrets.clean(&mut skipped.name);
            self.skipped.push(skipped);
        }
    }

    /// Counts findings without keeping them.
    pub fn drop_findings(&mut self, code: Code, severity: Severity, number: u64) {
        let dropped = self.dropped.entry((code, severity)).or_default();
        *dropped = dropped.saturating_add(number);
        let counter = self.counts.counter(severity);
        *counter = counter.saturating_add(number);
        self.counts.left_out = self.counts.left_out.saturating_add(number);
    }

    /// Adds the findings of an input, up to `most` of each severity in total; the others are
    /// counted.
    #[expect(clippy::vec_box, reason = "most of them are dropped")]
    pub(super) fn keep(&mut self, mut findings: Vec<Box<Finding>>, most: usize) {
        findings.sort_by_cached_key(|finding| finding.order());
        for finding in findings {
            let Some(kept) = self.kept.get_mut(finding.severity as usize) else {
                continue;
            };
            if *kept < most {
                *kept += 1;
                self.counts.count(finding.severity);
                self.findings.push(*finding);
            } else {
                self.drop_findings(finding.code, finding.severity, 1);
                if let (Severity::Error, Some(id)) = (finding.severity, finding.execution) {
                    self.failed_unlisted.insert((finding.place.file, id));
                }
            }
        }
    }

    /// Keeps the `most` findings of the highest severity and counts the others.
    pub(crate) fn cut(&mut self, most: usize) {
        if self.findings.len() <= most {
            return;
        }
        let mut room = most;
        let mut shares = [Severity::Error, Severity::Warning, Severity::Note].map(|severity| {
            let share = self
                .findings
                .iter()
                .filter(|f| f.severity == severity)
                .count()
                .min(room);
            room -= share;
            (severity, share)
        });
        for finding in std::mem::take(&mut self.findings) {
            let share = shares
                .iter_mut()
                .find(|(severity, _)| *severity == finding.severity);
            match share {
                Some((_, left)) if *left > 0 => {
                    *left -= 1;
                    self.findings.push(finding);
                }
                _ => {
                    self.counts.left_out = self.counts.left_out.saturating_add(1);
                    let count = self.dropped.entry((finding.code, finding.severity));
                    let count = count.or_default();
                    *count = count.saturating_add(1);
                    if let (Severity::Error, Some(id)) = (finding.severity, finding.execution) {
                        self.failed_unlisted.insert((finding.place.file, id));
                    }
                }
            }
        }
    }

    /// Adds the unit counts of an input.
    pub(super) fn add_input(&mut self, input: InputUnits) {
        if self.inputs.len() < MOST_INPUTS {
            self.inputs.push(input);
        } else if let Some(rest) = self.inputs.last_mut() {
            if !rest.path.is_empty() {
                self.inputs_left_out += 1;
            }
            self.inputs_left_out += 1;
            rest.units.add(&input.units);
            (rest.path, rest.format) = ("".into(), None);
        }
    }

    /// Merges the report of another verification of the same run.
    pub fn absorb(&mut self, other: Self) {
        self.counts.add(&other.counts);
        self.summaries.extend(other.summaries);
        self.held += other.held;
        self.findings.extend(other.findings);
        for (kind, number) in other.dropped {
            *self.dropped.entry(kind).or_default() += number;
        }
        self.failed_unlisted.extend(other.failed_unlisted);
        self.timeline.turns.extend(other.timeline.turns);
        self.timeline.openings.extend(other.timeline.openings);
        self.timeline.commands.extend(other.timeline.commands);
        self.timeline.left_out += other.timeline.left_out;
        self.notices.extend(other.notices);
        self.secrets.absorb(other.secrets);
        self.silent.absorb(other.silent);
        self.skipped.extend(
            other
                .skipped
                .into_iter()
                .take(SKIPPED.saturating_sub(self.skipped.len())),
        );
        self.account = self.account.take().or(other.account);
        self.inputs_left_out += other.inputs_left_out;
        for input in other.inputs {
            self.add_input(input);
        }
    }
}
