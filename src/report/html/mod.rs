//! HTML: one self-contained file that needs no network, and no script to be readable.
//!
//! Every text goes through [`terminal`](super::terminal), so that nothing in it is hidden or
//! reordered, and then through the template's escaping. A content security policy permits only the
//! embedded script, by its hash.

mod action;
mod budget;
mod execution;
mod finding;
mod rule;

use super::fold::fold;
use super::lang::environment;
use super::run::Grade;
use super::{Lang, Outcome, Run, words};
use base64::Engine as _;
use budget::SizeBudget;
use minijinja::value::Serde;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error as _;
use std::io::{self, Write};

const TEMPLATE: &str = concat!(
    include_str!("../page/parts.html"),
    include_str!("page.html")
);
const STYLE: &str = concat!(include_str!("style.css"), include_str!("../page/chart.css"));
const SCRIPT: &str = include_str!("script.js");
/// The texts of the script, exactly as they appear in it.
const SCRIPT_WORDS: [&str; 2] = [
    "${shown} of ${findings.length} findings shown",
    "Link copied",
];

/// Maximum number of findings to list; the rest is counted.
const FINDINGS: usize = 5_000;
/// Maximum number of executions to draw, those with errors first; the rest is counted.
const EXECUTIONS: usize = 1_000;
/// Maximum number of passed executions to draw.
const PASSED: usize = 200;
/// Maximum number of notices to show.
const NOTICES: usize = 100;
/// Approximate number of bytes that findings, executions and turns may each take. A page of 5 MB
/// opens in any browser.
const BYTES: usize = 3 << 19;
/// Maximum number of executions in the filter.
const CHOICES: usize = 500;
/// Maximum number of characters of an id, a path or a message.
const TEXT: usize = 1_000;

/// Returns text that is safe to show: truncated and without hidden characters.
fn shown(text: &str) -> String {
    super::terminal(&words::clip(text, TEXT)).into_owned()
}

#[derive(Serialize)]
struct Tile {
    class: &'static str,
    name: &'static str,
    count: String,
}

/// The data of the template.
#[derive(Serialize)]
struct Page<'p> {
    /// Language of the page, and the `lang` attribute of the parts that stay English.
    lang: &'static str,
    english: &'static str,
    version: &'static str,
    style: &'static str,
    script: String,
    csp: String,
    verdict: Verdict,
    tiles: Vec<Tile>,
    rules: Vec<rule::View>,
    choices: Vec<&'p execution::View>,
    findings: Vec<&'p finding::View>,
    findings_left_out: u64,
    executions: &'p [execution::View],
    executions_left_out: Option<String>,
    turns_left_out: u64,
    statistics: Vec<super::page::html::View>,
    looked_at: String,
    signatures: Option<String>,
    notices: Vec<String>,
    command: String,
}

#[derive(Serialize)]
struct Verdict {
    class: &'static str,
    word: &'static str,
    sentence: String,
}

