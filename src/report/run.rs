//! The input of every emitter, and the list of formats.

use super::{Base, Lang, Outcome, TextOptions, words};
use super::{github, gitlab, html, jsonl, junit, markdown, rdjson, sarif, write_json, write_text};
use crate::diag::Finding;
use crate::replay::{Answer, Summary};
use crate::verify::Report;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// A verification that is to be reported.
#[derive(Debug, Clone, Copy)]
pub struct Run<'r> {
    pub report: &'r Report,
    /// How it ended.
    pub outcome: &'r Outcome,
    /// How the report for people is written.
    pub text: TextOptions,
    /// The command that gives the same result at home.
    pub command: &'r str,
    /// Counts and distributions, for a report that draws them.
    pub statistics: Option<&'r super::page::Page>,
    /// The repository that the inputs belong to, where one is known.
    pub base: Option<&'r Base>,
}

/// The formats of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object (schema `report`).
    Json,
    /// One JSON object a line (schema `report-line`).
    Jsonl,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, a test case for each execution.
    Junit,
    /// Workflow commands that GitHub shows as annotations.
    Github,
    /// Markdown for a job summary.
    Markdown,
    /// Markdown for a comment on a pull request.
    MarkdownComment,
    /// One page with everything, for people who audit.
    Html,
    /// GitLab code quality.
    Gitlab,
    /// Reviewdog's diagnostics, one a line.
    Rdjsonl,
}

impl Format {
    /// All formats.
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

    /// The word on the command line.
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

    /// What it is for, in a few words.
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

    /// Whether its fixed words follow the language of the run: those that people read do.
    #[must_use]
    pub const fn has_languages(self) -> bool {
        matches!(
            self,
            Self::Text | Self::Markdown | Self::MarkdownComment | Self::Html
        )
    }

    /// The format of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
}

impl Run<'_> {
    /// Writes the report in a format. Text carries colours; the caller's stream strips them where
    /// they don't belong.
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

    /// The path of an input for platforms, which look files up from the root of the repository.
    pub(super) fn path<'n>(&self, name: &'n str) -> Cow<'n, str> {
        self.base
            .map_or(Cow::Borrowed(name), |base| base.name(name))
    }

    /// The sentence about errors that fail nothing, if there are any, in the report's language.
    pub(super) fn unenforced(&self) -> Option<String> {
        match self.outcome {
            Outcome::Unenforced(errors) => Some(words::not_enforced(*errors, self.text.lang)),
            _ => None,
        }
    }

    /// The grade of an execution, given whether an error belongs to it.
    pub(super) fn grade(&self, summary: &Summary, has_error: bool) -> Grade {
        let grade = Grade::from_summary(summary, has_error);
        if self.unenforced().is_some() {
            grade.unenforced()
        } else {
            grade
        }
    }

    /// The findings by the execution that they belong to: file and id.
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

    /// The findings with the worst first, and otherwise in the order of the input.
    pub(super) fn worst_first(&self) -> Vec<&Finding> {
        let mut all: Vec<&Finding> = self.report.findings.iter().collect();
        all.sort_by_key(|f| std::cmp::Reverse(f.severity));
        all
    }
}

/// The verdict of an execution in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grade {
    /// Every question is answered yes.
    Pass,
    /// A question is answered no, or an error belongs to the execution.
    Fail,
    /// Something isn't recorded.
    Incomplete,
    /// It would pass, in a run whose errors fail nothing.
    Info,
}

impl Grade {
    /// The grade of an execution, given whether an error belongs to it.
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

    /// The grade in a run whose errors fail nothing: there no execution passes.
    pub(super) const fn unenforced(self) -> Self {
        match self {
            Self::Pass => Self::Info,
            other => other,
        }
    }

    /// The word.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Incomplete => "PART",
            Self::Info => "INFO",
        }
    }
}

/// The executions that have an error, as file and id.
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
