//! `gate`: the one command for a pull request.
//!
//! It reads the configuration, runs the steps that it names, puts what they found into one report,
//! and ends with one exit code. A step that isn't run is reported as not run.

mod account;
pub(super) mod attestation;
mod steps;
mod strict;

use super::common::exit::exit_code;
use super::common::inputs::Inputs;
use super::common::located::{LocatedConfig, RuleFile, RulesArgs};
use super::common::policy_files::policy_files;
use super::common::time::parse_time;
use super::guard::{self, Exemption};
use super::output::{Failure, warn};
use super::reports::{DRAWN_TURNS, ReportArgs, Target, base, shell_line, statistics};
use crate::config::{Applied, Baseline, Config, apply};
use crate::diag::{FailOn, assign_fingerprints};
use crate::report::{Format, Outcome, Run, TextOptions};
use crate::trace::Format as TraceFormat;
use crate::verify::Report;
use attestation::AttestArgs;
use clap::Args;
use governance::FsmVersion;
use std::path::{Path, PathBuf};

/// Default number of listed findings.
const LISTED_FINDINGS: usize = 1_000;

/// Run everything that the configuration names, and say whether it passes.
#[derive(Debug, Args)]
pub(super) struct GateArgs {
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    reports: ReportArgs,
    /// Fail (exit 1) when there are findings this bad, whatever the configuration says.
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Apply ignores with an expiry date as of this day, as 2027-01-31 or RFC 3339. Without it,
    /// they are skipped.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    now: Option<i64>,
    /// Pass despite the findings in this baseline.
    #[arg(long, value_name = "FILE", conflicts_with = "write_baseline")]
    baseline: Option<PathBuf>,
    /// Write what is found now as the baseline, and pass.
    #[arg(long, value_name = "FILE", conflicts_with = "attest")]
    write_baseline: Option<PathBuf>,
    /// List at most N findings (0: all) and count the rest.
    #[arg(long, default_value_t = LISTED_FINDINGS, value_name = "N")]
    max_findings: usize,
    /// Draw at most N turns in an HTML report and count the rest.
    #[arg(long, default_value_t = DRAWN_TURNS, value_name = "N")]
    max_turns: usize,
    #[command(flatten)]
    attest: AttestArgs,
    /// Print findings only: no verdicts, no notes, no counts.
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Print all executions, notes in full, every related line, and fingerprints.
    #[arg(short, long)]
    verbose: bool,
}

impl GateArgs {
    /// Creates a run of the configured gate with an attestation.
    pub(super) fn attesting(rules: RulesArgs, attest: AttestArgs, now: i64) -> Self {
        Self {
            rules,
            reports: ReportArgs::default(),
            fail_on: None,
            now: Some(now),
            baseline: None,
            write_baseline: None,
            max_findings: LISTED_FINDINGS,
            max_turns: DRAWN_TURNS,
            attest,
            quiet: false,
            verbose: false,
        }
    }

    pub(super) fn run(self) -> Result<u8, Failure> {
        let located = self.rules.locate(Path::new("."))?;
        let config = &located.config;
        let targets = self.targets(&located)?;
        let max_turns = if targets.iter().any(|t| t.format == Format::Html) {
            self.max_turns
        } else {
            0
        };
        let baseline = located.baseline(self.baseline.as_deref())?;
        self.keep_apart(&located, &targets)?;
        let before = self.attest.before(&located, baseline.as_ref())?;
        let steps::StepResult {
            mut report,
            missing,
            lacking,
        } = steps::run(
            &located,
            steps::StepOptions {
                max_turns,
                quiet: self.quiet,
            },
        )?;
        report.notices.splice(0..0, located.notices.iter().cloned());
        report
            .findings
            .sort_by_cached_key(crate::diag::Finding::order);
        assign_fingerprints(&mut report.findings);
        let applied = self.apply(&mut report, &located, baseline.as_ref())?;
        report.notices.extend(applied.notices.iter().cloned());
        report.notices.extend(
            config
                .not_run()
                .into_iter()
                .map(|name| format!("[{name}] is configured and not run by the gate")),
        );
        let threshold = self
            .fail_on
            .or(config.fail_on)
            .unwrap_or(FailOn::Error)
            .severity();
        if threshold.is_none() {
            report.notices.push(
                "findings fail nothing here, however bad they are (fail-on = \"never\")".into(),
            );
            if report.counts.errors > 0 {
                report
                    .notices
                    .push(Outcome::not_enforced(report.counts.errors));
            }
        }
        let outcome = match (outcome(&mut report, threshold, missing, config), lacking) {
            (Outcome::Clean | Outcome::Unenforced(_), Some(lacking)) => Outcome::Empty(lacking),
            (outcome, _) => outcome,
        };
        let lang = self.reports.lang;
        let text = TextOptions {
            lang,
            quiet: self.quiet,
            verbose: self.verbose,
            ..TextOptions::default()
        };
        let command = shell_line(
            &[
                &["yuangs-verify".into(), "gate".into()],
                &located.arguments()[..],
            ]
            .concat(),
        );
        let statistics = statistics(&targets, &report, lang);
        let base = base(&located.root);
        if self.max_findings > 0 {
            report.cut(self.max_findings);
        }
        let run = Run {
            report: &report,
            outcome: &outcome,
            text,
            command: &command,
            statistics: statistics.as_ref(),
            base: base.as_ref(),
        };
        self.reports.write(&targets, &run)?;
        self.attest.after(
            before,
            &located,
            baseline.as_ref(),
            (&report, &applied, &outcome, self.now.unwrap_or_default()),
        )?;
        if let Some(sentence) = outcome.sentence() {
            warn(lang.say_if_known(sentence));
        }
        Ok(exit_code(&outcome))
    }

