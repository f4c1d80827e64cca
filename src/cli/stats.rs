//! `stats`: counts turns, decisions, failures and costs.

use super::common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_NOTHING_VERIFIED};
use super::common::formats::DocumentFormat;
use super::executions::ReadArgs;
use super::output::{Color, Failure, warn};
use super::reports::lang_parser;
use crate::report::Lang;
use crate::trajectory::stats::{page, stats};
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
}

impl StatsArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let reading = self.read.read(&self.traces)?;
        let document = stats(&reading.book);
        self.format
            .print(self.color, || page(&document, self.lang), || &document)?;
        Ok(match () {
            () if reading.unopened > 0 => {
                warn("not everything was counted: an input can't be opened");
                EXIT_ERROR
            }
            () if reading.book.is_empty() => {
                warn("nothing was counted: no execution and no record was found");
                EXIT_NOTHING_VERIFIED
            }
            () => EXIT_CLEAN,
        })
    }
}
