//! `--shard` and `--partial`: verifies a share of the inputs. `merge`: reports on all shares.

use super::audit::{MergedAudits, condense};
use super::common::exit::EXIT_CLEAN;
use super::common::formats::{DocumentFormat, OutputFormat};
use super::common::inputs::Inputs;
use super::common::secrets::secret_rules;
use super::conclusion::{Conclusion, Reproduction};
use super::executions;
use super::output::{Failure, warn};
use super::policy::MergedDecisions;
use super::progress::{Progress, Unit};
use super::replay::ReplayArgs;
use super::reports::Target;
use super::stats::print_stats;
use super::write;
use crate::report::Format as ReportFormat;
use crate::report::page::Format as PageFormat;
use crate::source::{Discovery, Found, Missing, Plan, Share};
use crate::trajectory::versions;
use crate::trajectory::words::plural;
use crate::verify::partial::{
    Command, Header, Kept, MergeError, Merged, Merger, RunOptions, ShareRun, Work, merge,
};
use crate::verify::{Options, Report, skipped_sentence};
use clap::Args;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Options for a share of a run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Shares of a run on several machines")]
pub(super) struct ShareArgs {
    /// Read only share I of N. Each takes the inputs that begin in its part of all bytes, in the
    /// order of their names.
    #[arg(long, value_name = "I/N", requires = "partial")]
    shard: Option<Share>,
    /// Write a partial result for `merge` instead of reports.
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub(super) partial: Option<PathBuf>,
    /// Name the run. Partial results of different inputs can be merged if their runs have one name;
    /// take one that nobody who writes a trace can guess. The default is a hash of the names and
    /// sizes of all inputs.
    #[arg(long, value_name = "NAME", requires = "partial")]
    run_name: Option<String>,
}

impl ShareArgs {
    /// Verifies the share and writes its partial result.
    pub(super) fn write(
        &self,
        path: &Path,
        (found, paths): (Discovery, &[PathBuf]),
        (options, run): (&mut Options, RunOptions),
        work: Work<'_>,
        quiet: bool,
    ) -> Result<u8, Failure> {
        let Discovery { inputs, skipped } = found;
        let name = |input: &Result<Found, Missing>| match input {
            Ok(found) => found.name.clone(),
            Err(missing) => missing.name.clone(),
        };
        if let Some([one, _]) = inputs.array_windows().find(|[a, b]| name(a) == name(b)) {
            return Err(Failure::unable(
                format!("two inputs are called `{}`", name(one)),
                "name each once: a share is merged by the names of its inputs",
            ));
        }
        if path.as_os_str() == "-" {
            return Err(Failure::unable(
                "a partial result goes to a file",
                "name one with --partial FILE",
            ));
        }
        let mut apart = Inputs::default();
        apart.add_found(&inputs);
        apart.keep_apart([path])?;
        let plan = Plan::new(&inputs)
            .map_err(|why| Failure::unable(why, "name the files or folders instead"))?;
        let share = self.shard.unwrap_or(Share::WHOLE);
        let total = plan.parts(share).map(|p| p.bytes.end - p.bytes.start).sum();
        let progress = Progress::start("replaying", Unit::Bytes, total, quiet);
        options.bytes_read = Some(progress.done());
        let name = self.run_name.clone();
        let paths = path_names(paths);
        let header = Header::new((&plan, share), (name, run), paths);
        let (mut work, mut written) = (Some(work), None);
        write::write_with(path, &mut |file| {
            let mut to = BufWriter::new(file);
            let run = ShareRun {
                inputs: &inputs,
                plan: &plan,
                share,
                header: &header,
                skipped: skipped.clone(),
                options,
            };
            let work = work.take().ok_or(io::ErrorKind::Other)?;
            written = Some(run.write(work, &mut to)?);
            Ok(())
        })?;
        drop(progress);
        if let Some(written) = written.filter(|_| !quiet) {
            let opened = written.inputs.saturating_sub(written.unopened);
            let mut counts = vec![plural(opened, "input")];
            if written.unopened > 0 {
                counts.push(format!("{} can't be opened", written.unopened));
            }
            // A share of decisions has no executions.
            if header.options.command != Command::PolicyReplay {
                counts.push(plural(written.executions, "execution"));
                counts.push(plural(written.findings, "finding"));
            }
            let counts = counts.join(", ");
            warn(&format!(
                "share {share}: {counts}; `merge` makes the report"
            ));
        }
        Ok(EXIT_CLEAN)
    }
}

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The partial results of all shares, in any order.
    #[arg(required = true, value_name = "PARTIAL")]
    partials: Vec<PathBuf>,
    #[command(flatten)]
    conclusion: Conclusion,
}

