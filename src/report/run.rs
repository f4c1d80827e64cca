//! The input of every emitter, and the list of formats.

use super::{Base, Lang, Outcome, TextOptions, words};
use super::{github, gitlab, html, jsonl, junit, markdown, rdjson, sarif, write_json, write_text};
use crate::diag::Finding;
use crate::replay::{Answer, Summary};
use crate::verify::Report;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// A verification to report.
#[derive(Debug, Clone, Copy)]
pub struct Run<'r> {
    pub report: &'r Report,
    /// The outcome of the verification.
    pub outcome: &'r Outcome,
    /// Options of the report for people.
    pub text: TextOptions,
    /// The command that reproduces the result locally.
    pub command: &'r str,
    /// Counts and distributions, for formats that show them.
    pub statistics: Option<&'r super::page::Page>,
    /// The repository that the inputs belong to, if known.
    pub base: Option<&'r Base>,
}

/// The formats of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Text for people.
    Text,
    /// One JSON object (schema `report`).
    Json,
    /// One JSON object per line (schema `report-line`).
    Jsonl,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML with a test case per execution.
    Junit,
    /// Workflow commands that GitHub shows as annotations.
    Github,
    /// Markdown for a job summary.
    Markdown,
    /// Markdown for a comment on a pull request.
    MarkdownComment,
    /// One page with verdicts, timelines and findings, for audits.
    Html,
    Gitlab,
    /// Reviewdog's diagnostics, one per line.
    Rdjsonl,
}

impl Format {
    pub const ALL: [Self; 11] = [
        Self::Text,
        Self::Json,
        Self::Jsonl,
        Self::Sarif,
        Self::Junit,
        Self::Github,
        Self::Markdown,
        Self::MarkdownComment,
        Self::Html,
        Self::Gitlab,
        Self::Rdjsonl,
    ];

    /// Returns the name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Sarif => "sarif",
            Self::Junit => "junit",
            Self::Github => "github",
            Self::Markdown => "markdown",
            Self::MarkdownComment => "markdown-comment",
            Self::Html => "html",
            Self::Gitlab => "gitlab",
            Self::Rdjsonl => "rdjsonl",
        }
    }

    /// Returns a short description of the purpose.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Text => "For people",
            Self::Json => "One JSON object (schema `report`)",
            Self::Jsonl => "One JSON object a line (schema `report-line`)",
            Self::Sarif => "SARIF 2.1.0, for code scanning",
            Self::Junit => "JUnit XML: a test case for each execution",
            Self::Github => "Annotations of GitHub Actions (workflow commands)",
            Self::Markdown => "Markdown for a job summary (at most 1 MiB)",
            Self::MarkdownComment => "Markdown for a comment (at most 65,536 characters)",
            Self::Html => "One page with verdicts, timelines of turns and findings",
            Self::Gitlab => "GitLab code quality",
            Self::Rdjsonl => "Diagnostics for reviewdog, one a line",
        }
    }

    /// Returns true if the fixed text of the format follows the language of the run, as in all
    /// formats for people.
    #[must_use]
    pub const fn has_languages(self) -> bool {
        matches!(
            self,
            Self::Text | Self::Markdown | Self::MarkdownComment | Self::Html
        )
    }

    /// Returns the format with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
}

impl Run<'_> {
    /// Writes the report in a format. Text contains colours, which the caller's stream strips where
    /// they aren't supported.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        let lang = if format.has_languages() {
            self.text.lang
        } else {
            Lang::En
        };
        let text = TextOptions {
            unenforced: matches!(self.outcome, Outcome::Unenforced(_)),
            lang,
            ..self.text
        };
        let run = &Self { text, ..*self };
        match format {
            Format::Text => write_text(run.report, text, out),
            Format::Json => write_json(run.report, out),
            Format::Jsonl => jsonl::write(run, out),
            Format::Sarif => sarif::write(run, out),
            Format::Junit => junit::write(run, out),
            Format::Github => github::write(run, out),
            Format::Markdown => markdown::write(run, markdown::SUMMARY, out),
            Format::MarkdownComment => markdown::write(run, markdown::COMMENT, out),
            Format::Html => html::write(run, out),
            Format::Gitlab => gitlab::write(run, out),
            Format::Rdjsonl => rdjson::write(run, out),
        }
    }

    /// Returns the path of an input for platforms, which resolve paths from the root of the
    /// repository.
    pub(super) fn path<'n>(&self, name: &'n str) -> Cow<'n, str> {
        self.base
            .map_or(Cow::Borrowed(name), |base| base.name(name))
    }

    /// Returns the sentence about errors that fail nothing, if there are any, in the report's
    /// language.
    pub(super) fn unenforced(&self) -> Option<String> {
        match self.outcome {
            Outcome::Unenforced(errors) => Some(words::not_enforced(*errors, self.text.lang)),
            _ => None,
        }
    }

    /// Returns the grade of an execution, given whether it has an error.
    pub(super) fn grade(&self, summary: &Summary, has_error: bool) -> Grade {
        let grade = Grade::from_summary(summary, has_error);
        if self.unenforced().is_some() {
            grade.unenforced()
        } else {
            grade
        }
    }

    /// Groups the findings by file and id of their execution.
    pub(super) fn by_execution(&self) -> BTreeMap<(&str, &str), Vec<&Finding>> {
        let mut all: BTreeMap<_, Vec<&Finding>> = BTreeMap::new();
        for finding in &self.report.findings {
            if let Some(id) = &finding.execution {
                all.entry((&*finding.place.file, &**id))
                    .or_default()
                    .push(finding);
            }
        }
        all
    }

    /// Returns the findings by descending severity, and otherwise in input order.
    pub(super) fn worst_first(&self) -> Vec<&Finding> {
        let mut all: Vec<&Finding> = self.report.findings.iter().collect();
        all.sort_by_key(|f| std::cmp::Reverse(f.severity));
        all
    }
}

/// The verdict of an execution in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grade {
    /// Every question is answered with yes.
    Pass,
    /// A question is answered with no, or the execution has an error.
    Fail,
    /// A question can't be answered, because something isn't recorded.
    Incomplete,
    /// It would pass, but errors fail nothing in this run.
    Info,
}

impl Grade {
    /// Returns the grade of an execution, given whether it has an error.
    pub(super) fn from_summary(summary: &Summary, has_error: bool) -> Self {
        let verdict = &summary.verdict;
        let answers = [
            verdict.legal_path,
            verdict.authorised,
            verdict.governance_complete,
        ];
        if has_error || summary.failed_unlisted || answers.contains(&Answer::No) {
            Self::Fail
        } else if answers.contains(&Answer::NotRecorded) || summary.shows_nothing() {
            Self::Incomplete
        } else {
            Self::Pass
        }
    }

    /// Returns the grade for a run whose errors fail nothing. No execution passes in it.
    pub(super) const fn unenforced(self) -> Self {
        match self {
            Self::Pass => Self::Info,
            other => other,
        }
    }

    /// Returns the word for reports.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Incomplete => "PART",
            Self::Info => "INFO",
        }
    }
}

/// Returns the executions that have an error, as file and id.
pub(super) fn with_errors(report: &Report) -> BTreeSet<(&str, &str)> {
    let errors = report
        .findings
        .iter()
        .filter(|f| f.severity == crate::diag::Severity::Error);
    let listed = errors.filter_map(|f| Some((&*f.place.file, f.execution.as_deref()?)));
    listed
        .chain(
            report
                .failed_unlisted
                .iter()
                .map(|(file, id)| (&**file, &**id)),
        )
        .collect()
}
