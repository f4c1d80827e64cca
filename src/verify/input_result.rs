//! The results of one input, before they are added to a report.
//!
//! Everything that depends on other inputs happens when they are added, in input order: the
//! comparison of signatures, and the limits on findings and turns. The texts contain no secrets of
//! the input.

use super::Options;
use super::piece::Piece;
use super::report::{Counts, Dropped, Report};
use super::signed::{self, SignedDecisions};
use super::timeline::{self, Timeline};
use super::units::{InputUnits, Units};
use crate::diag::{Code, Finding, Severity};
use crate::replay::Summary;
use crate::rules;
use crate::trace::Format;
use borsh::{BorshDeserialize, BorshSerialize};
use content_scan::mask::Mask;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a command keeps of an input or a piece of it.
#[derive(Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Kept {
    pub bytes: Vec<u8>,
    /// Number of lines of the input before the piece.
    pub lines_before: u64,
}

/// The results of one input.
#[derive(Debug, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct InputResult {
    /// Name of the input.
    pub(super) file: Arc<str>,
    /// The format as which it was read; `None` if unknown.
    pub(super) format: Option<Format>,
    pub(super) units: Units,
    /// What was counted, without the findings.
    pub(super) counts: Counts,
    pub(super) summaries: Vec<Summary>,
    #[expect(clippy::vec_box, reason = "see `FindingStore::into_parts`")]
    pub(super) findings: Vec<Box<Finding>>,
    pub(super) dropped: Dropped,
    /// Ids of executions with an error that wasn't kept.
    pub(super) failed_unlisted: BTreeSet<Arc<str>>,
    pub(super) signed: SignedDecisions,
    /// Names of the lines, if there are signed decisions and each line is a document of its own.
    pub(super) names: Vec<String>,
    pub(super) timeline: Timeline,
    /// The piece of the input that this is the result of, if it wasn't read whole.
    pub(super) piece: Option<Piece>,
    /// What a command keeps instead of findings and turns, of each piece.
    pub(super) condensed: Vec<Kept>,
    /// The secrets that the input contains.
    #[borsh(skip)]
    pub(super) mask: Mask,
}

impl InputResult {
    /// Names the rules of the findings after reading them; returns false if one is unknown.
    pub(super) fn name_rules(&mut self) -> bool {
        self.findings.iter_mut().all(|finding| name_rule(finding))
    }

    /// Returns whether its counts are those of an input that can exist, so that they can be added.
    pub(super) fn is_plausible(&self) -> bool {
        const MOST: u64 = 1 << 48;
        let executions = self.summaries.iter().flat_map(|summary| {
            let Summary {
                turns,
                actions,
                decisions,
                signatures_unchecked,
                ..
            } = *summary;
            [turns, actions, decisions, signatures_unchecked]
        });
        let mut counts = (self.counts.all().into_iter())
            .chain(self.dropped.values().copied())
            .chain(executions)
            .chain([self.units.total(), self.timeline.left_out]);
        counts.all(|count| count < MOST) && self.piece.as_ref().is_none_or(Piece::is_plausible)
    }

    /// Counts a finding that isn't kept.
    pub(super) fn drop_finding(&mut self, code: Code, severity: Severity) {
        let count = self.dropped.entry((code, severity)).or_default();
        *count = count.saturating_add(1);
    }

    /// Adds counts of findings that weren't kept.
    pub(super) fn drop_all(&mut self, dropped: Dropped) {
        for (kind, number) in dropped {
            let count = self.dropped.entry(kind).or_default();
            *count = count.saturating_add(number);
        }
    }
}

impl Report {
    /// Adds the results of the next input.
    pub(super) fn add(&mut self, mut result: InputResult, options: &Options) {
        self.counts.add(&result.counts);
        let is_silent = result.summaries.iter().all(Summary::shows_nothing);
        let is_known = result.format.is_some() && result.units.total() > 0;
        if is_known && is_silent && !options.schema_only {
            self.add_silent(&result.file);
        }
        for ((code, severity), number) in result.dropped {
            self.drop_findings(code, severity, number);
        }
        let copied = signed::compare(self, &mut result.summaries, &result.file, result.signed);
        for mut finding in copied {
            name_line(&mut finding, &result.names);
            result.findings.push(Box::new(finding));
        }
        self.held += result.summaries.iter().map(Summary::weight).sum::<usize>();
        self.summaries.append(&mut result.summaries);
        let file = &result.file;
        let failed = result.failed_unlisted.into_iter();
        self.failed_unlisted
            .extend(failed.map(|id| (file.clone(), id)));
        timeline::merge(&mut self.timeline, vec![result.timeline], options.max_turns);
        self.keep(result.findings, options.kept_findings());
        self.secrets.absorb(result.mask);
        self.add_input(InputUnits {
            path: result.file,
            format: result.format.map(Format::name),
            units: result.units,
        });
    }
}

/// Adds the name of its line to a finding's message, if the lines have names.
pub(super) fn name_line(finding: &mut Finding, names: &[String]) {
    let line = usize::try_from(finding.place.line).ok();
    let name = line
        .and_then(|line| line.checked_sub(1))
        .and_then(|n| names.get(n));
    if let Some(name) = name {
        finding.message.push_str(&format!(" (in `{name}`)"));
    }
}

fn name_rule(finding: &mut Finding) -> bool {
    let Some(rule) = rules::by_code(finding.code) else {
        return false;
    };
    finding.name = rule.name;
    let mut folded = finding.related.iter_mut().flat_map(|r| &mut r.folded);
    folded.all(name_rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_no_input_has_are_refused() {
        let mut result = InputResult::default();
        result.counts.records = 1 << 40;
        assert!(result.is_plausible());
        result.counts.skipped = u64::MAX;
        assert!(!result.is_plausible());
        result = InputResult::default();
        result.units.steps = 1 << 60;
        assert!(!result.is_plausible());
    }
}