impl MergeArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        secret_rules()?;
        let mut apart = Inputs::default();
        for partial in &self.partials {
            apart.add(partial);
        }
        let targets = self.conclusion.targets(&apart)?;
        let mut shares = Shares::default();
        let merged = merge(&self.partials, &mut shares).map_err(|error| cannot_merge(&error))?;
        let Shares { audits, decisions } = shares;
        match merged.header.options.command {
            Command::Replay => self.report(merged, &targets),
            Command::Stats => {
                warn_of_skipped(&merged.report);
                let reports = &self.conclusion.reports;
                let format = document_format(reports.on_stdout()?)?;
                print_stats(merged.report, format, (reports.lang, reports.color))
            }
            Command::Audit => {
                let reports = &self.conclusion.reports;
                let format = output_format(reports.on_stdout()?)?;
                let page = (format, reports.lang, reports.color);
                audits.print(merged.report, page, self.conclusion.fail_on)
            }
            Command::PolicyReplay => {
                warn_of_skipped(&merged.report);
                let reports = &self.conclusion.reports;
                let page = (output_format(reports.on_stdout()?)?, reports.color);
                let end = (self.conclusion.fail_on, self.conclusion.verbose);
                decisions.print(&merged.header.options, merged.report, page, end)
            }
        }
    }

    /// Writes the reports of a replay.
    fn report(&self, merged: Merged, targets: &[Target]) -> Result<u8, Failure> {
        let (mut report, run) = (merged.report, merged.header.options);
        if run.max_turns == 0 && targets.iter().any(|t| t.format == ReportFormat::Html) {
            return Err(Failure::unable(
                "the partial results contain no turns, which a page draws",
                "write them with `--max-turns 2000`, or choose another format",
            ));
        }
        report
            .notices
            .extend(skipped_sentence(&report.skipped, report.counts.skipped));
        report.notices.extend(report.silent.sentence());
        if run.with_versions {
            let sentences = versions::sentences(&report.timeline);
            report.notices.extend(sentences);
        }
        let reproduction = Reproduction {
            name: "replay",
            format: run.format.as_deref(),
            words: &run.words,
            paths: merged.paths,
        };
        self.conclusion
            .write((report, false), targets, &reproduction)
    }
}

/// What the shares of a run have kept beside findings.
#[derive(Debug, Default)]
struct Shares {
    audits: MergedAudits,
    decisions: MergedDecisions,
}

impl Merger for Shares {
    fn reread(
        &mut self,
        header: &Header,
        read: &mut dyn FnMut(&Options, Work<'_>),
    ) -> Result<(), String> {
        let run = &header.options;
        let with = |settings| Options {
            settings,
            ..run.restored()
        };
        match run.command {
            Command::Replay => {
                let settings = ReplayArgs::settings_of(run).map_err(|error| error.to_string())?;
                read(&with(settings), Work::Verify);
            }
            Command::Stats => read(&with(executions::settings()), Work::Verify),
            Command::Audit => read(&with(executions::settings()), Work::Condense(&mut condense)),
            Command::PolicyReplay => {
                let read = MergedDecisions::reread(run, read);
                read.map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    fn add(&mut self, command: Command, kept: &[Kept]) -> io::Result<bool> {
        match (command, kept) {
            (Command::PolicyReplay, pieces) => self.decisions.add(pieces),
            (Command::Audit, [input]) => self.audits.add(input).map(|()| true),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

fn warn_of_skipped(report: &Report) {
    if let Some(skipped) = skipped_sentence(&report.skipped, report.counts.skipped) {
        warn(&skipped);
    }
}

/// Returns the format of a document that is text or JSON.
fn output_format(format: ReportFormat) -> Result<OutputFormat, Failure> {
    match format {
        ReportFormat::Text => Ok(OutputFormat::Text),
        ReportFormat::Json => Ok(OutputFormat::Json),
        _ => Err(Failure::unable(
            "what the partial results say is text or JSON",
            "choose one of them with --format",
        )),
    }
}

/// Returns the format of a document that isn't a report on findings.
pub(super) fn document_format(format: ReportFormat) -> Result<DocumentFormat, Failure> {
    Ok(match format {
        ReportFormat::Json => DocumentFormat::Json,
        ReportFormat::Text => DocumentFormat::TEXT,
        ReportFormat::Markdown => DocumentFormat::Page(PageFormat::Markdown),
        ReportFormat::Html => DocumentFormat::Page(PageFormat::Html),
        _ => {
            return Err(Failure::unable(
                format!("`{}` only tells of findings", format.name()),
                "text, json, markdown and html can",
            ));
        }
    })
}

fn cannot_merge(error: &MergeError) -> Failure {
    let remedy = match error {
        MergeError::Unreadable { .. } => {
            "name files that shares wrote with --partial FILE, and write damaged ones again"
        }
        MergeError::Invalid(..) => "write it again with --partial",
        MergeError::Different { .. } => {
            "write all with one version, the same options, and the same inputs or --run-name"
        }
        MergeError::Missing { .. } => "name the partial results of all shares",
        MergeError::Doubled { .. } | MergeError::DoubledInput { .. } => {
            "name each share and each input once"
        }
        MergeError::Changed(_) => "write all partial results again",
        MergeError::NeedsInput(_) => {
            "merge where the inputs are: they are looked for under the names that the shares gave them"
        }
        MergeError::Options(_) => "merge where the files are that the options name",
        MergeError::Full(_) => "write all partial results with a higher limit",
    };
    Failure::unable(error.to_string(), remedy)
}

/// Checks that a partial result can name files of options, which `merge` reads again.
pub(super) fn check_named<'p>(mut files: impl Iterator<Item = &'p Path>) -> Result<(), Failure> {
    match files.find(|file| file.to_str().is_none()) {
        None => Ok(()),
        Some(file) => Err(Failure::unable(
            format!("the path `{}` isn't valid UTF-8", file.display()),
            "a partial result names it for `merge`: name it otherwise, or by a symbolic link",
        )),
    }
}

/// Returns paths as a command shows them.
pub(super) fn path_names(paths: &[PathBuf]) -> Vec<String> {
    let paths = paths.iter();
    paths.map(|p| p.to_string_lossy().into_owned()).collect()
}
