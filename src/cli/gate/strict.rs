//! Requirements of a gate in addition to the rules: every file is read, answers are *yes*, and no
//! trace is truncated.

use crate::config::{Demand, Unterminated};
use crate::diag::{Code, Finding, Place, Severity};
use crate::replay::{Answer, Summary};
use crate::rules;
use crate::source::{Input, Skipped, stored_hash};
use crate::verify::{Counts, InputUnits, Report};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of unread files with findings of their own.
const LISTED: usize = 1_000;
/// Codes of truncation: an execution that doesn't end, and a record that doesn't.
const CUT: [Code; 2] = [Code(104), Code(203)];

/// Reports an error for every file that isn't read (YV111).
pub(super) fn unread(report: &mut Report, skipped: Vec<Skipped>) {
    for skipped in skipped.iter().take(LISTED) {
        let message = format!("the file is neither read nor excluded: {}", skipped.reason);
        let place = Place {
            file: skipped.name.as_str().into(),
            ..Place::default()
        };
        let help = "add it to [traces] include if it is a trace, otherwise to exclude";
        // A baseline accepts the current content, not other content in its place.
        let subject = Some(stored_hash(&Input::File(skipped.path.clone())).into());
        add(
            report,
            Finding {
                help: Some(help.to_owned()),
                subject,
                ..error(111, place, message)
            },
        );
    }
    let rest = skipped.len().saturating_sub(LISTED) as u64;
    if rest > 0 {
        report.drop_findings(Code(111), Severity::Error, rest);
    }
    report.skip(skipped);
}

/// Raises findings about truncated traces to errors.
pub(super) fn unterminated(report: &mut Report, unterminated: Unterminated) {
    if unterminated != Unterminated::Error {
        return;
    }
    // Folded findings are counted only once they are shown on their own.
    let cut = |f: &&mut Finding| CUT.contains(&f.code) && f.severity < Severity::Error;
    for root in &mut report.findings {
        root.related
            .iter_mut()
            .flat_map(|r| &mut r.folded)
            .filter(cut)
            .for_each(|folded| folded.severity = Severity::Error);
        let unlisted = std::mem::take(&mut root.unlisted);
        for ((code, severity), number) in unlisted {
            let severity = if CUT.contains(&code) {
                Severity::Error
            } else {
                severity
            };
            *root.unlisted.entry((code, severity)).or_default() += number;
        }
    }
    for finding in report.findings.iter_mut().filter(cut) {
        let counted = report.counts.counter(finding.severity);
        *counted = counted.saturating_sub(1);
        finding.severity = Severity::Error;
        report.counts.count(Severity::Error);
    }
    let dropped = std::mem::take(&mut report.dropped);
    for ((code, severity), number) in dropped {
        let severity = if CUT.contains(&code) {
            let counted = report.counts.counter(severity);
            *counted = counted.saturating_sub(number);
            *report.counts.counter(Severity::Error) += number;
            Severity::Error
        } else {
            severity
        };
        *report.dropped.entry((code, severity)).or_default() += number;
    }
}

/// Reports an error for every execution with a required answer other than *yes* (YV212). A *no* has
/// its own error.
pub(super) fn demands(report: &mut Report, demands: &[Demand]) {
    let listed = report
        .findings
        .iter()
        .filter(|f| f.severity == Severity::Error);
    let mut failed: BTreeSet<(Arc<str>, Arc<str>)> = listed
        .filter_map(|f| Some((f.place.file.clone(), f.execution.clone()?)))
        .collect();
    failed.extend(report.failed_unlisted.iter().cloned());
    let missing: Vec<Finding> = report
        .summaries
        .iter()
        .filter_map(|summary| lacking(summary, demands, &failed))
        .collect();
    for finding in missing.into_iter().chain(silent(report, demands)) {
        add(report, finding);
    }
}

/// Reports inputs in which no execution has an answer: for example a record of commands only, or an
/// empty file. Inputs with unknown or unreadable records already have an error.
fn silent(report: &Report, demands: &[Demand]) -> Vec<Finding> {
    if demands.is_empty() {
        return Vec::new();
    }
    let answering: BTreeSet<&str> = report.summaries.iter().map(|s| &*s.file).collect();
    let is_asked = |i: &&InputUnits| {
        !i.path.is_empty() && (i.format.is_some() || i.units.total() == i.units.blank)
    };
    let silent = report
        .inputs
        .iter()
        .filter(is_asked)
        .filter(|i| !answering.contains(&*i.path));
    let message =
        "the configuration asks for answers ([traces] require), and no execution in it gives one"
            .to_owned();
    let subject = || Some("no execution".into());
    let at = |file: Arc<str>| Finding {
        subject: subject(),
        ..error(
            212,
            Place {
                file,
                ..Place::default()
            },
            message.clone(),
        )
    };
    let mut all: Vec<Finding> = silent.map(|input| at(input.path.clone())).collect();
    // The report doesn't list all inputs.
    let Counts {
        files,
        unopened,
        unknown_inputs,
        ..
    } = report.counts;
    if report.inputs_left_out > 0
        && files.saturating_sub(unopened + unknown_inputs) > (answering.len() + all.len()) as u64
    {
        all.push(at("".into()));
    }
    all
}

/// Returns the finding about an execution that lacks a required answer.
fn lacking(
    summary: &Summary,
    demands: &[Demand],
    failed: &BTreeSet<(Arc<str>, Arc<str>)>,
) -> Option<Finding> {
    let answer = |demand: Demand| demand.answer(&summary.verdict);
    let said =
        summary.failed_unlisted || failed.contains(&(summary.file.clone(), summary.id.clone()));
    let counts = |answer| answer == Answer::NotRecorded || (answer == Answer::No && !said);
    let all: Vec<String> = Demand::ALL
        .into_iter()
        .filter(|demand| demands.contains(demand) && counts(answer(*demand)))
        .map(|demand| format!("`{}` is *{}*", demand.name(), answer(demand).name()))
        .collect();
    if all.is_empty() {
        return None;
    }
    let message = format!(
        "the configuration asks for *yes* ([traces] require): {}",
        all.join(", ")
    );
    let place = Place {
        file: summary.file.clone(),
        line: summary.line,
        ..Place::default()
    };
    let subject = Some("required answers".into());
    Some(Finding {
        execution: Some(summary.id.clone()),
        subject,
        ..error(212, place, message)
    })
}

/// Creates a finding of a gate, which is an error whatever the rule's own severity.
pub(super) fn error(code: u16, place: Place, message: String) -> Finding {
    let code = Code(code);
    Finding {
        severity: Severity::Error,
        help: Some(format!(
            "run `yuangs-verify explain {code}` for why this matters and how to fix it"
        )),
        ..rules::finding(code, message, place)
    }
}

/// Adds and counts a finding, with secrets of the traces masked.
pub(super) fn add(report: &mut Report, mut finding: Finding) {
    report.secrets.clean(&mut finding.message);
    report.counts.count(finding.severity);
    report.findings.push(finding);
}
