//! Text for people: verdicts first, then findings with an excerpt of the line.
//!
//! Excerpts are drawn here and not by a diagnostics library. Such libraries derive line and column
//! from the text that they are given. An excerpt is a part of a JSON line that may be megabytes
//! long.

use super::fold::{Group, fold};
use super::run::{Grade, with_errors};
use super::words::thousands;
use super::{Lang, terminal, words};
use crate::diag::{Code, Excerpt, Finding, Place, Severity};
use crate::replay::{Answer, Summary};
use crate::rules;
use crate::verify::Report;
use anstyle::{AnsiColor, Style};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// The options of the text report.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextOptions {
    /// Writes findings only, without verdicts and counts.
    pub quiet: bool,
    /// Writes notes in full, all related positions, and fingerprints.
    pub verbose: bool,
    /// Errors fail nothing in this run, so no execution is shown as passed.
    pub unenforced: bool,
    /// Nothing was replayed, so there are no verdicts.
    pub schema_only: bool,
    /// Language of the fixed text.
    pub lang: Lang,
}

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const FRAME: Style = AnsiColor::Blue.on_default().bold();
const STRONG: Style = Style::new().bold();

/// Maximum number of executions of one grade listed without `-v`.
const EXECUTIONS: usize = 200;
/// Maximum number of failed executions without a listed finding that are listed without `-v`.
const FAILED: usize = 1_000;
/// Maximum number of related positions shown without `-v`.
const RELATED: usize = 3;

/// Writes the report. It always contains colours; the caller's stream strips them where they aren't
/// supported.
///
/// # Errors
/// When writing fails.
pub fn write_text(report: &Report, options: TextOptions, out: &mut dyn Write) -> io::Result<()> {
    if !options.quiet {
        executions(report, options, out)?;
        if !report.summaries.is_empty() && !report.findings.is_empty() {
            writeln!(out)?;
        }
    }
    let mut notes = Vec::new();
    for finding in &report.findings {
        if finding.severity == Severity::Note && !options.verbose {
            notes.push(finding);
        } else {
            write_full(finding, options, out)?;
        }
    }
    for note in fold(notes.iter().copied())
        .iter()
        .filter(|_| !options.quiet)
    {
        write_brief(note, options.lang, out)?;
    }
    if report.counts.left_out > 0 && !options.quiet {
        writeln!(
            out,
            "{}",
            options.lang.fill(
                "{0} more, counted below and not listed",
                &[&options.lang.plural(report.counts.left_out, "finding")]
            )
        )?;
    }
    if !options.quiet {
        if !notes.is_empty() {
            writeln!(out)?;
        }
        counts(report, options, out)?;
    }
    // Suppressed findings and skipped checks are reported even with `--quiet`.
    for notice in &report.notices {
        let note = options.lang.say(Severity::Note.name());
        writeln!(out, "{NOTE}{note}{NOTE:#}: {}", terminal(notice))?;
    }
    Ok(())
}

/// Writes findings in full.
///
/// # Errors
/// When writing fails.
pub fn write_findings(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    findings
        .iter()
        .try_for_each(|finding| write_full(finding, TextOptions::default(), out))
}

/// Writes an error that makes a file unusable: its message, its position and help.
///
/// # Errors
/// When writing fails.
pub fn write_problem(
    message: &str,
    place: &Place,
    help: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "{ERROR}error{ERROR:#}{STRONG}: {}{STRONG:#}",
        terminal(message)
    )?;
    let margin = " ".repeat(place.line.to_string().len());
    writeln!(out, "{margin}{FRAME}-->{FRAME:#} {}", position(place))?;
    write_excerpt(place, ERROR, out)?;
    if let Some(help) = help {
        writeln!(out, "{margin} {FRAME}={FRAME:#} help: {}", terminal(help))?;
    }
    writeln!(out)
}

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Error => ERROR,
        Severity::Warning => WARNING,
        Severity::Note => NOTE,
    }
}

/// Writes a line per execution. Beyond a limit executions are only counted, but a failed one with a
/// listed finding always has its line.
fn executions(report: &Report, options: TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let lang = options.lang;
    let failed = with_errors(report);
    let listed: BTreeSet<(&str, &str)> = report
        .findings
        .iter()
        .filter_map(|f| Some((&*f.place.file, f.execution.as_deref()?)))
        .collect();
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    let mut folded: BTreeMap<&str, u64> = BTreeMap::new();
    for summary in &report.summaries {
        let key = (&*summary.file, &*summary.id);
        let mut grade = Grade::from_summary(summary, failed.contains(&key));
        if options.unenforced {
            grade = grade.unenforced();
        }
        let most = match grade {
            Grade::Fail if listed.contains(&key) => usize::MAX,
            Grade::Fail => FAILED,
            Grade::Pass | Grade::Incomplete | Grade::Info => EXECUTIONS,
        };
        let number = lines.entry(grade.name()).or_default();
        if options.verbose || *number < most {
            *number += 1;
            execution(summary, grade, lang, out)?;
        } else {
            *folded.entry(grade.name()).or_default() += 1;
        }
    }
    for (word, count) in folded {
        let noun = if count == 1 {
            "execution"
        } else {
            "executions"
        };
        let count = thousands(count);
        let more = lang.fill("{0} more {1} (-v lists them)", &[&count, &noun]);
        writeln!(out, "{word} {more}")?;
    }
    Ok(())
}

