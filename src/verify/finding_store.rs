//! A bounded list of findings, kept while an input is read. Findings beyond the bounds are only
//! counted.

use super::kept_text::shorten_finding;
use super::report::Dropped;
use crate::diag::{Code, Finding, Severity};

/// Findings, up to a maximum number of each severity.
#[derive(Debug)]
pub(super) struct FindingStore {
    /// In the order of discovery. `None` marks a finding that was removed to make room for a more
    /// severe one; indices stay valid.
    findings: Vec<Option<Box<Finding>>>,
    most: usize,
    /// The only code to keep; findings with others aren't even counted.
    only: Option<Code>,
    /// Maximum total number.
    in_all: usize,
    by_severity: [usize; 3],
    /// For each severity, the end of the range that may contain a finding to remove.
    last: [usize; 3],
    /// Counts of the findings that weren't kept.
    pub(super) dropped: Dropped,
}

impl FindingStore {
    /// Creates a list for `most` findings of each severity. With `in_all`, it keeps at most `most`
    /// in total, the most severe ones.
    pub(super) fn new(most: usize, in_all: bool) -> Self {
        let in_all = if in_all { most } else { usize::MAX };
        Self {
            findings: Vec::new(),
            most,
            only: None,
            in_all,
            by_severity: [0; 3],
            last: [0; 3],
            dropped: Dropped::new(),
        }
    }

    /// Keeps only findings with this code, and doesn't count the others.
    pub(super) const fn keep_only(&mut self, code: Option<Code>) {
        self.only = code;
    }

    /// Counts a finding that isn't kept.
    pub(super) fn leave_out(&mut self, code: Code, severity: Severity) {
        if self.only.is_none_or(|only| only == code) {
            *self.dropped.entry((code, severity)).or_default() += 1;
        }
    }

    /// Returns whether one more finding of this severity may be kept; otherwise counts it.
    pub(super) fn has_room(&mut self, code: Code, severity: Severity) -> bool {
        if self.only.is_some_and(|only| only != code) {
            return false;
        }
        let as_bad: usize = self.by_severity.iter().skip(severity as usize).sum();
        if as_bad < self.in_all
            && self
                .by_severity
                .get(severity as usize)
                .is_some_and(|kept| *kept < self.most)
        {
            return true;
        }
        self.leave_out(code, severity);
        false
    }

    /// Adds a finding for which there is room; returns its index.
    pub(super) fn push(&mut self, mut finding: Finding) -> usize {
        shorten_finding(&mut finding);
        if self.by_severity.iter().sum::<usize>() >= self.in_all {
            self.make_room(finding.severity);
        }
        if let Some(kept) = self.by_severity.get_mut(finding.severity as usize) {
            *kept += 1;
        }
        if let Some(last) = self.last.get_mut(finding.severity as usize) {
            *last = self.findings.len() + 1;
        }
        self.findings.push(Some(Box::new(finding)));
        self.findings.len() - 1
    }

    /// Removes the last finding of the lowest severity, if that is below `severity`, since it
    /// wouldn't be listed. A finding with others folded under it stays, because they count if it is
    /// turned off.
    fn make_room(&mut self, severity: Severity) {
        let Some(mildest) = self
            .by_severity
            .iter()
            .position(|kept| *kept > 0)
            .filter(|mildest| *mildest < severity as usize)
        else {
            return;
        };
        let (Some(kept), Some(last)) = (
            self.by_severity.get_mut(mildest),
            self.last.get_mut(mildest),
        ) else {
            return;
        };
        let before = self
            .findings
            .get_mut(..*last)
            .unwrap_or_default()
            .iter_mut()
            .enumerate()
            .rev();
        for (n, slot) in before {
            let alone = |finding: &Finding| {
                finding.unlisted.is_empty() && finding.folded().next().is_none()
            };
            if let Some(finding) =
                slot.take_if(|finding| finding.severity as usize == mildest && alone(finding))
            {
                *self
                    .dropped
                    .entry((finding.code, finding.severity))
                    .or_default() += 1;
                (*kept, *last) = (*kept - 1, n);
                return;
            }
        }
    }

    /// Returns the finding at an index; `None` if it was removed since.
    pub(super) fn get(&self, index: usize) -> Option<&Finding> {
        self.findings.get(index)?.as_deref()
    }

    /// Like [`Self::get`], but mutable.
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Finding> {
        self.findings.get_mut(index)?.as_deref_mut()
    }

    /// Adds a finding if there is room, otherwise counts it.
    pub(super) fn add(&mut self, finding: Finding) -> Option<usize> {
        self.has_room(finding.code, finding.severity)
            .then(|| self.push(finding))
    }

    /// Returns the findings, and counts of those that weren't kept.
    #[expect(
        clippy::vec_box,
        reason = "they are moved and sorted, and most are then dropped"
    )]
    pub(super) fn into_parts(self) -> (Vec<Box<Finding>>, Dropped) {
        (self.findings.into_iter().flatten().collect(), self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Place;

    fn finding(severity: Severity, line: u64) -> Finding {
        Finding::new(
            Code(300),
            "name",
            severity,
            "",
            Place {
                line,
                ..Place::default()
            },
        )
    }

    fn lines(kept: FindingStore) -> Vec<(Severity, u64)> {
        kept.into_parts()
            .0
            .iter()
            .map(|f| (f.severity, f.place.line))
            .collect()
    }

    #[test]
    fn worse_findings_take_the_room_of_the_last_that_are_less_bad() {
        use Severity::{Error, Note, Warning};
        let mut kept = FindingStore::new(4, true);
        let all = [
            (Note, 1),
            (Warning, 2),
            (Error, 3),
            (Note, 4),
            (Warning, 5),
            (Note, 6),
            (Error, 7),
            (Error, 8),
        ];
        let at: Vec<_> = all
            .iter()
            .map(|(severity, line)| kept.add(finding(*severity, *line)))
            .collect();
        assert_eq!(
            at,
            [
                Some(0),
                Some(1),
                Some(2),
                Some(3),
                Some(4),
                None,
                Some(5),
                Some(6)
            ]
        );
        assert_eq!(kept.get(0), None, "it has made room");
        assert_eq!(kept.get(1).map(|f| f.place.line), Some(2));
        assert_eq!(
            kept.dropped,
            [((Code(300), Note), 3), ((Code(300), Warning), 1)].into()
        );
        assert_eq!(kept.add(finding(Warning, 9)), None);
        assert!(kept.add(finding(Error, 10)).is_some());
        assert_eq!(kept.add(finding(Error, 11)), None);
        assert_eq!(
            lines(kept),
            [(Error, 3), (Error, 7), (Error, 8), (Error, 10)]
        );
    }

    #[test]
    fn a_finding_with_others_folded_under_it_makes_no_room() {
        let mut kept = FindingStore::new(2, true);
        let mut root = finding(Severity::Warning, 1);
        root.unlisted.insert((Code(102), Severity::Error), 3);
        kept.add(root);
        for line in 2..4 {
            kept.add(finding(Severity::Warning, line));
            kept.add(finding(Severity::Error, line));
        }
        assert_eq!(kept.get(0).map(|f| f.place.line), Some(1));
        assert_eq!(
            lines(kept),
            [
                (Severity::Warning, 1),
                (Severity::Error, 2),
                (Severity::Error, 3)
            ]
        );
    }

    #[test]
    fn where_all_are_asked_for_none_makes_room() {
        let mut kept = FindingStore::new(2, false);
        for line in 1..4 {
            kept.add(finding(Severity::Note, line));
            kept.add(finding(Severity::Error, line));
        }
        assert_eq!(lines(kept).len(), 4);
    }
}
