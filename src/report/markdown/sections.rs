//! The sections of the Markdown report. Each ends with an empty line and can be left out as a
//! whole.

use crate::diag::{Code, Finding, Severity};
use crate::replay::Answer;
use crate::report::fold::{Group, fold};
use crate::report::run::{Grade, with_errors};
use crate::report::{Lang, Outcome, Run, words};
use crate::rules;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use text_safety::escape::markdown::{block, cell, code, message};

/// Number of rules whose findings are shown expanded.
const OPEN: usize = 3;
/// Maximum number of characters of a message, an id or a path.
const TEXT: usize = 300;
/// Maximum number of notices to list.
const NOTICES: usize = 20;
/// Maximum number of characters of the command.
const COMMAND: usize = 2000;

fn clipped(text: &str) -> String {
    code(&words::clip(text, TEXT))
}

fn in_table(text: &str) -> String {
    cell(&words::clip(text, TEXT))
}

/// Returns the verdict on one line.
pub(super) fn verdict(run: &Run<'_>) -> String {
    let lang = run.text.lang;
    let unenforced = run.unenforced().unwrap_or_default();
    let unenforced = format!("yuangs-verify {unenforced}");
    let (mark, word) = match run.outcome {
        Outcome::Clean => ("✅", lang.say("yuangs-verify passed")),
        Outcome::Findings => ("❌", lang.say("yuangs-verify failed")),
        Outcome::Unenforced(_) => ("⚠️", &*unenforced),
        Outcome::Unable(_) | Outcome::Empty(_) => {
            ("⚠️", lang.say("yuangs-verify could not decide"))
        }
    };
    let why = run
        .outcome
        .sentence()
        .map(|s| lang.say_if_known(s))
        .map(|s| format!(": {}", message(&words::clip(s, TEXT))))
        .unwrap_or_default();
    let counts = words::counts_line(run.report, run.text);
    let counts = lang.fill("{0}.", &[&counts]);
    format!("## {mark} {word}{why}\n\n{counts}\n\n")
}

/// Returns a table of the executions, the failed ones first.
pub(super) fn executions(run: &Run<'_>, limit: usize) -> String {
    let report = run.report;
    if report.summaries.is_empty() {
        return String::new();
    }
    let failed = with_errors(report);
    let mut rows: Vec<_> = report
        .summaries
        .iter()
        .map(|s| (run.grade(s, failed.contains(&(&*s.file, &*s.id))), s))
        .collect();
    rows.sort_by_key(|(grade, _)| match grade {
        Grade::Fail => 0,
        Grade::Incomplete => 1,
        Grade::Pass | Grade::Info => 2,
    });
    let lang = run.text.lang;
    let columns = [
        "execution",
        "legal path",
        "authorised",
        "governance complete",
        "turns",
        "end",
        "where",
    ];
    let mut text = format!(
        "### {}\n\n| | {} |\n| --- | --- | --- | --- | --- | ---: | --- | --- |\n",
        lang.say("Executions"),
        columns.map(|column| lang.say(column)).join(" | ")
    );
    for (grade, summary) in rows.iter().take(limit) {
        let mark = match grade {
            Grade::Pass => "✅ PASS",
            Grade::Incomplete => "⚠️ PART",
            Grade::Info => "ℹ️ INFO",
            Grade::Fail => "❌ FAIL",
        };
        let verdict = &summary.verdict;
        let answer = |a: Answer| match lang.say(a.name()) {
            no if a == Answer::No => format!("**{no}**"),
            word => word.to_owned(),
        };
        let end = summary.final_state.map(|s| s.name());
        text.push_str(&format!(
            "| {mark} | {} | {} | {} | {} | {} | {} | {} |\n",
            in_table(&summary.id),
            answer(verdict.legal_path),
            answer(verdict.authorised),
            answer(verdict.governance_complete),
            summary.turns,
            end.unwrap_or_else(|| lang.say(Answer::NotRecorded.name())),
            in_table(&format!("{}:{}", summary.file, summary.line)),
        ));
    }
    if let Some(more) = rows.len().checked_sub(limit).filter(|n| *n > 0) {
        let more = lang.plural(more as u64, "more execution");
        text.push_str(&format!("\n{}\n", lang.fill("{0} not listed.", &[&more])));
    }
    text.push('\n');
    text
}

/// Returns a section per rule with findings, sorted by severity and number of findings.
pub(super) fn rules(run: &Run<'_>, limit: usize) -> Vec<String> {
    let mut by_rule: BTreeMap<Code, Vec<&Finding>> = BTreeMap::new();
    for finding in &run.report.findings {
        by_rule.entry(finding.code).or_default().push(finding);
    }
    let mut groups: Vec<(Code, Vec<&Finding>)> = by_rule.into_iter().collect();
    let worst = |findings: &[&Finding]| {
        findings
            .iter()
            .map(|f| f.severity)
            .max()
            .unwrap_or(Severity::Note)
    };
    groups
        .sort_by_key(|(code, findings)| (Reverse(worst(findings)), Reverse(findings.len()), *code));
    let mut sections: Vec<String> = groups
        .iter()
        .enumerate()
        .map(|(n, (code, findings))| rule(*code, findings, n < OPEN, limit, run.text.lang))
        .collect();
    if run.report.counts.left_out > 0 {
        let lang = run.text.lang;
        let more = lang.plural(run.report.counts.left_out, "more finding");
        let more = lang.fill("{0} counted and not listed.", &[&more]);
        sections.push(format!("{more}\n\n"));
    }
    sections
}

