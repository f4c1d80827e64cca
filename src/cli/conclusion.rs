//! How a verification ends: its reports and its exit code.

use super::common::exit::exit_code;
use super::common::inputs::Inputs;
use super::guard;
use super::output::{Failure, warn};
use super::reports::{ReportArgs, Target, base, shell_line, statistics};
use crate::diag::FailOn;
use crate::report::{Outcome, Run, TextOptions};
use crate::verify::Report;
use clap::{Args, ValueEnum as _};
use std::path::Path;

/// Options of the end of a verification.
#[derive(Debug, Args)]
pub(super) struct Conclusion {
    #[command(flatten)]
    pub(super) reports: ReportArgs,
    /// Fail (exit 1) when there are findings this bad.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    pub(super) fail_on: FailOn,
    /// Print findings only: no verdicts, no notes, no counts.
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Print all executions, notes in full, every related line, and fingerprints.
    #[arg(short, long)]
    pub(super) verbose: bool,
}

/// The command that reproduces findings, without the options of its end.
pub(super) struct Reproduction<'r> {
    pub(super) name: &'r str,
    pub(super) format: Option<&'r str>,
    pub(super) words: &'r [String],
    pub(super) paths: Vec<String>,
}

impl Conclusion {
    /// Returns whether reports or severities are asked for.
    pub(super) fn is_given(&self) -> bool {
        self.fail_on != FailOn::Error || self.verbose || self.reports.is_given()
    }

    /// Returns the targets of the reports. None of them may be an input or one of the gate's own
    /// files.
    pub(super) fn targets(&self, inputs: &Inputs) -> Result<Vec<Target>, Failure> {
        let targets = self.reports.targets()?;
        inputs.keep_apart(targets.iter().filter_map(Target::file))?;
        targets
            .iter()
            .filter_map(Target::file)
            .try_for_each(|path| guard::check(path, guard::Exemption::Nothing))?;
        Ok(targets)
    }

    /// Writes the reports and returns the exit code.
    pub(super) fn write(
        &self,
        (mut report, schema_only): (Report, bool),
        targets: &[Target],
        command: &Reproduction<'_>,
    ) -> Result<u8, Failure> {
        if self.fail_on == FailOn::Never && report.counts.errors > 0 {
            report
                .notices
                .push(Outcome::not_enforced(report.counts.errors));
        }
        let outcome = Outcome::of(&report, self.fail_on.severity(), schema_only);
        let lang = self.reports.lang;
        let text = TextOptions {
            lang,
            quiet: self.quiet,
            verbose: self.verbose,
            schema_only,
            ..TextOptions::default()
        };
        let statistics = statistics(targets, &report, lang);
        let base = base(Path::new("."));
        let run = Run {
            report: &report,
            outcome: &outcome,
            text,
            command: &self.command(command),
            statistics: statistics.as_ref(),
            base: base.as_ref(),
        };
        self.reports.write(targets, &run)?;
        if let Some(sentence) = outcome.sentence() {
            warn(lang.say_if_known(sentence));
        }
        Ok(exit_code(&outcome))
    }

    /// Returns the command that reproduces the findings locally, for readers of a report.
    fn command(&self, command: &Reproduction<'_>) -> String {
        let mut words = vec!["yuangs-verify".to_owned(), command.name.to_owned()];
        if let Some(format) = command.format {
            words.extend(["--format-in".to_owned(), format.to_owned()]);
        }
        if self.fail_on != FailOn::Error {
            let name = self
                .fail_on
                .to_possible_value()
                .map(|v| v.get_name().to_owned());
            words.extend(["--fail-on".to_owned(), name.unwrap_or_default()]);
        }
        words.extend_from_slice(command.words);
        words.push("--".to_owned());
        words.extend_from_slice(&command.paths);
        shell_line(&words)
    }
}
