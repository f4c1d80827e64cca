//! Reports of `knowledge reindex`.

use super::reindex::Form;
use crate::diag::Finding;
use crate::knowledge::SourceKind;
use crate::knowledge::by_repository::{FindingCounts, RepositorySummary};
use crate::knowledge::reindex::{Comparison, Summary};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use crate::trajectory::words::plural;
use knowledge_index::rank::Vectors;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Maximum number of sources listed for one kind of change.
const LISTED: usize = 20;
/// Maximum number of endings of files that are listed as not read.
const ENDINGS: usize = 6;
/// Maximum number of findings that are printed.
const PRINTED: usize = 50;

/// A finished run.
pub(super) struct Run<'r> {
    pub(super) summary: &'r Summary,
    pub(super) seconds: f64,
}

type Sources = [(SourceKind, String)];

fn changes(summary: &Summary) -> [(&'static str, &Sources); 3] {
    [
        ("added", &summary.added),
        ("changed", &summary.changed),
        ("removed", &summary.removed),
    ]
}

/// Returns the files that aren't read, by the kind of source and the ending of their names.
fn unread(summary: &Summary) -> impl Iterator<Item = (SourceKind, BTreeMap<&str, u64>)> {
    let mut all: BTreeMap<SourceKind, BTreeMap<&str, u64>> = BTreeMap::new();
    for ((kind, ending), files) in &summary.unread {
        all.entry(*kind).or_default().insert(ending, *files);
    }
    all.into_iter()
}

/// Lists the most frequent endings with their numbers of files.
fn listed(endings: &BTreeMap<&str, u64>) -> String {
    let mut all: Vec<(&str, u64)> = endings.iter().map(|(e, n)| (*e, *n)).collect();
    all.sort_by_key(|(_, files)| std::cmp::Reverse(*files));
    let shown = all.iter().take(ENDINGS);
    let shown: Vec<String> = shown.map(|(e, n)| format!("{n} {e}")).collect();
    let rest: u64 = all.iter().skip(ENDINGS).map(|(_, files)| files).sum();
    let more = if rest > 0 {
        format!(", {rest} others")
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}

fn vectors(vectors: Vectors) -> String {
    match vectors {
        Vectors::Off => "none, as asked".into(),
        Vectors::TooFew => "none, there is too little to learn from".into(),
        Vectors::Kept(0) => "as before".into(),
        Vectors::Kept(n) => format!("{n} computed"),
        Vectors::Learnt(n) => format!("model learnt again, {n} computed"),
        Vectors::Model2Vec(n) => format!("another model than before, {n} computed"),
    }
}

fn counts(findings: &[Finding]) -> String {
    severities(FindingCounts::of(findings))
}

fn severities(counts: FindingCounts) -> String {
    let FindingCounts {
        errors,
        warnings,
        notes,
    } = counts;
    [
        plural(errors, "error"),
        plural(warnings, "warning"),
        plural(notes, "note"),
    ]
    .join(", ")
}

/// Returns the repositories of a report, if there are several.
fn several<T>(repositories: &BTreeMap<String, T>) -> Option<&BTreeMap<String, T>> {
    Some(repositories).filter(|all| all.len() > 1)
}

/// Writes the report of a run.
pub(super) fn report(run: &Run<'_>, form: Form, out: &mut dyn Write) -> io::Result<()> {
    let summary = run.summary;
    match form {
        Form::Text => text(run, out),
        Form::Markdown => markdown(run, out),
        Form::Json => {
            let list = |sources: &Sources| -> Vec<Value> {
                sources
                    .iter()
                    .map(|(kind, path)| json!({ "kind": kind.name(), "path": path }))
                    .collect()
            };
            let mut json = json!({
                "version": 1,
                "sources": {
                    "added": list(&summary.added), "changed": list(&summary.changed), "removed": list(&summary.removed),
                    "unchanged": summary.unchanged,
                },
                "observations": { "before": summary.observations_before, "now": summary.observations },
                "notRead": unread(summary)
                    .map(|(kind, endings)| json!({ "kind": kind.name(), "files": endings }))
                    .collect::<Vec<_>>(),
                "edges": summary.edges,
                "skillUses": summary.skill_uses,
                "secretsHidden": summary.hidden,
                "vectors": vectors(summary.vectors),
                "digestBefore": summary.digest_before,
                "digest": summary.digest,
                "seconds": (run.seconds * 1000.0).round() / 1000.0,
                "findings": findings_json(&summary.findings),
            });
            let repositories = several(&summary.repositories).into_iter().flatten();
            add_repositories(&mut json, repositories.map(repository_json).collect());
            writeln!(out, "{}", safe_json(&json))
        }
    }
}

fn repository_json((name, summary): (&String, &RepositorySummary)) -> Value {
    let RepositorySummary { before, now, .. } = summary;
    json!({
        "name": name,
        "sources": {
            "added": summary.added, "changed": summary.changed, "removed": summary.removed,
            "unchanged": summary.unchanged,
        },
        "observations": { "before": before.observations, "now": now.observations },
        "notRead": summary.unread,
        "edges": now.edges,
        "skillUses": now.skill_uses,
        "secretsHidden": now.hidden,
        "findings": findings_count(summary.findings),
    })
}

/// Adds an element for each of several repositories to a report.
fn add_repositories(report: &mut Value, repositories: Vec<Value>) {
    if let Some(report) = report.as_object_mut().filter(|_| !repositories.is_empty()) {
        report.insert("repositories".to_owned(), repositories.into());
    }
}

fn findings_count(counts: FindingCounts) -> Value {
    json!({ "errors": counts.errors, "warnings": counts.warnings, "notes": counts.notes })
}

fn text(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let summary = run.summary;
    findings(&summary.findings, out)?;
    for (what, sources) in changes(summary) {
        for (kind, path) in sources.iter().take(LISTED) {
            writeln!(out, "{what:<8} {:<12} {}", kind.name(), terminal(path))?;
        }
        if sources.len() > LISTED {
            writeln!(out, "{what:<8} {} more", sources.len() - LISTED)?;
        }
    }
    for (name, of) in several(&summary.repositories).into_iter().flatten() {
        let RepositorySummary { before, now, .. } = of;
        write!(
            out,
            "repository {}: sources: {} added, {} changed, {} removed, {} unchanged; ",
            terminal(name),
            of.added,
            of.changed,
            of.removed,
            of.unchanged
        )?;
        if of.unread > 0 {
            write!(out, "not read: {}; ", plural(of.unread, "file"))?;
        }
        writeln!(
            out,
            "observations: {} (before: {}); findings: {}",
            now.observations,
            before.observations,
            severities(of.findings)
        )?;
    }
    let [added, changed, removed] = changes(summary).map(|(_, s)| s.len());
    writeln!(
        out,
        "sources: {added} added, {changed} changed, {removed} removed, {} unchanged",
        summary.unchanged
    )?;
    for (kind, endings) in unread(summary) {
        writeln!(
            out,
            "not read, below {}: {}",
            kind.name(),
            terminal(&listed(&endings))
        )?;
    }
    writeln!(
        out,
        "observations: {} (before: {})",
        summary.observations, summary.observations_before
    )?;
    writeln!(
        out,
        "graph: {} edges; uses of skills: {}",
        summary.edges, summary.skill_uses
    )?;
    writeln!(out, "vectors: {}", vectors(summary.vectors))?;
    if summary.hidden > 0 {
        writeln!(
            out,
            "texts from which a secret was taken: {}",
            summary.hidden
        )?;
    }
    writeln!(out, "findings: {}", counts(&summary.findings))?;
    writeln!(
        out,
        "digest: {} (before: {})",
        summary.digest, summary.digest_before
    )?;
    writeln!(out, "took {:.2} s", run.seconds)
}

fn findings(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    write_findings(findings.get(..PRINTED).unwrap_or(findings), out)?;
    if findings.len() > PRINTED {
        writeln!(
            out,
            "{} more findings, counted below and not listed; --format json has them all",
            findings.len() - PRINTED
        )?;
    }
    Ok(())
}

fn markdown(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let summary = run.summary;
    let [added, changed, removed] = changes(summary).map(|(_, s)| s.len());
    writeln!(
        out,
        "## Index of knowledge\n\n| what | how much |\n| --- | --- |"
    )?;
    writeln!(
        out,
        "| sources | {added} added, {changed} changed, {removed} removed, {} unchanged |",
        summary.unchanged
    )?;
    writeln!(
        out,
        "| observations | {} (before: {}) |",
        summary.observations, summary.observations_before
    )?;
    for (kind, endings) in unread(summary) {
        let listed = crate::report::code_span(&listed(&endings));
        writeln!(out, "| not read, below {} | {listed} |", kind.name())?;
    }
    writeln!(out, "| edges of the graph | {} |", summary.edges)?;
    writeln!(out, "| uses of skills | {} |", summary.skill_uses)?;
    writeln!(out, "| vectors | {} |", vectors(summary.vectors))?;
    writeln!(
        out,
        "| texts from which a secret was taken | {} |",
        summary.hidden
    )?;
    writeln!(out, "| findings | {} |", counts(&summary.findings))?;
    writeln!(
        out,
        "| digest | `{}` (before: `{}`) |",
        summary.digest, summary.digest_before
    )?;
    writeln!(out, "| time | {:.2} s |", run.seconds)?;
    if let Some(repositories) = several(&summary.repositories) {
        writeln!(
            out,
            "\n### Repositories\n\n| name | sources added | changed | removed | unchanged | not read | observations | before | findings |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
        )?;
        for (name, of) in repositories {
            writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                crate::report::code_span(name),
                of.added,
                of.changed,
                of.removed,
                of.unchanged,
                of.unread,
                of.now.observations,
                of.before.observations,
                severities(of.findings)
            )?;
        }
    }
    let lists = changes(summary).into_iter().filter(|(_, s)| !s.is_empty());
    for (what, sources) in lists {
        writeln!(out, "\n### {what}\n")?;
        for (kind, path) in sources.iter().take(LISTED) {
            writeln!(out, "- {}: {}", kind.name(), crate::report::code_span(path))?;
        }
        if sources.len() > LISTED {
            writeln!(out, "- and {} more", sources.len() - LISTED)?;
        }
    }
    if !summary.findings.is_empty() {
        writeln!(out, "\n### Findings\n")?;
        for f in summary.findings.iter().take(PRINTED) {
            let place = format!("{}:{}", f.place.file, f.place.line);
            writeln!(
                out,
                "- {} {}: {}",
                f.code,
                crate::report::code_span(&place),
                crate::report::code_span(&f.message)
            )?;
        }
        if summary.findings.len() > PRINTED {
            writeln!(out, "- and {} more", summary.findings.len() - PRINTED)?;
        }
    }
    Ok(())
}

/// Writes the results of `--check`.
pub(super) fn checked(
    comparison: &Comparison,
    digest: &str,
    form: Form,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Comparison {
        findings: found,
        sources,
        repositories,
    } = comparison;
    let repositories = several(repositories).into_iter().flatten();
    match form {
        Form::Text => {
            findings(found, out)?;
            for (name, of) in repositories {
                writeln!(
                    out,
                    "repository {}: {} read: {}",
                    terminal(name),
                    plural(of.sources, "source"),
                    severities(of.findings)
                )?;
            }
            writeln!(out, "{sources} sources read: {}", counts(found))?;
            writeln!(out, "digest: {digest}")
        }
        Form::Json => {
            let mut json = json!({ "version": 1, "lookedAt": sources, "digest": digest, "findings": findings_json(found) });
            let repositories = repositories.map(|(name, of)| {
                json!({ "name": name, "lookedAt": of.sources, "findings": findings_count(of.findings) })
            });
            add_repositories(&mut json, repositories.collect());
            writeln!(out, "{}", safe_json(&json))
        }
        Form::Markdown => {
            writeln!(out, "{sources} sources read: {}\n", counts(found))?;
            for (name, of) in repositories {
                writeln!(
                    out,
                    "- repository {}: {} read: {}",
                    crate::report::code_span(name),
                    plural(of.sources, "source"),
                    severities(of.findings)
                )?;
            }
            for f in found.iter().take(PRINTED) {
                writeln!(
                    out,
                    "- {} {}: {}",
                    f.code,
                    crate::report::code_span(&f.place.file),
                    crate::report::code_span(&f.message)
                )?;
            }
            Ok(())
        }
    }
}