fn rule(number: Code, findings: &[&Finding], open: bool, limit: usize, lang: Lang) -> String {
    let rule = rules::by_code(number);
    let name = findings.first().map_or("", |f| f.name);
    let severity = findings
        .iter()
        .map(|f| f.severity)
        .max()
        .unwrap_or(Severity::Note);
    let mark = match severity {
        Severity::Error => "🔴",
        Severity::Warning => "🟡",
        Severity::Note => "🔵",
    };
    let count = lang.plural(findings.len() as u64, severity_word(findings, severity));
    let tag = if open { "<details open>" } else { "<details>" };
    let mut text = format!("{tag}<summary>{mark} <b>{number} {name}</b>: {count}</summary>\n\n");
    if let Some(rule) = rule {
        let summary = sentence(lang.summary(rule));
        let severity = lang.say(rule.severity.name());
        let command = format!("`yuangs-verify explain {number}`");
        let fix = lang.fill(
            "{0} ({1}). How to fix it: {2}",
            &[&summary, &severity, &command],
        );
        text.push_str(&format!("{fix}\n\n"));
    }
    let groups = fold(findings.iter().copied());
    for group in groups.iter().take(limit) {
        text.push_str(&entry(group, lang));
    }
    let unlisted: usize = groups.iter().skip(limit).map(|g| g.same.len() + 1).sum();
    if let Some(more) = Some(unlisted).filter(|n| *n > 0) {
        let more = lang.plural(more as u64, "more finding");
        let more = lang.fill("{0} of this rule not listed", &[&more]);
        text.push_str(&format!("- {more}\n"));
    }
    text.push_str("\n</details>\n\n");
    text
}

/// Returns the noun to count findings by: their severity if they share one, or `finding`.
fn severity_word(findings: &[&Finding], severity: Severity) -> &'static str {
    if findings.iter().all(|f| f.severity == severity) {
        severity.name()
    } else {
        "finding"
    }
}

fn sentence(summary: &str) -> String {
    // Summaries are part of this program, so their backticks mark code.
    let mut chars = summary.chars();
    chars
        .next()
        .map(|c| c.to_uppercase().collect::<String>() + chars.as_str())
        .unwrap_or_default()
}

fn entry(group: &Group<'_>, lang: Lang) -> String {
    let finding = group.first;
    let mut about = Vec::new();
    if let Some(id) = &finding.execution {
        about.push(lang.fill("execution {0}", &[&clipped(id)]));
    }
    if let Some(turn) = finding.turn {
        about.push(lang.fill("turn {0}", &[&turn]));
    }
    let about = if about.is_empty() {
        String::new()
    } else {
        format!(" ({})", lang.list(&about))
    };
    let same = match group.same.len() {
        0 => String::new(),
        same => lang.fill(
            ", and {0} elsewhere",
            &[&lang.plural(same as u64, "equal note")],
        ),
    };
    let mut text = format!(
        "- {}: {}{about}{same}\n",
        clipped(&words::position(&finding.place)),
        message(&words::clip(&finding.message, TEXT))
    );
    if let Some(excerpt) = &finding.place.excerpt {
        let part = |from: usize, to: usize| excerpt.text.get(from..to).unwrap_or_default();
        let (from, to) = excerpt.span;
        let dots = |cut: bool| if cut { "…" } else { "" };
        let before = format!("{}{}", dots(excerpt.cut_before), part(0, from));
        let after = format!(
            "{}{}",
            part(to, excerpt.text.len()),
            dots(excerpt.cut_after)
        );
        text.push_str("  ");
        text.push_str(&block(&before, part(from, to), &after));
    }
    for related in finding.related.iter().take(3) {
        text.push_str(&format!(
            "  - {}: {}\n",
            lang.fill("line {0}", &[&related.line]),
            message(&words::clip(&related.message, TEXT))
        ));
    }
    if let Some(more) = finding.related.len().checked_sub(3).filter(|n| *n > 0) {
        text.push_str(&format!(
            "  - {}\n",
            lang.plural(more as u64, "more related line")
        ));
    }
    text
}

/// Returns the counts of verified items, and the command that reproduces the result.
pub(super) fn foot(run: &Run<'_>) -> String {
    let lang = run.text.lang;
    let mut text = format!("### {}\n\n", lang.say("What was checked"));
    let looked_at = words::verified_counts(run.report, run.text);
    text.push_str(&lang.fill("{0}.", &[&looked_at]));
    let unchecked = run.report.counts.signatures_unchecked;
    if unchecked > 0 {
        let verb = if unchecked == 1 { "was" } else { "were" };
        text.push_str(&lang.fill(
            " {0} {1} not checked: no trust file was given.",
            &[&lang.plural(unchecked, "signature"), &verb],
        ));
    }
    text.push_str("\n\n");
    for notice in run.report.notices.iter().take(NOTICES) {
        text.push_str(&format!("- {}\n", message(&words::clip(notice, TEXT))));
    }
    if let Some(more) = run
        .report
        .notices
        .len()
        .checked_sub(NOTICES)
        .filter(|n| *n > 0)
    {
        text.push_str(&format!("- {}\n", lang.plural(more as u64, "more notice")));
    }
    text.push_str(&format!(
        "\n{}: {}\n\n",
        lang.say("The same at home"),
        code(&words::clip(run.command, COMMAND))
    ));
    text.push_str(&format!(
        "<sub>{} {}</sub>\n",
        env!("CARGO_PKG_NAME"),
        env!("CARGO_PKG_VERSION")
    ));
    text
}
