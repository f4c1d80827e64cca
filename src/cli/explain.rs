//! `explain`: explains a trace turn by turn, or a rule.

use super::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_NOTHING_VERIFIED};
use super::common::formats::DocumentFormat;
use super::executions::ReadArgs;
use super::knowledge::ask;
use super::output::{Color, Failure, print_prose, warn};
use super::reports::lang_parser;
use crate::diag::Code;
use crate::report::Lang;
use crate::report::page::Format as PageFormat;
use crate::rules::{self, Page, Rule};
use crate::trajectory::ExecutionSet;
use crate::trajectory::explain::{Detail, Document, page};
use crate::trajectory::graph::Graph;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Traces (files, folders, or `-`), or one rule: a code such as YV301 or a name such as
    /// unauthorised-execution. A file with the name of a rule is written `./YV301`.
    #[arg(required = true, value_name = "TRACE|RULE")]
    what: Vec<PathBuf>,
    /// Show only the execution with this id.
    #[arg(long, value_name = "ID")]
    execution: Option<String>,
    /// Show only this turn.
    #[arg(long, value_name = "N")]
    turn: Option<i64>,
    /// Also show evidence and provenance from this knowledge graph (JSONL edges).
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// Also show what an index of knowledge contains about the executions, their skills and the
    /// graph, with source lines. `knowledge reindex` writes it (`.yuangs/index.db`).
    #[arg(long, value_name = "FILE")]
    index: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_parser = DocumentFormat::parser(), default_value = "text")]
    format: DocumentFormat,
    /// Write the fixed words in text, Markdown and HTML in this language. JSON stays as it is.
    #[arg(long, value_parser = lang_parser(), default_value = "en", value_name = "LANG")]
    lang: Lang,
    /// Show at most N lines of a command or a result, and twice as many of a diff. Omitted lines
    /// are counted.
    #[arg(long, default_value_t = Detail::default().lines, value_name = "N")]
    lines: usize,
    /// Use colours always, never, or only on a terminal.
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,
    #[command(flatten)]
    read: ReadArgs,
}

/// Returns the rule with this code or name.
fn rule(word: &str) -> Option<&'static Rule> {
    // Accept American spellings too.
    let british = |name: &str| name.to_ascii_lowercase().replace("iz", "is");
    let by_name = || {
        let mut rules = rules::ALL.iter();
        rules.find(|r| british(r.name) == british(word)).copied()
    };
    Code::parse(word).and_then(rules::by_code).or_else(by_name)
}

/// Returns the page of a rule with its title. Another language has its summary and headings.
fn rule_page(rule: &Rule, lang: Lang) -> String {
    let page = Page::from_rule(rule);
    if lang == Lang::En {
        return page.titled(rule);
    }
    let severity = lang.say(rule.severity.name());
    let mut text = format!("# {} {} ({severity})\n\n", rule.code, rule.name);
    text.push_str(&lang.fill("{0}.", &[&lang.summary(rule)]));
    text.push_str("\n\n");
    for line in page.markdown.lines() {
        match line.strip_prefix("## ") {
            Some(heading) => text.extend(["## ", lang.say_if_known(heading)]),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

impl ExplainArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        if let [what] = self.what.as_slice() {
            let word = what.to_string_lossy();
            if let Some(rule) = rule(word.trim()) {
                let markdown = DocumentFormat::Page(PageFormat::Markdown);
                if self.format != DocumentFormat::TEXT && self.format != markdown {
                    return Err(Failure::unable(
                        "the page of a rule is written as text or Markdown only",
                        "`yuangs-verify rules --format json` lists the rules for programs",
                    ));
                }
                print_prose(self.color, |out| {
                    write!(out, "{}", rule_page(rule, self.lang))
                })?;
                return Ok(EXIT_CLEAN);
            }
            if *word != *"-"
                && let Err(error) = what.metadata()
            {
                let is_there =
                    what.symlink_metadata().is_ok() || error.kind() != std::io::ErrorKind::NotFound;
                return Err(if is_there {
                    Failure::unable(
                        format!("can't read `{}`: {error}", what.display()),
                        super::file::remedy(&error),
                    )
                } else {
                    let remedy =
                        "`yuangs-verify rules` lists the rules; a trace is a file or a folder";
                    let word = word.trim();
                    let words: Vec<String> = rules::ALL
                        .iter()
                        .flat_map(|rule| [rule.code.to_string(), rule.name.to_owned()])
                        .collect();
                    Failure::unknown(
                        format!("no rule is called `{word}`, and there is no such file"),
                        word,
                        words.iter().map(String::as_str),
                        remedy,
                    )
                });
            }
        }
        self.trace()
    }

    fn trace(&self) -> Result<u8, Failure> {
        let mut reading = self.read.read(&self.what)?;
        let graph = match &self.evidence {
            None => None,
            Some(path) => Some(Graph::parse(
                &super::file::text(path)?,
                &mut reading.secrets,
            )),
        };
        let mut book = reading.book;
        self.select(&mut book)?;
        if let Some(path) = &self.index {
            ask(path, &mut book, &reading.secrets)?;
        }
        if book.is_empty() && book.findings.is_empty() {
            warn("nothing was explained: no execution and no command is recorded");
            return Ok(EXIT_NOTHING_VERIFIED);
        }
        let detail = Detail {
            lines: self.lines,
            turn: self.turn,
        };
        if let (DocumentFormat::Json, Some(turn)) = (self.format, self.turn) {
            book.executions
                .iter_mut()
                .for_each(|e| e.turns.retain(|t| t.number == Some(turn)));
        }
        self.format.print(
            self.color,
            || page(&book, graph.as_ref(), detail, self.lang),
            || Document::of(&book, graph.as_ref()),
        )?;
        Ok(match () {
            () if reading.unopened > 0 => EXIT_ERROR,
            () if book.is_empty() => EXIT_NOTHING_VERIFIED,
            () => EXIT_CLEAN,
        })
    }

    /// Removes everything that wasn't requested.
    fn select(&self, book: &mut ExecutionSet) -> Result<(), Failure> {
        if let Some(id) = &self.execution {
            let name = crate::verify::execution_name(id);
            book.executions.retain(|e| e.execution_id == *name);
            book.commands.retain(|c| *c.id == **id);
            book.findings.clear();
            if book.is_empty() {
                return Err(Failure::unable(
                    format!("no execution is called `{id}`"),
                    "without --execution all are explained",
                ));
            }
        }
        if let Some(turn) = self.turn
            && !book
                .executions
                .iter()
                .any(|e| e.turns.iter().any(|t| t.number == Some(turn)))
        {
            return Err(Failure::unable(
                format!("there is no turn {turn}"),
                "without --turn all are explained",
            ));
        }
        Ok(())
    }
}
