//! Reads decisions that are recorded apart from the sessions, and reports those whose call doesn't
//! exist.

use super::{Options, Report, watch};
use crate::diag::{Code, Finding, Place, assign_fingerprints, subject};
use crate::replay::Sidecar;
use crate::rules;
use crate::source::{Found, Missing};
use crate::trace::record::CallOutcome;
use crate::trace::{Record, v1};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads the decisions in inputs. The report contains what couldn't be read.
#[must_use]
pub fn read_decisions(inputs: &[Result<Found, Missing>], options: &Options) -> (Sidecar, Report) {
    let mut sidecar = Sidecar::default();
    let mut files: BTreeMap<String, Arc<str>> = BTreeMap::new();
    let report = watch(inputs, options, None, &mut |file, execution, entry| {
        let Record::V1(v1::Record::Call(call)) = &entry.record else {
            return;
        };
        // A text that mentions a rejection isn't a decision.
        let Some(decision) = call
            .decision
            .as_ref()
            .filter(|_| call.outcome != CallOutcome::RejectedByText)
        else {
            return;
        };
        let file = files.entry(file.to_owned()).or_insert_with(|| file.into());
        sidecar.add(
            (execution, &call.call_id.decode()),
            (decision.status, decision.by),
            (file, entry.line),
        );
    });
    (sidecar, report)
}

/// Adds a finding for each decision about a call that its session doesn't contain. Sessions that
/// weren't read have no findings.
pub fn report_unmatched_decisions(report: &mut Report, sidecar: &Sidecar) {
    let read = |session: &str| {
        report
            .summaries
            .iter()
            .any(|s| s.id.split('/').next() == Some(session))
    };
    let mut findings: Vec<Finding> = sidecar
        .unmet()
        .filter(|(session, ..)| read(session))
        .map(|(session, call, decision)| {
            let place = Place {
                file: decision.file.clone(),
                line: decision.line,
                ..Place::default()
            };
            let message = format!(
                "the session `{session}` doesn't hold the call `{call}`, which was {} here",
                decision.ruling.name()
            );
            Finding {
                execution: Some(session.into()),
                subject: Some(subject([session, call])),
                ..rules::finding(Code(328), message, place)
            }
        })
        .collect();
    findings.sort_by_cached_key(Finding::order);
    for mut finding in findings {
        report.counts.count(finding.severity);
        report.secrets.clean(&mut finding.message);
        report.findings.push(finding);
    }
    report.findings.sort_by_cached_key(Finding::order);
    assign_fingerprints(&mut report.findings);
}
