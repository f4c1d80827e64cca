//! `stats`: counts turns, decisions, failures and costs.

use super::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_NOTHING_VERIFIED};
use super::common::formats::DocumentFormat;
use super::executions::ReadArgs;
use super::file::traces;
use super::output::{Color, Failure, warn};
use super::progress::verify_inputs;
use super::reports::lang_parser;
use super::shares::ShareArgs;
use crate::report::Lang;
use crate::source::survey;
use crate::trajectory::ExecutionSet;
use crate::trajectory::stats::{page, stats};
use crate::verify::Report;
use crate::verify::partial::{Command, RunOptions, Work};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `stats`.
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// Traces: files, folders, or `-` for standard input.
    #[arg(required = true, value_name = "TRACES")]
    traces: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_parser = DocumentFormat::parser(), default_value = "text")]
    format: DocumentFormat,
    /// Write the fixed words in text, Markdown and HTML in this language. JSON stays as it is.
    #[arg(long, value_parser = lang_parser(), default_value = "en", value_name = "LANG")]
    lang: Lang,
    /// Use colours always, never, or only on a terminal.
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    share: ShareArgs,
}

impl StatsArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        if let Some(path) = &self.share.partial {
            let mut options = self.read.options()?;
            let run = RunOptions {
                command: Command::Stats,
                ..RunOptions::of(&options)
            };
            let found = (survey(&self.traces), &*self.traces);
            return self
                .share
                .write(path, found, (&mut options, run), Work::Verify, false);
        }
        let report = verify_inputs(&traces(&self.traces), self.read.options()?, false);
        print_stats(report, self.format, (self.lang, self.color))
    }
}

/// Prints the statistics of a verification.
pub(super) fn print_stats(
    report: Report,
    format: DocumentFormat,
    (lang, color): (Lang, Color),
) -> Result<u8, Failure> {
    let unopened = report.counts.unopened;
    let set = ExecutionSet::of(report);
    let document = stats(&set);
    format.print(color, || page(&document, lang), || &document)?;
    Ok(match () {
        () if unopened > 0 => {
            warn("not everything was counted: an input can't be opened");
            EXIT_ERROR
        }
        () if set.is_empty() => {
            warn("nothing was counted: no execution and no record was found");
            EXIT_NOTHING_VERIFIED
        }
        () => EXIT_CLEAN,
    })
}
