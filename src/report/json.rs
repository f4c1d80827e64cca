//! JSON: one versioned object with the schema `report`. docs/report.md describes the members.

use crate::diag::{Finding, Severity};
use crate::replay::{Summary, Verdict};
use crate::verify::account::Account;
use crate::verify::{InputUnits, Report, Units};
use governance::{Event, State};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};
use text_safety::escape::json::Harmless;
pub(super) use text_safety::escape::json::harmless;

/// Version of this shape. New members don't change it; a change of meaning does.
const VERSION: u32 = 1;

/// The report of a verification.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document<'r> {
    pub version: u32,
    pub tool: Tool,
    pub summary: SummaryCounts,
    /// The counts of units (lines, or elements of a document) of each input.
    pub inputs: Vec<InputReport<'r>>,
    /// Number of inputs that the last entry of `inputs` combines, because there are too many to
    /// list.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub inputs_left_out: u64,
    #[schemars(with = "Vec<ExecutionReport<'_>>")]
    pub executions: Executions<'r>,
    pub findings: Vec<FindingReport<'r>>,
    /// Files under the given paths that weren't read. `summary.skipped` also counts those that
    /// aren't listed.
    pub skipped: Vec<SkippedReport<'r>>,
    /// Notices for the reader, such as findings that the configuration suppresses or checks that
    /// weren't run.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub notices: &'r [String],
    /// The result of comparing the recorded changes with a revision, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<&'r Account>,
}

/// The program that made the report.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tool {
    pub name: &'static str,
    pub version: &'static str,
}

/// An input. `units` is the sum of the counts after it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InputReport<'r> {
    pub path: &'r str,
    /// Name of the format; null when it is unknown.
    pub format: Option<&'static str>,
    pub units: u64,
    #[serde(flatten)]
    pub counts: Units,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
pub(super) fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The amount of data that was verified, and the number of findings.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryCounts {
    pub files: u64,
    pub records: u64,
    pub executions: u64,
    pub turns: u64,
    pub rules_run: u64,
    pub by_severity: BySeverity,
    /// Number of findings that are counted here and not listed in `findings`.
    pub left_out: u64,
    /// Number of signatures that weren't verified because no trust file was given.
    pub signatures_unchecked: u64,
    /// Number of files under the given paths that weren't read.
    pub skipped: u64,
}

/// A file that wasn't read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkippedReport<'r> {
    pub path: &'r str,
    pub reason: &'r str,
}

/// Number of findings by severity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BySeverity {
    pub error: u64,
    pub warning: u64,
    pub note: u64,
}

/// The executions. Each is converted only when it is written, because there may be very many.
#[derive(Debug)]
pub struct Executions<'r> {
    summaries: &'r [Summary],
    /// Fingerprints by file and execution.
    findings: BTreeMap<(&'r str, &'r str), Vec<&'r str>>,
}

impl<'r> Executions<'r> {
    /// Iterates over the reports of the executions, in input order.
    pub fn iter(&self) -> impl Iterator<Item = ExecutionReport<'r>> {
        self.summaries.iter().map(|summary| {
            let findings = self
                .findings
                .get(&(&*summary.file, &*summary.id))
                .cloned()
                .unwrap_or_default();
            execution(summary, findings)
        })
    }
}

impl Serialize for Executions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// One execution.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionReport<'r> {
    pub execution_id: &'r str,
    pub file: &'r str,
    pub line: u64,
    pub format: &'r str,
    pub fsm_version: &'r str,
    pub verdict: Verdict,
    pub turns: u64,
    pub actions: u64,
    pub decisions: u64,
    pub final_state: Option<State>,
    pub outcome: Option<&'r str>,
    /// The first illegal event of the path, with the shortest prefix that leads to it; absent for a
    /// legal path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<ViolationReport>,
    /// Fingerprints of the execution's findings.
    pub findings: Vec<&'r str>,
}

/// The first illegal event of a path.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViolationReport {
    pub line: u64,
    #[serde(serialize_with = "written")]
    #[schemars(with = "String")]
    pub event: Event,
    pub state: State,
    /// Number of events in the shortest prefix that shows the violation, including the illegal one.
    pub prefix_events: u64,
    /// The last transitions before the illegal event.
    pub path: Vec<PathStep>,
}

/// A transition between states.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PathStep {
    pub line: u64,
    #[serde(serialize_with = "written")]
    #[schemars(with = "String")]
    pub event: Event,
    pub to: State,
}

/// Serializes an event by the name that reports use.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn written<S: Serializer>(event: &Event, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(event)
}

/// One finding.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingReport<'r> {
    pub code: String,
    pub name: &'r str,
    pub severity: Severity,
    pub message: &'r str,
    pub file: &'r str,
    /// Line from 1; 0 for the input as a whole.
    pub line: u64,
    /// Column in UTF-8 bytes from 1; 0 for the line as a whole.
    pub column: u64,
    pub pointer: Option<&'r str>,
    pub execution_id: Option<&'r str>,
    pub turn_id: Option<i64>,
    pub related: Vec<RelatedReport<'r>>,
    pub help: Option<&'r str>,
    pub fingerprint: &'r str,
}

