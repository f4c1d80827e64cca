//! Folds equal notes: one that repeats for thousands of executions is shown once, with a count.

use crate::diag::{Code, Finding, Severity};
use std::collections::BTreeMap;

/// A finding, and the findings with the same rule and message.
#[derive(Debug)]
pub(super) struct Group<'f> {
    pub(super) first: &'f Finding,
    pub(super) same: Vec<&'f Finding>,
}

/// Groups notes by rule and message, each group at the position of its first note. Errors and
/// warnings are never grouped, because each one must be read.
pub(super) fn fold<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Vec<Group<'f>> {
    let mut groups: Vec<Group<'f>> = Vec::new();
    let mut known: BTreeMap<(Code, &str), usize> = BTreeMap::new();
    for finding in findings {
        let key = (finding.code, &*finding.message);
        let group = known
            .get(&key)
            .filter(|_| finding.severity == Severity::Note)
            .and_then(|n| groups.get_mut(*n));
        if let Some(group) = group {
            group.same.push(finding);
            continue;
        }
        if finding.severity == Severity::Note {
            known.insert(key, groups.len());
        }
        groups.push(Group {
            first: finding,
            same: Vec::new(),
        });
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Place;
    use crate::rules;

    fn finding(code: u16, message: &str, severity: Severity) -> Finding {
        Finding {
            severity,
            ..rules::finding(Code(code), message, Place::default())
        }
    }

    #[test]
    fn only_equal_notes_are_folded() {
        let all = [
            finding(212, "a", Severity::Note),
            finding(212, "b", Severity::Note),
            finding(212, "a", Severity::Note),
            finding(606, "a", Severity::Note),
            finding(212, "a", Severity::Error),
            finding(212, "a", Severity::Error),
            finding(212, "a", Severity::Note),
        ];
        let counts: Vec<usize> = fold(&all).iter().map(|g| g.same.len()).collect();
        assert_eq!(counts, [2, 0, 0, 0, 0]);
    }
}
