//! Reviewdog's diagnostic format, one diagnostic per line (`-f=rdjsonl`). Its columns are UTF-8
//! bytes from 1, like those of findings.

use super::{Run, json, terminal, words};
use crate::diag::{Finding, Severity};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Maximum number of characters of a message.
const MESSAGE: usize = 4000;

/// Writes the report.
pub(super) fn write(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in &run.report.findings {
        json::line(&diagnostic(run, finding), out)?;
    }
    let left_out = run.report.counts.left_out;
    let left_out = (left_out > 0).then(|| {
        format!(
            "{} counted and not listed",
            words::plural(left_out, "more finding")
        )
    });
    for message in left_out.into_iter().chain(run.unenforced()) {
        let diagnostic = json!({
            "message": message, "location": {"path": "."}, "severity": "INFO", "source": {"name": "yuangs-verify"}
        });
        json::line(&diagnostic, out)?;
    }
    Ok(())
}

fn diagnostic(run: &Run<'_>, finding: &Finding) -> Value {
    let place = &finding.place;
    let related: Vec<Value> = finding
        .related
        .iter()
        .filter(|r| r.line > 0)
        .map(|r| {
            json!({
                "message": terminal(&words::clip(&r.message, MESSAGE)),
                "location": {"path": run.path(&r.file), "range": {"start": {"line": r.line}}},
            })
        })
        .collect();
    let mut diagnostic = json!({
        "message": terminal(&words::clip(&finding.message, MESSAGE)),
        "location": location(run, finding),
        "severity": match finding.severity {
            Severity::Error => "ERROR",
            Severity::Warning => "WARNING",
            Severity::Note => "INFO",
        },
        "source": {"name": "yuangs-verify"},
        "code": {"value": format!("{} {}", finding.code, finding.name)},
    });
    if let (Some(members), false) = (diagnostic.as_object_mut(), related.is_empty()) {
        members.insert("related_locations".into(), related.into());
    }
    if let (Some(members), Some(excerpt)) = (diagnostic.as_object_mut(), &place.excerpt) {
        members.insert("original_output".into(), json!(excerpt.text));
    }
    diagnostic
}

fn location(run: &Run<'_>, finding: &Finding) -> Value {
    let place = &finding.place;
    let mut location = Map::new();
    location.insert("path".into(), json!(run.path(&place.file)));
    if place.line > 0 {
        let mut range = json!({"start": {"line": place.line}});
        if place.column > 0 {
            let length = place
                .excerpt
                .as_ref()
                .map_or(1, |e| e.span.1.saturating_sub(e.span.0).max(1) as u64);
            range = json!({
                "start": {"line": place.line, "column": place.column},
                "end": {"line": place.line, "column": place.column + length},
            });
        }
        location.insert("range".into(), range);
    }
    location.into()
}
