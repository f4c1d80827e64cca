//! GitLab code quality: a JSON array of issues, as documented for `artifacts:reports:codequality`.
//!
//! Fingerprints must be unique. The format has no place for counts, so omitted findings are
//! reported as an issue.

use super::{Run, json, terminal, words};
use crate::diag::{Finding, Severity};
use serde::Serialize;
use std::io::{self, Write};

/// Maximum number of characters of a description.
const DESCRIPTION: usize = 1000;

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u64,
}

/// Writes the report.
pub(super) fn write(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut issues: Vec<Issue> = run.report.findings.iter().map(|f| issue(run, f)).collect();
    let left_out = run.report.counts.left_out;
    let left_out = (left_out > 0).then(|| {
        (
            "left-out",
            format!(
                "{} counted and not listed",
                words::plural(left_out, "more finding")
            ),
        )
    });
    for (fingerprint, description) in left_out
        .into_iter()
        .chain(run.unenforced().map(|text| ("not-enforced", text)))
    {
        issues.push(Issue {
            description,
            check_name: "yuangs-verify".into(),
            fingerprint: fingerprint.into(),
            severity: "info",
            location: Location {
                path: ".".into(),
                lines: Lines { begin: 1 },
            },
        });
    }
    let text = serde_json::to_string_pretty(&issues).map_err(io::Error::other)?;
    writeln!(out, "{}", json::harmless(&text))
}

fn issue(run: &Run<'_>, finding: &Finding) -> Issue {
    Issue {
        description: terminal(&words::clip(&finding.message, DESCRIPTION)).into_owned(),
        check_name: format!("{} {}", finding.code, finding.name),
        fingerprint: finding.fingerprint.clone(),
        severity: match finding.severity {
            Severity::Error => "critical",
            Severity::Warning => "minor",
            Severity::Note => "info",
        },
        location: Location {
            path: run.path(&finding.place.file).into_owned(),
            lines: Lines {
                begin: finding.place.line.max(1),
            },
        },
    }
}