/// Writes the report.
pub(super) fn write(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let report = run.report;
    let counts = &report.counts;
    let lang = run.text.lang;
    // Anchors are numbers, so no text of a trace becomes one.
    let drawn = execution::drawn(run);
    let keys: BTreeMap<(&str, &str), usize> = drawn
        .iter()
        .map(|(n, s, _)| ((&*s.file, &*s.id), *n))
        .collect();
    let turns = execution::anchors(run, &keys);
    let worst = run.worst_first();
    let listed = worst.get(..FINDINGS.min(worst.len())).unwrap_or_default();
    let mut budget = SizeBudget::new(BYTES);
    let mut fixes = rule::Fixes::default();
    let mut findings = Vec::new();
    for group in fold(listed.iter().copied()) {
        let group = finding::views(&group, &keys, &turns, &mut fixes, lang);
        let card = group.first();
        if !card.is_some_and(|card| budget.spend(finding::MARKUP, card)) {
            break;
        }
        findings.extend(group);
    }
    let (executions, turns_left_out) = execution::views(run, &drawn, &findings);
    let drawn: BTreeSet<&str> = executions.iter().flat_map(execution::View::ids).collect();
    for finding in &mut findings {
        finding.unlink(&drawn);
    }
    let (class, word) = match run.outcome {
        Outcome::Clean => ("passed", "Passed"),
        Outcome::Findings => ("failed", "Failed"),
        Outcome::Unenforced(_) => ("undecided", "Not enforced"),
        Outcome::Unable(_) | Outcome::Empty(_) => ("undecided", "Could not decide"),
    };
    let found = words::counts_line(report, run.text);
    let sentence = match (run.outcome.sentence(), run.unenforced()) {
        (Some(sentence), _) => lang.say_if_known(sentence).to_owned(),
        (None, Some(unenforced)) => lang.fill("{0}; {1}.", &[&unenforced, &found]),
        (None, None) => lang.fill("{0}.", &[&found]),
    };
    let tile = |class, name, count| Tile {
        class,
        name: lang.say(name),
        count: words::thousands(count),
    };
    let grades = execution::grades(run);
    let tally = |class, name, grade| tile(class, name, grades.get(grade).copied().unwrap_or(0));
    let passed = match run.unenforced() {
        Some(_) => tally("", "without errors", Grade::Info.name()),
        None => tally("good", "passed", Grade::Pass.name()),
    };
    let mut tiles = vec![
        tile("error", "errors", counts.errors),
        tile("warning", "warnings", counts.warnings),
        tile("note", "notes", counts.notes),
        tile("", "records", counts.records),
        tile("", "turns", counts.turns),
        tile("", "executions", report.summaries.len() as u64),
    ];
    if !report.summaries.is_empty() {
        tiles.extend([
            tally("error", "failed", Grade::Fail.name()),
            tally("warning", "not fully recorded", Grade::Incomplete.name()),
            passed,
        ]);
    }
    let choices: Vec<_> = executions
        .iter()
        .filter(|e| e.has_findings())
        .take(CHOICES)
        .collect();
    let signatures = (counts.signatures_unchecked > 0).then(|| {
        lang.fill(
            "{0} not checked: no trust file was given.",
            &[&lang.plural(counts.signatures_unchecked, "signature")],
        )
    });
    let script = script(lang);
    let environment = environment(lang, TEMPLATE)?;
    let template = environment
        .get_template("page.html")
        .map_err(io::Error::other)?;
    let page = Page {
        lang: lang.tag(),
        english: if lang == Lang::En { "" } else { " lang=\"en\"" },
        version: env!("CARGO_PKG_VERSION"),
        style: STYLE,
        csp: policy(&script),
        script,
        verdict: Verdict {
            class,
            word: lang.say(word),
            sentence: shown(&sentence),
        },
        tiles,
        rules: rule::views(&report.findings, lang),
        choices,
        findings_left_out: counts.left_out + (worst.len() - findings.len()) as u64,
        findings: findings.iter().filter(|f| !f.is_folded()).collect(),
        executions: &executions,
        executions_left_out: execution::left_out(&grades, &executions, lang),
        turns_left_out: report.timeline.left_out + turns_left_out,
        statistics: run
            .statistics
            .map(super::page::html::figures)
            .unwrap_or_default(),
        looked_at: words::verified_counts(report, run.text),
        signatures,
        notices: notices(&report.notices, lang),
        command: shown(run.command),
    };
    template
        .render_captured_to(Serde(&page), &mut *out)
        .map_err(|error| {
            let written = error
                .source()
                .and_then(|source| source.downcast_ref::<io::Error>())
                .map(io::Error::kind);
            io::Error::new(written.unwrap_or(io::ErrorKind::Other), error)
        })?;
    writeln!(out)
}

/// Returns the first notices, and a count of the rest.
fn notices(all: &[String], lang: Lang) -> Vec<String> {
    let mut notices: Vec<String> = all.iter().take(NOTICES).map(|n| shown(n)).collect();
    if let Some(more) = all.len().checked_sub(NOTICES).filter(|n| *n > 0) {
        notices.push(lang.plural(more as u64, "more notice"));
    }
    notices
}

/// Returns the script with its texts translated. The translations contain no quotes.
fn script(lang: Lang) -> String {
    SCRIPT_WORDS.iter().fold(SCRIPT.to_owned(), |script, word| {
        script.replace(word, lang.say(word))
    })
}

/// Returns the content security policy: nothing is loaded or sent, only the embedded script runs,
/// and styles are inline.
fn policy(script: &str) -> String {
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(script.as_bytes()));
    format!(
        "default-src 'none'; script-src 'sha256-{hash}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_speaks_the_language_and_nothing_else_changes() {
        assert_eq!(script(Lang::En), SCRIPT);
        let chinese = script(Lang::Zh);
        for word in SCRIPT_WORDS {
            assert!(SCRIPT.contains(word), "{word}");
            let translated = Lang::Zh.say(word);
            assert!(chinese.contains(translated) && !chinese.contains(word));
            // The same quotes and placeholders, so that the code around the text is unaffected.
            assert!(!translated.contains(['\'', '"', '`', '\\', '<']));
            assert_eq!(word.matches("${").count(), translated.matches("${").count());
        }
    }
}
