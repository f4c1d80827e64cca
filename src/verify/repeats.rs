//! Finds actions that were rejected in one file of a session and executed in another: the file of a
//! sub-agent, or of a session that was resumed.

use super::Report;
use crate::diag::{Finding, Place, Related, Severity};
use crate::replay::{RejectedAction, SessionActions, Summary, session_of};
use crate::rules::{self, codes};
use std::collections::{BTreeMap, BTreeSet};

/// Formats whose records name their session. The others name it after the file, and two files of
/// one name aren't one session.
const NAMED: [&str; 6] = [
    "claude-code",
    "codex",
    "codex-log",
    "copilot-cli",
    "gemini-cli",
    "pi",
];

/// Reports actions executed in one file after they were rejected in another file of the session
/// (YV324).
pub(super) fn report_repeats(report: &mut Report) {
    let mut sessions: BTreeMap<&str, Vec<(&Summary, &SessionActions)>> = BTreeMap::new();
    for summary in &report.summaries {
        if let Some(actions) = &summary.actions_of_session
            && NAMED.contains(&summary.format.name())
        {
            let session = sessions.entry(session_of(&summary.id)).or_default();
            session.push((summary, actions));
        }
    }
    let mut findings = Vec::new();
    for parts in sessions.into_values().filter(|parts| parts.len() > 1) {
        // The first rejection of each action.
        let mut first: BTreeMap<u64, (&Summary, &RejectedAction)> = BTreeMap::new();
        for (summary, actions) in &parts {
            for (key, rejected) in actions.rejected() {
                let known = first.entry(key).or_insert((summary, rejected));
                if rejected.time.millis() < known.1.time.millis() {
                    *known = (summary, rejected);
                }
            }
        }
        for (key, (place, rejected)) in first {
            let mut files = BTreeSet::new();
            for (summary, actions) in &parts {
                let Some(ran) = actions.ran(key) else {
                    continue;
                };
                let elsewhere = summary.file != place.file && !actions.has_rejected(key);
                let later = ran.time.millis() > rejected.time.millis();
                // A file may repeat, and report, calls of another one.
                let beside = parts.iter().filter(|(s, _)| s.file == place.file);
                let copied = beside
                    .filter_map(|(_, actions)| actions.ran(key))
                    .any(|other| other.is_same_call(ran));
                if elsewhere
                    && later
                    && !ran.reported
                    && !copied
                    && !ran.is_of(&rejected.id)
                    && files.insert(&summary.file)
                {
                    findings.push(finding((place, rejected), summary, actions, ran.line));
                }
            }
        }
    }
    for mut finding in findings {
        report.counts.count(finding.severity);
        report.secrets.clean(&mut finding.message);
        report.findings.push(finding);
    }
}

fn finding(
    (before, rejected): (&Summary, &RejectedAction),
    summary: &Summary,
    actions: &SessionActions,
    line: u64,
) -> Finding {
    let place = Place {
        file: summary.file.clone(),
        line,
        ..Place::default()
    };
    let message = format!(
        "the same action was rejected before as `{}`, and ran, or may have run, \
         in another file of the session without an approval on record",
        rejected.id
    );
    let mut finding = Finding {
        execution: Some(summary.id.clone()),
        subject: Some(rejected.id.as_ref().into()),
        ..rules::finding(codes::REPEATED_AFTER_REJECTION, message, place)
    };
    finding.relate(Related::new(
        &before.file,
        rejected.line,
        "it was rejected here",
    ));
    if !actions.records_decisions {
        finding.severity = Severity::Note;
    }
    finding
}
