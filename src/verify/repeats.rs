//! Finds actions that were rejected in one file of a session and executed in another: the file of a
//! sub-agent, or of a session that was resumed. `convert` writes such files as executions of one
//! file.

use super::Report;
use crate::diag::{Finding, Place, Related, Severity};
use crate::replay::{RejectedAction, SessionActions, Summary, session_of};
use crate::rules::{self, codes};
use governance::FsmVersion;
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

/// Returns the ids of converted sessions, without those of their sub-agents.
///
/// A converted execution no longer says who named it. If `a` is a session, `a/b` is a sub-agent of
/// it; without one, the ids may name samples of one file, which have nothing to do with each other.
fn converted_sessions(summaries: &[Summary]) -> BTreeSet<&str> {
    let ids = summaries.iter().filter(|s| is_converted(s));
    ids.map(|summary| &*summary.id)
        .filter(|id| session_of(id) == *id)
        .collect()
}

/// Returns whether a session's records are `ExecutionRecord`s.
fn is_converted(summary: &Summary) -> bool {
    summary.format.name() == "execution-record" && summary.version == FsmVersion::Session
}

/// Returns the part of a session that an execution belongs to: a file, or an execution of one.
fn part(summary: &Summary) -> (&str, Option<&str>) {
    let execution = is_converted(summary).then_some(&*summary.id);
    (&summary.file, execution)
}

/// Returns whether two executions are different parts of a session. Converted sessions of one id
/// are one execution, or have nothing but a name in common.
fn are_apart(one: &Summary, other: &Summary) -> bool {
    let are_converted = is_converted(one) && is_converted(other);
    part(one) != part(other) && !(are_converted && one.id == other.id)
}

/// Reports actions executed in one file after they were rejected in another file of the session
/// (YV324).
pub(super) fn report_repeats(report: &mut Report) {
    let converted = converted_sessions(&report.summaries);
    let mut sessions: BTreeMap<&str, Vec<(&Summary, &SessionActions)>> = BTreeMap::new();
    for summary in &report.summaries {
        if let Some(actions) = &summary.actions_of_session
            && (NAMED.contains(&summary.format.name())
                || is_converted(summary) && converted.contains(session_of(&summary.id)))
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
            let mut seen = BTreeSet::new();
            for (summary, actions) in &parts {
                let Some(ran) = actions.ran(key) else {
                    continue;
                };
                let elsewhere = are_apart(summary, place) && !actions.has_rejected(key);
                let later = ran.time.millis() > rejected.time.millis();
                // A file may repeat, and report, calls of another one.
                let beside = parts.iter().filter(|(s, _)| part(s) == part(place));
                let copied = beside
                    .filter_map(|(_, actions)| actions.ran(key))
                    .any(|other| other.is_same_call(ran));
                if elsewhere
                    && later
                    && !ran.reported
                    && !copied
                    && !ran.is_of(rejected)
                    && seen.insert(part(summary))
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
        "the same action was rejected before, and ran, or may have run, in another {} of the session \
         without an approval on record",
        if summary.file == before.file {
            "execution"
        } else {
            "file"
        }
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