/// Writes the line of an execution. Any error fails it, whichever question of the verdict the error
/// belongs to.
fn execution(summary: &Summary, grade: Grade, lang: Lang, out: &mut dyn Write) -> io::Result<()> {
    let verdict = &summary.verdict;
    let word = grade.name();
    let word_style = match grade {
        Grade::Fail => ERROR,
        Grade::Incomplete => WARNING,
        Grade::Pass => GOOD,
        Grade::Info => STRONG,
    };
    write!(
        out,
        "{word_style}{word}{word_style:#} {STRONG}{}{STRONG:#}",
        one_word(&summary.id)
    )?;
    for (question, answer) in [
        ("legal path", verdict.legal_path),
        ("authorised", verdict.authorised),
        ("governance complete", verdict.governance_complete),
    ] {
        let style = match answer {
            Answer::Yes => GOOD,
            Answer::No => ERROR,
            Answer::NotRecorded => WARNING,
        };
        let (question, answer) = (lang.say(question), lang.say(answer.name()));
        write!(out, "  {question}: {style}{answer}{style:#}")?;
    }
    let state = summary.final_state.map(|s| s.name());
    let state = state.unwrap_or_else(|| lang.say("end not recorded"));
    let outcome = summary
        .outcome
        .as_deref()
        .map(|o| format!(", {}", one_word(o)))
        .unwrap_or_default();
    let turns = lang.plural(summary.turns, "turn");
    writeln!(
        out,
        "  ({turns}, {state}{outcome}; {}:{})",
        terminal(&summary.file),
        summary.line
    )
}

/// Returns a text for a line of words: in quotes if it contains white space, so that no id can look
/// like the answers after it.
fn one_word(text: &str) -> Cow<'_, str> {
    let shown = terminal(text);
    if shown.contains(char::is_whitespace) {
        Cow::Owned(format!("\"{}\"", shown.replace('"', "\\\"")))
    } else {
        shown
    }
}

/// Writes a finding with its excerpt.
fn write_full(finding: &Finding, options: TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let lang = options.lang;
    head(finding, lang, out)?;
    let place = &finding.place;
    let margin = " ".repeat(place.line.to_string().len());
    write!(
        out,
        "{margin}{FRAME}-->{FRAME:#} {}",
        position(&finding.place)
    )?;
    if let Some(pointer) = &place.pointer {
        write!(out, " {}", terminal(pointer))?;
    }
    writeln!(out)?;
    write_excerpt(place, style(finding.severity), out)?;
    // In other languages the rule's summary is added. In English the message suffices.
    if lang != Lang::En
        && let Some(rule) = rules::by_code(finding.code)
    {
        writeln!(out, "{margin} {FRAME}={FRAME:#} {}", lang.summary(rule))?;
    }
    let execution = finding.execution.as_deref().map(terminal);
    let about = match (execution, finding.turn) {
        (Some(id), Some(turn)) => lang.fill("in execution {0}, turn {1}", &[&id, &turn]),
        (Some(id), None) => lang.fill("in execution {0}", &[&id]),
        (None, Some(turn)) => lang.fill("in turn {0}", &[&turn]),
        (None, None) => String::new(),
    };
    if !about.is_empty() {
        writeln!(out, "{margin} {FRAME}={FRAME:#} {about}")?;
    }
    let shown = if options.verbose {
        finding.related.len()
    } else {
        RELATED
    };
    for related in finding.related.iter().take(shown) {
        writeln!(
            out,
            "{margin} {FRAME}={FRAME:#} {}:{}: {}",
            terminal(&related.file),
            related.line,
            terminal(&related.message)
        )?;
    }
    if let Some(more) = finding.related.len().checked_sub(shown).filter(|n| *n > 0) {
        writeln!(
            out,
            "{margin} {FRAME}={FRAME:#} {}",
            lang.fill(
                "and {0} (-v shows all)",
                &[&lang.plural(more as u64, "more such line")]
            )
        )?;
    }
    if let Some(help) = &finding.help {
        let (label, help) = (lang.say("help"), help_in(help, finding.code, lang));
        writeln!(
            out,
            "{margin} {FRAME}={FRAME:#} {label}: {}",
            terminal(&help)
        )?;
    }
    if options.verbose {
        writeln!(
            out,
            "{margin} {FRAME}={FRAME:#} {} {}",
            lang.say("fingerprint"),
            finding.fingerprint
        )?;
    }
    writeln!(out)
}