/// Another position that belongs to a finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RelatedReport<'r> {
    pub file: &'r str,
    pub line: u64,
    pub message: &'r str,
}

impl<'r> Document<'r> {
    /// Converts a report to this shape.
    #[must_use]
    pub fn of(report: &'r Report) -> Self {
        let mut of_execution: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for finding in &report.findings {
            if let Some(id) = &finding.execution {
                of_execution
                    .entry((&finding.place.file, id))
                    .or_default()
                    .push(&finding.fingerprint);
            }
        }
        let counts = &report.counts;
        Self {
            version: VERSION,
            tool: Tool {
                name: env!("CARGO_PKG_NAME"),
                version: env!("CARGO_PKG_VERSION"),
            },
            summary: SummaryCounts {
                files: counts.files,
                records: counts.records,
                executions: report.summaries.len() as u64,
                turns: counts.turns,
                rules_run: counts.rules_run,
                by_severity: BySeverity {
                    error: counts.errors,
                    warning: counts.warnings,
                    note: counts.notes,
                },
                left_out: counts.left_out,
                signatures_unchecked: counts.signatures_unchecked,
                skipped: counts.skipped,
            },
            inputs: report.inputs.iter().map(input).collect(),
            inputs_left_out: report.inputs_left_out,
            executions: Executions {
                summaries: &report.summaries,
                findings: of_execution,
            },
            findings: report.findings.iter().map(finding).collect(),
            skipped: report
                .skipped
                .iter()
                .map(|s| SkippedReport {
                    path: &s.name,
                    reason: s.reason,
                })
                .collect(),
            notices: &report.notices,
            account: report.account.as_ref(),
        }
    }
}

fn input(input: &InputUnits) -> InputReport<'_> {
    InputReport {
        path: &input.path,
        format: input.format,
        units: input.units.total(),
        counts: input.units,
    }
}

fn execution<'r>(summary: &'r Summary, findings: Vec<&'r str>) -> ExecutionReport<'r> {
    ExecutionReport {
        execution_id: &summary.id,
        file: &summary.file,
        line: summary.line,
        format: summary.format.name(),
        fsm_version: summary.version.name(),
        verdict: summary.verdict,
        turns: summary.turns,
        actions: summary.actions,
        decisions: summary.decisions,
        final_state: summary.final_state,
        outcome: summary.outcome.as_deref(),
        violation: summary.violation.as_ref().map(|v| ViolationReport {
            line: v.line,
            event: v.event,
            state: v.state,
            prefix_events: v.prefix,
            path: v
                .path
                .iter()
                .map(|(line, event, to)| PathStep {
                    line: *line,
                    event: *event,
                    to: *to,
                })
                .collect(),
        }),
        findings,
    }
}

fn finding(finding: &Finding) -> FindingReport<'_> {
    FindingReport {
        code: finding.code.to_string(),
        name: finding.name,
        severity: finding.severity,
        message: &finding.message,
        file: &finding.place.file,
        line: finding.place.line,
        column: finding.place.column,
        pointer: finding.place.pointer.as_deref(),
        execution_id: finding.execution.as_deref(),
        turn_id: finding.turn,
        related: finding
            .related
            .iter()
            .map(|r| RelatedReport {
                file: &r.file,
                line: r.line,
                message: &r.message,
            })
            .collect(),
        help: finding.help.as_deref(),
        fingerprint: &finding.fingerprint,
    }
}

/// Writes the report. Escapes control characters beyond what JSON requires, so that a terminal can
/// show the report safely.
///
/// # Errors
/// When writing fails.
pub fn write_json(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    write_pretty(&Document::of(report), out)
}

/// Writes any value as [`write_json`] writes a report.
///
/// # Errors
/// When writing fails.
pub fn write_pretty(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut buffered = io::BufWriter::new(out);
    // Keep the kind of the error: callers ignore a closed pipe.
    serde_json::to_writer_pretty(Harmless(&mut buffered), value).map_err(io::Error::from)?;
    writeln!(buffered)?;
    buffered.flush()
}

/// Converts findings to the shape that they have in a report.
#[must_use]
pub fn findings_json(findings: &[Finding]) -> serde_json::Value {
    findings
        .iter()
        .map(|f| serde_json::to_value(finding(f)).unwrap_or_default())
        .collect()
}

/// Formats a value as JSON on one line that is safe to print on a terminal.
#[must_use]
pub fn safe_json(value: &serde_json::Value) -> String {
    harmless(&value.to_string()).into_owned()
}

/// Writes a value as JSON on one line that is safe to print on a terminal.
pub(crate) fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string(value).map_err(io::Error::other)?;
    writeln!(out, "{}", harmless(&text))
}
