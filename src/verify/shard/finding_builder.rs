//! Turns drafts and problems into findings, and keeps them as far as there is room.

use super::{OpenExecution, RootCause, Shard};
use crate::diag::{Code, Finding, Related, Severity};
use crate::rules::{self, Draft, codes};
use crate::trace::Step;
use crate::trace::entry::{Entry, Problem, Record};
use crate::trace::formats::NativeRecord;
use crate::verify::place::{about, help, place, problem_finding, subject_of};
use std::sync::Arc;

impl Shard {
    /// Reports the problems that the reader found in a record; returns the index of the first
    /// finding.
    pub(super) fn problems(
        &mut self,
        live: &mut OpenExecution,
        entry: &Entry<'_>,
    ) -> Option<usize> {
        let mut first = None;
        for problem in &entry.problems {
            if problem.is_scanned() {
                self.scanned(live, entry, problem);
                continue;
            }
            if let Some(finding) = problem_finding(
                &self.file,
                entry,
                problem,
                Some(live.execution.id().clone()),
            ) {
                if let Some(aspect) = rules::by_code(problem.code).and_then(|r| r.aspect) {
                    live.execution.verdict_mut().deny(aspect);
                }
                // Two programs may read a record with duplicate members differently, and a session
                // may have calls where its record can't be read. Nothing that depends on them is
                // certain.
                let in_session = matches!(&entry.record, Record::Native(NativeRecord::Session(_)));
                if problem.code == codes::DUPLICATE_MEMBER
                    || problem.code == codes::SCHEMA_VIOLATION && in_session
                {
                    live.execution.verdict_mut().doubt_all();
                }
                let index = self.keep(finding);
                first = first.or(index);
            }
        }
        first
    }

    /// Reports what the text scan found, once per execution.
    pub(super) fn scanned(
        &mut self,
        live: &mut OpenExecution,
        entry: &Entry<'_>,
        problem: &Problem,
    ) {
        let root = live.scanned.get(&problem.message).copied();
        let Some(found) = problem_finding(
            &self.file,
            entry,
            problem,
            Some(live.execution.id().clone()),
        ) else {
            return;
        };
        let Some(root) = root else {
            if let Some(index) = self.keep(found) {
                live.scanned.insert(problem.message.clone(), index);
            }
            return;
        };
        if self
            .findings
            .get(root)
            .is_some_and(|f| f.place.line != entry.line)
        {
            self.fold(
                Some(RootCause::Finding(root)),
                "the same is here".into(),
                vec![found],
            );
        }
    }

    /// Turns drafts into findings; returns the indices of those that are kept.
    pub(super) fn report(
        &mut self,
        live: &mut OpenExecution,
        drafts: &[Draft],
        entry: Option<&Entry<'_>>,
        step: Option<&Step<'_, '_>>,
    ) -> Vec<usize> {
        let mut kept = Vec::new();
        for draft in drafts {
            let severity = draft.severity.unwrap_or(draft.rule.severity);
            if let Some(aspect) = draft.rule.aspect.filter(|_| severity == Severity::Error) {
                live.execution.verdict_mut().deny(aspect);
            }
            if !self.has_room(draft.rule.code, severity, Some(live.execution.id())) {
                continue;
            }
            let finding = self.finding_of(live, draft, entry, step);
            kept.push(self.findings.push(finding));
        }
        kept
    }

    /// Creates the finding for a draft.
    pub(super) fn finding_of(
        &self,
        live: &OpenExecution,
        draft: &Draft,
        entry: Option<&Entry<'_>>,
        step: Option<&Step<'_, '_>>,
    ) -> Finding {
        let place = place(&self.file, live.execution.last_line(), draft, entry, step);
        // In a turn recorded on one line, a related place may be the place of the finding itself.
        let mut related = Vec::with_capacity(draft.related.len());
        let elsewhere = draft.related.iter().filter(|(line, _)| *line != place.line);
        related.extend(
            elsewhere.map(|(line, message)| Related::new(&self.file, *line, message.as_str())),
        );
        Finding {
            execution: Some(live.execution.id().clone()),
            turn: step.and_then(|s| s.turn.or(live.execution.turn().id)),
            related,
            help: Some(help(draft.rule)),
            about: about(&live.execution, step),
            subject: Some(subject_of(draft, entry, step)),
            severity: draft.severity.unwrap_or(draft.rule.severity),
            ..rules::finding(draft.rule.code, draft.message.as_str(), place)
        }
    }

    pub(super) fn keep(&mut self, finding: Finding) -> Option<usize> {
        self.has_room(finding.code, finding.severity, finding.execution.as_ref())
            .then(|| self.findings.push(finding))
    }

    /// Returns whether one more finding of this severity is kept; otherwise counts it.
    pub(super) fn has_room(
        &mut self,
        code: Code,
        severity: Severity,
        execution: Option<&Arc<str>>,
    ) -> bool {
        if self.findings.has_room(code, severity) {
            return true;
        }
        self.failed(severity, execution);
        false
    }

    /// Counts a finding without keeping it.
    pub(super) fn leave_out(
        &mut self,
        code: Code,
        severity: Severity,
        execution: Option<&Arc<str>>,
    ) {
        self.findings.leave_out(code, severity);
        self.failed(severity, execution);
    }

    /// Records that an execution has an error that isn't kept.
    pub(super) fn failed(&mut self, severity: Severity, execution: Option<&Arc<str>>) {
        if severity == Severity::Error {
            self.failed_unlisted.extend(execution.cloned());
        }
    }
}