/// Translates the help of a finding if it is the sentence that most findings share.
fn help_in(help: &str, code: Code, lang: Lang) -> Cow<'_, str> {
    const MOST: &str = "run `yuangs-verify explain {0}` for why this matters and how to fix it";
    if lang != Lang::En && help == Lang::En.fill(MOST, &[&code]) {
        Cow::Owned(lang.fill(MOST, &[&code]))
    } else {
        Cow::Borrowed(help)
    }
}

/// Draws the excerpt of a position with its span underlined.
fn write_excerpt(place: &Place, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(excerpt) = &place.excerpt else {
        return Ok(());
    };
    let number = place.line.to_string();
    let margin = " ".repeat(number.len());
    let (text, marks) = render_excerpt(excerpt);
    writeln!(out, "{margin} {FRAME}|{FRAME:#}")?;
    writeln!(out, "{FRAME}{number} |{FRAME:#} {text}")?;
    writeln!(out, "{margin} {FRAME}|{FRAME:#} {style}{marks}{style:#}")
}

/// Writes a group of notes on one line.
fn write_brief(note: &Group<'_>, lang: Lang, out: &mut dyn Write) -> io::Result<()> {
    let finding = note.first;
    let style = style(finding.severity);
    let more = match note.same.len() {
        0 => String::new(),
        same => lang.fill(
            " (and {0}; -v shows all)",
            &[&lang.plural(same as u64, "equal note")],
        ),
    };
    let execution = finding
        .execution
        .as_deref()
        .map(|id| format!(" [{}]", terminal(id)))
        .unwrap_or_default();
    writeln!(
        out,
        "{style}{}[{}]{style:#} {}{execution}: {}{more}",
        lang.say(finding.severity.name()),
        finding.code,
        position(&finding.place),
        terminal(&finding.message)
    )
}

fn head(finding: &Finding, lang: Lang, out: &mut dyn Write) -> io::Result<()> {
    let style = style(finding.severity);
    writeln!(
        out,
        "{style}{}[{}]{style:#} {STRONG}{}: {}{STRONG:#}",
        lang.say(finding.severity.name()),
        finding.code,
        finding.name,
        terminal(&finding.message)
    )
}

fn position(place: &Place) -> String {
    terminal(&words::position(place)).into_owned()
}

/// Returns the escaped excerpt and the carets below it.
fn render_excerpt(excerpt: &Excerpt) -> (String, String) {
    let part = |from: usize, to: usize| {
        terminal(excerpt.text.get(from..to).unwrap_or_default()).into_owned()
    };
    let (from, to) = char_span(excerpt);
    let before = format!(
        "{}{}",
        if excerpt.cut_before { "…" } else { "" },
        part(0, from)
    );
    let marked = part(from, to);
    let after = format!(
        "{}{}",
        part(to, excerpt.text.len()),
        if excerpt.cut_after { "…" } else { "" }
    );
    let carets = "^".repeat(marked.width().max(1));
    let marks = format!("{}{carets}", " ".repeat(before.width()));
    (format!("{before}{marked}{after}"), marks)
}

/// Returns the span of an excerpt, moved to character boundaries.
fn char_span(excerpt: &Excerpt) -> (usize, usize) {
    let snap = |mut n: usize| {
        n = n.min(excerpt.text.len());
        while !excerpt.text.is_char_boundary(n) {
            n += 1;
        }
        n
    };
    let from = snap(excerpt.span.0);
    (from, snap(excerpt.span.1).max(from))
}

/// Writes the counts of verified items and of findings.
fn counts(report: &Report, options: TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let (counts, lang) = (&report.counts, options.lang);
    let total = |n: u64, severity: Severity| {
        let style = if n == 0 {
            Style::new()
        } else {
            style(severity)
        };
        format!("{style}{}{style:#}", lang.plural(n, severity.name()))
    };
    writeln!(
        out,
        "{}: {}",
        words::verified_counts(report, options),
        lang.list(&[
            total(counts.errors, Severity::Error),
            total(counts.warnings, Severity::Warning),
            total(counts.notes, Severity::Note),
        ])
    )?;
    if counts.signatures_unchecked > 0 {
        let verb = if counts.signatures_unchecked == 1 {
            "was"
        } else {
            "were"
        };
        writeln!(
            out,
            "{}",
            lang.fill(
                "{0} {1} not checked: no trust file was given (--keys)",
                &[
                    &lang.plural(counts.signatures_unchecked, "signature"),
                    &verb
                ]
            )
        )?;
    }
    Ok(())
}
