//! Reads traces into an [`ExecutionSet`], for commands about whole executions.

use super::common::formats::trace_format;
use super::common::secrets::secret_rules;
use super::file::traces;
use super::output::Failure;
use super::progress::verify_inputs;
use crate::replay::Assessor;
use crate::rules::Settings;
use crate::trace::Format;
use crate::trajectory::ExecutionSet;
use crate::verify::{Options, Report};
use clap::Args;
use content_scan::mask::Mask;
use std::path::PathBuf;

/// Options for reading traces.
#[derive(Debug, Args)]
pub(super) struct ReadArgs {
    /// Read every input as this format instead of finding out.
    #[arg(long, value_name = "NAME", value_parser = trace_format)]
    format_in: Option<Format>,
    /// Keep at most so many turns and count the rest. Without it 20,000 are kept; `export --table
    /// turns` as jsonl or parquet keeps none and has no limit.
    #[arg(long, value_name = "N")]
    pub(super) max_turns: Option<usize>,
}

/// Default number of turns that are kept.
const KEPT_TURNS: usize = 20_000;

/// The result of reading traces.
pub(super) struct Reading {
    pub(super) book: ExecutionSet,
    /// The secrets found. They are already masked in `book`.
    pub(super) secrets: Mask,
    /// Number of inputs that couldn't be opened.
    pub(super) unopened: u64,
    /// Number of records that weren't read, or weren't replayed.
    pub(super) refused: u64,
}

/// Returns the number of records of a run that weren't read, or weren't replayed.
pub(super) fn refused(report: &Report) -> u64 {
    report.inputs.iter().map(|input| input.units.refused).sum()
}

/// Returns the settings with which whole executions are read.
pub(super) fn settings() -> Settings {
    Settings {
        assessor: Assessor::V1,
        ..Settings::default()
    }
}

impl ReadArgs {
    /// Returns the options for reading and replaying.
    ///
    /// # Errors
    /// When the rules for secrets can't be loaded, since secrets would be shown then.
    pub(super) fn options(&self) -> Result<Options, Failure> {
        secret_rules()?;
        let settings = settings();
        Ok(Options {
            format: self.format_in,
            max_turns: self.max_turns.unwrap_or(KEPT_TURNS),
            settings,
            ..Options::default()
        })
    }

    /// Reads and replays the traces.
    ///
    /// # Errors
    /// When the rules for secrets can't be loaded, since secrets would be shown then.
    pub(super) fn read(&self, paths: &[PathBuf]) -> Result<Reading, Failure> {
        let mut report = verify_inputs(&traces(paths), self.options()?, false);
        let secrets = std::mem::take(&mut report.secrets);
        let unopened = report.counts.unopened;
        let refused = refused(&report);
        Ok(Reading {
            book: ExecutionSet::of(report),
            secrets,
            unopened,
            refused,
        })
    }
}
