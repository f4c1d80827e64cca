//! Findings that are kept while an input is read; what is too much is counted.

use super::kept_text::shorten_finding;
use super::report::Dropped;
use crate::diag::{Code, Finding, Severity};

/// Findings, up to a number of each severity.
#[derive(Debug)]
pub(super) struct Kept {
    /// In the order in which they were found; `None`: it has made room for a worse one.
    findings: Vec<Option<Box<Finding>>>,
    most: usize,
    /// How many may be kept in all.
    in_all: usize,
    by_severity: [usize; 3],
    /// Where a finding of each severity may stand that can still make room: there is none behind
    /// that.
    last: [usize; 3],
    /// How many weren't kept.
    pub(super) dropped: Dropped,
}

impl Kept {
    /// Room for `most` findings of each severity. `in_all`: and no more than that together, the
    /// worst ones.
    pub(super) fn new(most: usize, in_all: bool) -> Self {
        let in_all = if in_all { most } else { usize::MAX };
        Self {
            findings: Vec::new(),
            most,
            in_all,
            by_severity: [0; 3],
            last: [0; 3],
            dropped: Dropped::new(),
        }
    }

    /// Whether one more finding of this severity is kept; otherwise it is counted.
    pub(super) fn has_room(&mut self, code: Code, severity: Severity) -> bool {
        let as_bad: usize = self.by_severity.iter().skip(severity as usize).sum();
        if as_bad < self.in_all
            && self
                .by_severity
                .get(severity as usize)
                .is_some_and(|kept| *kept < self.most)
        {
            return true;
        }
        *self.dropped.entry((code, severity)).or_default() += 1;
        false
    }

    /// Keeps a finding that there is room for; returns where.
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

    /// Lets the last one go of the findings that are least bad, if it is better than `severity`: it
    /// wouldn't be listed. One that others are folded under stays, since they are to be counted
    /// where it is turned off.
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

    /// The finding that was kept there; `None` when it has made room since.
    pub(super) fn get(&self, index: usize) -> Option<&Finding> {
        self.findings.get(index)?.as_deref()
    }

    /// As [`Self::get`], to change it.
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Finding> {
        self.findings.get_mut(index)?.as_deref_mut()
    }

    /// Keeps a finding or counts it.
    pub(super) fn add(&mut self, finding: Finding) -> Option<usize> {
        self.has_room(finding.code, finding.severity)
            .then(|| self.push(finding))
    }

    /// The findings, and how many weren't kept.
    #[expect(
        clippy::vec_box,
        reason = "they are moved and sorted, and most are let go of then"
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

    fn lines(kept: Kept) -> Vec<(Severity, u64)> {
        kept.into_parts()
            .0
            .iter()
            .map(|f| (f.severity, f.place.line))
            .collect()
    }

    #[test]
    fn worse_findings_take_the_room_of_the_last_that_are_less_bad() {
        use Severity::{Error, Note, Warning};
        let mut kept = Kept::new(4, true);
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
        let mut kept = Kept::new(2, true);
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
        let mut kept = Kept::new(2, false);
        for line in 1..4 {
            kept.add(finding(Severity::Note, line));
            kept.add(finding(Severity::Error, line));
        }
        assert_eq!(lines(kept).len(), 4);
    }
}
