//! Reports of an audit: those of `replay`, about the files of the sessions that it shows.

use crate::cli::common::inputs::Inputs;
use crate::cli::guard;
use crate::cli::output::Failure;
use crate::cli::progress::verify_inputs;
use crate::cli::reports::{DRAWN_TURNS, Target, base, shell_line, statistics, write_files};
use crate::diag::FailOn;
use crate::report::{Format, Outcome, Run, TextOptions};
use crate::source::{Found, Missing};
use crate::verify::Options;
use std::path::Path;

/// Checks that each report may be written to its target, before anything is read.
pub(super) fn check(targets: &[Target], inputs: &[Result<Found, Missing>]) -> Result<(), Failure> {
    if targets.iter().any(|target| target.file().is_none()) {
        return Err(Failure::unable(
            "the audit itself goes to standard output",
            "name a file: --report FORMAT=PATH",
        ));
    }
    let mut apart = Inputs::default();
    apart.add_found(inputs);
    let files = || targets.iter().filter_map(Target::file);
    apart.keep_apart(files())?;
    files().try_for_each(|path| guard::check(path, guard::Exemption::Nothing))
}

/// Replays the files and writes the reports.
pub(super) fn write(
    targets: &[Target],
    text: TextOptions,
    inputs: &[Result<Found, Missing>],
    options: Options,
    fail_on: FailOn,
) -> Result<(), Failure> {
    if targets.is_empty() {
        return Ok(());
    }
    let with_turns = targets.iter().any(|target| target.format == Format::Html);
    let options = Options {
        max_turns: if with_turns { DRAWN_TURNS } else { 0 },
        ..options
    };
    let mut report = verify_inputs(inputs, options, false);
    if fail_on == FailOn::Never && report.counts.errors > 0 {
        let notice = Outcome::not_enforced(report.counts.errors);
        report.notices.push(notice);
    }
    let outcome = Outcome::of(&report, fail_on.severity(), false);
    let names = inputs.iter().flatten().map(|found| found.name.clone());
    let words: Vec<String> = ["yuangs-verify".to_owned(), "replay".to_owned()]
        .into_iter()
        .chain(names)
        .collect();
    let statistics = statistics(targets, &report, text.lang);
    let base = base(Path::new("."));
    let run = Run {
        report: &report,
        outcome: &outcome,
        text,
        command: &shell_line(&words),
        statistics: statistics.as_ref(),
        base: base.as_ref(),
    };
    write_files(targets, &run)
}
