//! SARIF 2.1.0, the subset that code scanning reads, within GitHub's limits: 25,000 results per
//! run, 1,024 characters per text of a rule.
//!
//! `results: []` means that the tool ran and found nothing. A run that couldn't verify reports this
//! in `invocations`, with `executionSuccessful: false`.

use super::{Outcome, Run, json, terminal, words};
use crate::diag::{Finding, Place, Severity};
use crate::rules::{self, Page, Rule};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Maximum number of results per run. GitHub refuses a file with more.
const RESULTS: usize = 25_000;
/// Maximum number of characters of a rule's text.
const RULE_TEXT: usize = 1000;
/// Maximum number of characters of a message.
const MESSAGE: usize = 4000;
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes the report.
pub(super) fn write(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let worst = run.worst_first();
    let kept = worst.get(..RESULTS.min(worst.len())).unwrap_or_default();
    let left_out = run.report.counts.left_out + (worst.len() - kept.len()) as u64;
    let indices: BTreeMap<_, _> = rules::ALL
        .iter()
        .enumerate()
        .map(|(n, rule)| (rule.code, n))
        .collect();
    let results: Vec<Value> = kept
        .iter()
        .map(|f| result(run, f, indices.get(&f.code).copied()))
        .collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": env!("CARGO_PKG_NAME"),
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_HOMEPAGE"),
                "rules": rules::ALL.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation(run, left_out)],
            "results": results,
            "properties": {
                "lookedAt": words::verified_counts(run.report, run.text),
                "found": words::finding_counts(run.report, run.text),
                "leftOut": left_out,
            },
        }],
    });
    let text = serde_json::to_string_pretty(&document).map_err(io::Error::other)?;
    writeln!(out, "{}", json::harmless(&text))
}

