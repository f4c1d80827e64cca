//! What comes out of a verification.

use super::bounds::Bound;
use super::timeline::Timeline;
use super::units::InputUnits;
use crate::diag::{Code, Finding, Severity};
use crate::replay::Summary;
use crate::source::{Limits, NO_ENDING, Skipped};
use content_scan::mask::Mask;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How much was looked at. A gate must not be able to pass emptily.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Inputs that were named or found.
    pub files: u64,
    /// Inputs that could not be opened at all.
    pub unopened: u64,
    /// Records that were read, broken ones included.
    pub records: u64,
    /// Turns that were replayed.
    pub turns: u64,
    /// Rules that looked.
    pub rules_run: u64,
    /// Findings by severity: errors, warnings, notes; those that were left out included.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Notes.
    pub notes: u64,
    /// Findings that are counted but not kept.
    pub left_out: u64,
    /// Signatures that nobody checked.
    pub signatures_unchecked: u64,
    /// Bytes that were read, after decompression.
    pub bytes: u64,
    /// Inputs whose format is known.
    pub known_inputs: u64,
    /// Inputs that hold records, and none of a known format.
    pub unknown_inputs: u64,
    /// Files under the given paths that aren't read.
    pub skipped: u64,
}

impl Counts {
    /// Counts a finding.
    pub fn count(&mut self, severity: Severity) {
        *self.of(severity) += 1;
    }

    /// How many findings are just this bad.
    pub fn of(&mut self, severity: Severity) -> &mut u64 {
        match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        }
    }

    /// How many findings are at least this bad.
    #[must_use]
    pub fn at_least(&self, severity: Severity) -> u64 {
        match severity {
            Severity::Error => self.errors,
            Severity::Warning => self.errors + self.warnings,
            Severity::Note => self.errors + self.warnings + self.notes,
        }
    }
}

/// Findings that aren't kept, by rule and severity.
pub type Dropped = BTreeMap<(Code, Severity), u64>;

/// Inputs that a report has an entry for.
const MOST_INPUTS: usize = 10_000;

/// The result of a verification.
#[derive(Debug, Default)]
pub struct Report {
    /// How much was looked at.
    pub counts: Counts,
    /// What became of the units of each input.
    pub inputs: Vec<InputUnits>,
    /// Inputs that have no entry of their own: their units are in the last one, which has an empty
    /// name.
    pub inputs_left_out: u64,
    /// The executions, in the order of the input.
    pub summaries: Vec<Summary>,
    /// Bytes that they hold.
    pub(crate) held: usize,
    /// The findings, in the order of the input.
    pub findings: Vec<Finding>,
    /// How many of them inputs have added, by severity.
    pub(crate) kept: [usize; 3],
    /// Those that are counted and not kept: a configuration may still change how bad they are.
    pub dropped: Dropped,
    /// Executions with an error that isn't kept, as file and id: they have failed, whatever is
    /// listed of them.
    pub failed_unlisted: BTreeSet<(Arc<str>, Arc<str>)>,
    /// The turns, where they were asked for.
    pub timeline: Timeline,
    /// What whoever reads the report has to be told besides, in sentences. May hold hostile text.
    pub notices: Vec<String>,
    /// What was found secret. Its own texts are free of it; whoever says more of the inputs has to
    /// be as well.
    pub secrets: Mask,
    /// Files under the given paths that aren't read, up to a limit.
    pub skipped: Vec<Skipped>,
    /// The signatures that were seen.
    pub signed: super::signed::Book,
    /// What the record's changes give on a revision, where one was named.
    pub account: Option<super::account::Account>,
}

/// Skipped files that a report lists; the rest is counted.
const SKIPPED: usize = 100;
/// Skipped files that a sentence names.
const NAMED: usize = 5;

/// Says which files weren't read; `None` when all were.
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

impl Report {
    /// The bound that the executions so far have come to.
    pub(super) fn full(&self, limits: &Limits) -> Option<Bound> {
        if self.summaries.len() >= limits.executions {
            Some(Bound::Executions)
        } else {
            (self.held >= limits.open_bytes).then_some(Bound::Held)
        }
    }

    /// Keeps what wasn't read.
    pub fn skip(&mut self, skipped: Vec<Skipped>) {
        self.counts.skipped += skipped.len() as u64;
        for mut skipped in skipped
            .into_iter()
            .take(SKIPPED.saturating_sub(self.skipped.len()))
        {
            self.secrets.clean(&mut skipped.name);
            self.skipped.push(skipped);
        }
    }

    /// Counts findings that aren't kept.
    pub fn drop_findings(&mut self, code: Code, severity: Severity, number: u64) {
        *self.dropped.entry((code, severity)).or_default() += number;
        *self.counts.of(severity) += number;
        self.counts.left_out += number;
    }

    /// Adds the findings of an input, up to so many of each severity in all; the others are
    /// counted.
    #[expect(clippy::vec_box, reason = "most of them are let go of")]
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

    /// Keeps so many findings, the worst ones, and counts the others: what is only noted crowds no
    /// error out.
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
                    self.counts.left_out += 1;
                    *self
                        .dropped
                        .entry((finding.code, finding.severity))
                        .or_default() += 1;
                    if let (Severity::Error, Some(id)) = (finding.severity, finding.execution) {
                        self.failed_unlisted.insert((finding.place.file, id));
                    }
                }
            }
        }
    }

    /// Adds what became of the units of an input.
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

    /// Adds what another verification of the same run found.
    pub fn absorb(&mut self, other: Self) {
        let (mine, theirs) = (&mut self.counts, other.counts);
        mine.files += theirs.files;
        mine.unopened += theirs.unopened;
        mine.records += theirs.records;
        mine.turns += theirs.turns;
        mine.rules_run = mine.rules_run.max(theirs.rules_run);
        mine.errors += theirs.errors;
        mine.warnings += theirs.warnings;
        mine.notes += theirs.notes;
        mine.left_out += theirs.left_out;
        mine.signatures_unchecked += theirs.signatures_unchecked;
        mine.bytes += theirs.bytes;
        mine.known_inputs += theirs.known_inputs;
        mine.unknown_inputs += theirs.unknown_inputs;
        mine.skipped += theirs.skipped;
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
