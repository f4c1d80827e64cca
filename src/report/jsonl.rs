//! JSON lines: the parts of the JSON report, one object per line, for programs that read streams.

use super::Run;
use super::json::{
    self, Document, ExecutionReport, FindingReport, InputReport, SkippedReport, SummaryCounts, Tool,
};
use crate::verify::account::Account;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// One line of the report. The first is the run, followed by the inputs, the executions and the
/// findings.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "lowercase",
    rename_all_fields = "camelCase"
)]
pub enum Line<'r> {
    /// The program, and the amount of data that was verified.
    Run {
        /// Version of this shape.
        version: u32,
        /// The program that made the report.
        tool: Tool,
        /// The amount of data that was verified, and the number of findings.
        summary: SummaryCounts,
        /// Number of inputs that the last line of kind `input` combines, because there are too many
        /// to list.
        #[serde(default, skip_serializing_if = "json::is_zero")]
        inputs_left_out: u64,
        /// Files under the given paths that weren't read.
        skipped: Vec<SkippedReport<'r>>,
        /// Notices for the reader.
        #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
        notices: &'r [String],
        /// The result of comparing the recorded changes with a revision, if one was given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account: Option<&'r Account>,
    },
    /// An input with the counts of its units.
    Input(InputReport<'r>),
    /// An execution with its verdict.
    Execution(ExecutionReport<'r>),
    /// A finding.
    Finding(FindingReport<'r>),
}

/// Writes the report.
pub(super) fn write(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Document {
        version,
        tool,
        summary,
        executions,
        findings,
        notices,
        account,
        inputs,
        inputs_left_out,
        skipped,
    } = Document::of(run.report);
    json::line(
        &Line::Run {
            version,
            tool,
            summary,
            inputs_left_out,
            skipped,
            notices,
            account,
        },
        out,
    )?;
    for input in inputs {
        json::line(&Line::Input(input), out)?;
    }
    for execution in executions.iter() {
        json::line(&Line::Execution(execution), out)?;
    }
    for finding in findings {
        json::line(&Line::Finding(finding), out)?;
    }
    Ok(())
}
