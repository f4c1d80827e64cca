//! JSON lines: the parts of the JSON report, one object a line, for programs that read streams.

use super::Run;
use super::json::{
    self, Document, ExecutionReport, FindingReport, InputReport, SkippedReport, SummaryCounts, Tool,
};
use crate::verify::account::Account;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// One line. The first one is the run; then the inputs, the executions, then the findings.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "lowercase",
    rename_all_fields = "camelCase"
)]
pub enum Line<'r> {
    /// Who looked, and at how much.
    Run {
        /// The version of this shape.
        version: u32,
        /// Who made the report.
        tool: Tool,
        /// How much was looked at, and what came of it.
        summary: SummaryCounts,
        /// Inputs whose units are counted in the last line of them together, because there are so
        /// many.
        #[serde(default, skip_serializing_if = "json::is_zero")]
        inputs_left_out: u64,
        /// Files under the given paths that weren't read.
        skipped: Vec<SkippedReport<'r>>,
        /// What a reader has to be told besides.
        #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
        notices: &'r [String],
        /// What the record's changes give on a revision, where one was named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account: Option<&'r Account>,
    },
    /// An input with what became of its units.
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
