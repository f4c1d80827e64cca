//! JSON lines: the parts of the JSON report, one object a line, for programs that read streams.

use super::Run;
use super::json::{self, Document, ExecutionReport, FindingReport, SummaryCounts, Tool};
use crate::verify::account::Account;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// One line. The first one is the run; then the executions, then the findings.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Line<'r> {
    /// Who looked, and at how much.
    Run {
        /// The version of this shape.
        version: u32,
        /// Who made the report.
        tool: Tool,
        /// How much was looked at, and what came of it.
        summary: SummaryCounts,
        /// What a reader has to be told besides.
        #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
        notices: &'r [String],
        /// What the record's changes give on a revision, where one was named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account: Option<&'r Account>,
    },
    /// An execution with its verdict.
    Execution(ExecutionReport<'r>),
    /// A finding.
    Finding(FindingReport<'r>),
}

/// Writes the report.
pub(super) fn write(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Document { version, tool, summary, executions, findings, notices, account } = Document::of(run.report);
    json::line(&Line::Run { version, tool, summary, notices, account }, out)?;
    for execution in executions {
        json::line(&Line::Execution(execution), out)?;
    }
    for finding in findings {
        json::line(&Line::Finding(finding), out)?;
    }
    Ok(())
}