fn invocation(run: &Run<'_>, left_out: u64) -> Value {
    let mut notes = Vec::new();
    if let Some(sentence) = run.outcome.sentence() {
        notes.push(json!({"level": "error", "message": {"text": message(sentence)}}));
    }
    for notice in &run.report.notices {
        notes.push(json!({"level": "note", "message": {"text": message(notice)}}));
    }
    if let Some(text) = run.unenforced() {
        notes.push(json!({"level": "warning", "message": {"text": text}}));
    }
    if left_out > 0 {
        let text = format!(
            "{} counted and not listed",
            words::plural(left_out, "more finding")
        );
        notes.push(json!({"level": "note", "message": {"text": text}}));
    }
    json!({
        "executionSuccessful": matches!(run.outcome, Outcome::Clean | Outcome::Findings | Outcome::Unenforced(_)),
        "toolExecutionNotifications": notes,
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn descriptor(rule: &Rule) -> Value {
    let page = Page::from_rule(rule);
    // The examples are whole traces, so they appear only in `explain`.
    let prose = page
        .markdown
        .split("\n## Fails")
        .next()
        .unwrap_or_default()
        .trim();
    let (_, after_title) = prose.split_once("\n\n").unwrap_or(("", prose));
    let full = after_title
        .split("\n## ")
        .next()
        .unwrap_or_default()
        .replace("## What it does\n", "")
        .replace('\n', " ");
    json!({
        "id": rule.code.to_string(),
        "name": pascal_case(rule.name),
        "shortDescription": {"text": words::clip(rule.summary, RULE_TEXT)},
        "helpUri": rule.address(),
        "fullDescription": {"text": words::clip(full.trim(), RULE_TEXT)},
        "help": {
            "text": format!("Run `yuangs-verify explain {}` for why this matters and how to fix it.", rule.code),
            "markdown": words::clip(prose, RULE_TEXT),
        },
        "defaultConfiguration": {"level": level(rule.severity)},
        "properties": {
            "tags": ["governance", "security"],
            "precision": "high",
            "security-severity": match rule.severity {
                Severity::Error => "8.0",
                Severity::Warning => "5.0",
                Severity::Note => "2.0",
            },
        },
    })
}

fn pascal_case(name: &str) -> String {
    name.split('-')
        .map(|word| {
            let mut chars = word.chars();
            chars
                .next()
                .map(|c| c.to_ascii_uppercase().to_string() + chars.as_str())
                .unwrap_or_default()
        })
        .collect()
}

fn result(run: &Run<'_>, finding: &Finding, index: Option<usize>) -> Value {
    let mut result = json!({
        "ruleId": finding.code.to_string(),
        "level": level(finding.severity),
        "message": {"text": message(&finding.message)},
        "locations": [location(run, &finding.place)],
        "partialFingerprints": {"primaryLocationLineHash": finding.fingerprint},
    });
    if let Some(members) = result.as_object_mut() {
        if let Some(index) = index {
            members.insert("ruleIndex".into(), json!(index));
        }
        if !finding.related.is_empty() {
            members.insert("relatedLocations".into(), related(run, finding));
        }
        let mut properties = Map::new();
        if let Some(id) = &finding.execution {
            properties.insert("executionId".into(), json!(**id));
        }
        if let Some(turn) = finding.turn {
            properties.insert("turnId".into(), json!(turn));
        }
        if let Some(pointer) = &finding.place.pointer {
            properties.insert("pointer".into(), json!(pointer));
        }
        members.insert("properties".into(), properties.into());
    }
    result
}

/// Escapes a message. SARIF reads `[text](1)` as a link; a backslash prevents that.
fn message(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in terminal(&words::clip(text, MESSAGE)).chars() {
        match c {
            // Braces stay as they are: "{0}" is replaced only in messages with arguments, and
            // viewers would show doubled braces.
            '[' | ']' | '\\' => {
                safe.push('\\');
                safe.push(c);
            }
            c => safe.push(c),
        }
    }
    safe
}

fn related(run: &Run<'_>, finding: &Finding) -> Value {
    let one = |(n, r): (usize, &crate::diag::Related)| {
        let mut place = json!({"artifactLocation": artifact(&run.path(&r.file))});
        if let (Some(members), true) = (place.as_object_mut(), r.line > 0) {
            members.insert("region".into(), json!({"startLine": r.line}));
        }
        json!({"id": n + 1, "physicalLocation": place, "message": {"text": message(&r.message)}})
    };
    finding
        .related
        .iter()
        .enumerate()
        .map(one)
        .collect::<Vec<_>>()
        .into()
}

fn location(run: &Run<'_>, place: &Place) -> Value {
    // A finding about an input as a whole also needs a line, because GitHub shows none without.
    let mut region = json!({"startLine": place.line.max(1)});
    if let (Some(members), Some((start, end))) = (region.as_object_mut(), place.characters()) {
        members.insert("startColumn".into(), json!(start));
        members.insert("endColumn".into(), json!(end));
        if let Some(excerpt) = &place.excerpt {
            let marked = excerpt
                .text
                .get(excerpt.span.0..excerpt.span.1)
                .unwrap_or_default();
            members.insert("snippet".into(), json!({"text": marked}));
        }
    }
    json!({"physicalLocation": {"artifactLocation": artifact(&run.path(&place.file)), "region": region}})
}

/// Returns the location of an input: a reference relative to the source root, or a `file:` URI.
fn artifact(file: &str) -> Value {
    let mut uri = String::with_capacity(file.len());
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    if file.starts_with('/') {
        json!({"uri": format!("file://{uri}")})
    } else {
        json!({"uri": uri, "uriBaseId": "%SRCROOT%"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_uri_references() {
        assert_eq!(
            artifact("a b/ü:1.jsonl"),
            json!({"uri": "a%20b/%C3%BC%3A1.jsonl", "uriBaseId": "%SRCROOT%"})
        );
        assert_eq!(artifact("/abs/x"), json!({"uri": "file:///abs/x"}));
    }

    #[test]
    fn text_makes_no_links() {
        assert_eq!(
            message("see [here](https://x) \\"),
            "see \\[here\\](https://x) \\\\"
        );
    }

    #[test]
    fn rule_texts_keep_the_limit() {
        for rule in rules::ALL.iter() {
            let text = descriptor(rule);
            for pointer in [
                "/fullDescription/text",
                "/help/markdown",
                "/shortDescription/text",
            ] {
                let text = text.pointer(pointer).and_then(Value::as_str).unwrap();
                assert!(
                    !text.is_empty() && text.chars().count() <= 1024,
                    "{} {pointer}",
                    rule.code
                );
            }
        }
    }
}