    /// Returns the reports of the command line and of the configuration. Paths in the configuration
    /// are relative to it.
    fn targets(&self, located: &LocatedConfig) -> Result<Vec<Target>, Failure> {
        let mut targets = self.reports.targets()?;
        for (name, path) in &located.config.reports {
            let format = Format::parse(name).ok_or_else(|| {
                let known = Format::ALL.map(Format::name).join(", ");
                Failure::unable(
                    format!("[reports]: no format is called `{name}`"),
                    format!("formats: {known}"),
                )
            })?;
            let path = located.root.join(path);
            if !located.holds(&path) {
                let message = format!(
                    "[reports]: `{}` leads out of the folder of the configuration",
                    path.display()
                );
                return Err(Failure::unable(
                    message,
                    "symbolic links aren't followed; --report goes anywhere",
                ));
            }
            if !targets.iter().any(|t| t.path == path) {
                targets.push(Target { format, path });
            }
        }
        Ok(targets)
    }

    /// Checks that no output is an input, in the work tree or at another revision. Only a baseline
    /// may replace itself.
    fn keep_apart(&self, located: &LocatedConfig, targets: &[Target]) -> Result<(), Failure> {
        let config = &located.config;
        let (attestation, key) = self.attest.files();
        let mut inputs = Inputs::default();
        let below = |file: &String| located.root.join(file);
        let name = located.path.file_name().map(|name| located.root.join(name));
        let files = [
            Some(located.path.clone()),
            name,
            config.keys.as_ref().map(|k| below(&k.file)),
            config
                .repo_map
                .as_ref()
                .and_then(|m| m.file.as_ref())
                .map(below),
            key.map(Path::to_path_buf),
        ];
        files.iter().flatten().for_each(|path| inputs.add(path));
        config
            .policy
            .iter()
            .flat_map(|p| policy_files(&below(&p.file)))
            .for_each(|path| inputs.add(&path));
        let tools = config.tools.iter().flat_map(|tools| &tools.files);
        tools.map(below).for_each(|path| inputs.add(&path));
        if let Some(traces) = &config.traces {
            inputs.add_found(&located.traces(traces)?.inputs);
        }
        let reports = || targets.iter().filter_map(Target::file).chain(attestation);
        inputs.keep_apart(reports().chain(self.write_baseline.as_deref()))?;
        for (path, own) in reports().map(|path| (path, Exemption::Nothing)).chain(
            self.write_baseline
                .as_deref()
                .map(|p| (p, Exemption::Baseline)),
        ) {
            guard::check_against(located, path, own)?;
            guard::check(path, own)?;
        }
        let mut known = Inputs::default();
        let baseline = [
            self.baseline.clone(),
            config.baseline.as_ref().map(|b| below(&b.file)),
        ];
        baseline.iter().flatten().for_each(|path| known.add(path));
        known.keep_apart(reports())
    }

    fn apply(
        &self,
        report: &mut Report,
        located: &LocatedConfig,
        baseline: Option<&RuleFile>,
    ) -> Result<Applied, Failure> {
        let config = &located.config;
        if let Some(path) = &self.write_baseline {
            let mut applied = apply(report, config, None, self.now);
            let baseline = Baseline::from_findings(&report.findings);
            crate::cli::write::write_own(path, baseline.text(), Exemption::Baseline)?;
            let known = apply(report, &Config::default(), Some(&baseline), None);
            applied.notices.extend(known.notices);
            return Ok(applied);
        }
        let baseline = baseline
            .map(|file| located.read_baseline(file))
            .transpose()?;
        Ok(apply(report, config, baseline.as_ref(), self.now))
    }
}

/// Determines the outcome. As for `replay`, but a gate also needs at least one decision. That
/// doesn't apply if the configuration accepts only sessions of coding agents, which mostly record
/// none.
fn outcome(
    report: &mut Report,
    threshold: Option<crate::diag::Severity>,
    missing: Option<String>,
    config: &Config,
) -> Outcome {
    let mut outcome = Outcome::of(report, threshold, false);
    if matches!(outcome, Outcome::Empty(_))
        && let Some(missing) = missing
    {
        outcome = Outcome::Empty(missing);
    }
    let formats = config.traces.as_ref().and_then(|t| t.formats.as_deref());
    let is_session = |name: &String| {
        TraceFormat::parse(name).is_some_and(|format| format.machine() == FsmVersion::Session)
    };
    let sessions_only = formats.is_some_and(|all| !all.is_empty() && all.iter().all(is_session));
    if outcome.passes() && !sessions_only && report.summaries.iter().all(|s| s.decisions == 0) {
        outcome = Outcome::Empty("nothing was verified: no execution holds a decision".into());
    }
    let allowed = config.traces.as_ref().and_then(|t| t.allow_empty.as_ref());
    match (&outcome, allowed) {
        (Outcome::Empty(why), Some(reason)) => {
            report
                .notices
                .push(format!("{why}; allowed by the configuration: {reason}"));
            Outcome::of_nothing(report, threshold)
        }
        _ => outcome,
    }
}
