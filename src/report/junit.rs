//! JUnit XML: a suite per input, with a test case per execution and one for the input itself.
//!
//! Errors fail a case; warnings and notes appear in its output. A run that verified nothing is a
//! case with an error, because an empty suite would count as passed.

use super::{Outcome, Run, terminal, words};
use crate::diag::{Finding, Severity};
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::time::Duration;

/// Maximum number of findings listed in one case; the rest is counted.
const LISTED: usize = 100;
/// Maximum number of characters of one finding.
const LINE: usize = 2000;

/// Writes the report. The library drops the characters that XML forbids.
pub(super) fn write(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut suites: BTreeMap<&str, Vec<TestCase>> = BTreeMap::new();
    let mut of_inputs: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    let executions: BTreeSet<(&str, &str)> = run
        .report
        .summaries
        .iter()
        .map(|s| (&*s.file, &*s.id))
        .collect();
    for finding in &run.report.findings {
        let known = finding
            .execution
            .as_deref()
            .is_some_and(|id| executions.contains(&(&*finding.place.file, id)));
        if !known {
            of_inputs
                .entry(&finding.place.file)
                .or_default()
                .push(finding);
        }
    }
    for (file, findings) in of_inputs {
        suites
            .entry(file)
            .or_default()
            .push(case(file, "records", &findings));
    }
    let by_execution = run.by_execution();
    for summary in &run.report.summaries {
        let findings = by_execution
            .get(&(&*summary.file, &*summary.id))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mut one = case(&summary.file, &summary.id, findings);
        one.set_time(Duration::from_millis(summary.duration.unwrap_or(0)));
        let key = (summary.file.clone(), summary.id.clone());
        let failed = summary.failed_unlisted || run.report.failed_unlisted.contains(&key);
        if matches!(one.status, TestCaseStatus::Success { .. }) && failed {
            one.status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            one.status
                .set_message("an error that is counted and not listed")
                .set_type("not-listed");
        }
        if let Some(unenforced) = run
            .unenforced()
            .filter(|_| matches!(one.status, TestCaseStatus::Success { .. }))
        {
            one.status = TestCaseStatus::skipped();
            one.status.set_message(unenforced);
        }
        suites.entry(&summary.file).or_default().push(one);
    }
    let mut report = Report::new("yuangs-verify");
    for (file, cases) in suites {
        let mut suite = TestSuite::new(&*terminal(file));
        suite.add_test_cases(cases);
        report.add_test_suite(suite);
    }
    report.add_test_suite(of_the_run(run));
    let text = report.to_string().map_err(io::Error::other)?;
    writeln!(out, "{}", without_skipped(text.trim_end()))
}

/// Removes the attribute `skipped` of the root element. The library writes it, but the schemas
/// allow it on a suite only.
fn without_skipped(text: &str) -> Cow<'_, str> {
    let root = || {
        let from = text.find("<testsuites ")?;
        let tag = text.get(from..)?.split('>').next()?;
        let (before, rest) = tag.split_once(" skipped=\"")?;
        let (_, after) = rest.split_once('"')?;
        let behind = text.get(from + tag.len()..)?;
        Some(format!("{}{before}{after}{behind}", text.get(..from)?))
    };
    root().map_or(Cow::Borrowed(text), Cow::Owned)
}

fn failure(message: &str, kind: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(message).set_type(kind);
    status
}

/// Creates a suite about the run as a whole: the counts of what was verified, and an error if it
/// was nothing.
fn of_the_run(run: &Run<'_>) -> TestSuite {
    let status = match run.outcome {
        // Errors fail their own cases, so only less severe findings that reach the threshold fail
        // here.
        Outcome::Findings if run.report.counts.errors == 0 => {
            failure(&words::finding_counts(run.report, run.text), "threshold")
        }
        Outcome::Clean | Outcome::Findings => TestCaseStatus::success(),
        Outcome::Unenforced(errors) => failure(&Outcome::not_enforced(*errors), "not-enforced"),
        Outcome::Unable(why) | Outcome::Empty(why) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status
                .set_message(&*terminal(why))
                .set_type("nothing-verified");
            status
        }
    };
    let mut case = TestCase::new("something was verified", status);
    case.set_time(Duration::ZERO);
    case.set_classname("yuangs-verify");
    let looked = words::verified_counts(run.report, run.text);
    let left_out = run.report.counts.left_out;
    let notices: String = run
        .report
        .notices
        .iter()
        .map(|n| format!("\n{}", terminal(n)))
        .collect();
    case.set_system_out(format!(
        "{looked}: {}\n{left_out} of them not listed{notices}",
        words::finding_counts(run.report, run.text)
    ));
    let mut suite = TestSuite::new("yuangs-verify");
    suite.add_property(Property::new("left-out", left_out.to_string()));
    suite.add_test_case(case);
    suite
}

/// Creates a test case with its findings.
fn case(file: &str, name: &str, findings: &[&Finding]) -> TestCase {
    let (errors, others): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|f| f.severity == Severity::Error);
    let status = match errors.first() {
        None => TestCaseStatus::success(),
        Some(first) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let count = words::plural(errors.len() as u64, "error");
            status
                .set_message(format!("{count}; {}", line(first)))
                .set_type(format!("{} {}", first.code, first.name));
            status.set_description(listing(&errors));
            status
        }
    };
    let mut case = TestCase::new(&*terminal(&words::clip(name, LINE)), status);
    case.set_classname(&*terminal(file))
        .set_time(Duration::ZERO);
    if !others.is_empty() {
        case.set_system_out(listing(&others));
    }
    case
}

fn listing(findings: &[&Finding]) -> String {
    let mut lines: Vec<String> = findings.iter().take(LISTED).map(|f| line(f)).collect();
    if let Some(more) = findings.len().checked_sub(LISTED).filter(|n| *n > 0) {
        lines.push(format!(
            "{} not listed",
            words::plural(more as u64, "more finding")
        ));
    }
    lines.join("\n")
}

fn line(finding: &Finding) -> String {
    let message = words::clip(&finding.message, LINE);
    let text = format!(
        "{}[{}] {}: {}: {message}",
        finding.severity,
        finding.code,
        words::position(&finding.place),
        finding.name
    );
    terminal(&text).into_owned()
}
