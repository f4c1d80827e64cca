//! `knowledge skills check`: checks skills against traces.

use crate::cli::file;
use crate::cli::knowledge::place::{Place, PlaceArgs};
use crate::cli::knowledge::{Format, failure};
use crate::cli::output::{Color, Failure, print};
use crate::cli::replay::FailOn;
use crate::cli::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::config::{AgentLimits, SkillLimits};
use crate::diag::Finding;
use crate::knowledge::SourceKind;
use crate::knowledge::skills::{Budget, Declarations, Question, Templates, check};
use crate::manifest::{Size, Trial, TrialMode};
use crate::report::{findings_json, safe_json, terminal, write_findings};
use clap::{Args, ValueEnum};
use content_scan::secret::Table;
use serde_json::json;
use std::path::{Component, Path, PathBuf};

/// Arguments of `knowledge skills check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// Traces: files or folders. The default is `[knowledge] traces`.
    #[arg(value_name = "TRACES")]
    traces: Vec<PathBuf>,
    /// Check every turn of the traces against this mode instead of the trial that its skill
    /// declares.
    #[arg(long, value_enum, value_name = "MODE")]
    trial: Option<Mode>,
    /// With `--trial limited`, allow each turn this many milliseconds.
    #[arg(long, value_name = "MS", requires = "trial")]
    time_ms: Option<f64>,
    /// With `--trial limited`, allow each turn this much memory: bytes, or a size as 512MB.
    #[arg(long, value_name = "BYTES", requires = "trial", value_parser = Size::parse)]
    memory_bytes: Option<Size>,
    /// With `--trial limited`, allow paths that match this glob; may be given several times.
    #[arg(long, value_name = "GLOB", requires = "trial")]
    path: Vec<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// Fail (exit 1) when there are findings this bad.
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    fail_on: FailOn,
}

/// Maximum number of undeclared skills that are named.
const NAMED: usize = 20;

/// Trial modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Nothing runs.
    DryRun,
    /// Nothing is changed.
    ReadOnly,
    /// It stays within time, memory and paths.
    Limited,
}

fn budget(limits: &SkillLimits) -> Budget {
    Budget {
        cost: [
            limits.cost_per_day,
            limits.cost_per_hour,
            limits.cost_per_task,
        ]
        .map(|limit| limit.map(f64::from)),
        uses: [
            limits.uses_per_day,
            limits.uses_per_hour,
            limits.uses_per_task,
        ],
        tokens: [
            limits.tokens_per_day,
            limits.tokens_per_hour,
            limits.tokens_per_task,
        ],
        latency: limits.latency_ms.map(f64::from),
    }
}

fn agent_budget(limits: &AgentLimits) -> Budget {
    Budget {
        cost: [
            limits.cost_per_day,
            limits.cost_per_hour,
            limits.cost_per_task,
        ]
        .map(|limit| limit.map(f64::from)),
        uses: [
            limits.turns_per_day,
            limits.turns_per_hour,
            limits.turns_per_task,
        ],
        tokens: [
            limits.tokens_per_day,
            limits.tokens_per_hour,
            limits.tokens_per_task,
        ],
        latency: None,
    }
}

/// Reads the configured templates of permissions.
fn templates(place: &Place) -> Result<Templates, Failure> {
    let Some(named) = &place.section.permissions else {
        return Ok(Templates::default());
    };
    let remedy = "[knowledge] permissions names a policy whose `permissions` are templates";
    let unable = |why: String| Failure::unable(format!("`{named}`: {why}"), remedy);
    let inside = Path::new(named)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !inside {
        return Err(unable(
            "it leads out of the folder of the configuration".into(),
        ));
    }
    let text = file::regular_text(&place.sources.root.join(named))?;
    Templates::parse(&text).map_err(|e| unable(e.to_string()))
}

impl CheckArgs {
    fn trial(&self) -> Result<Option<Trial>, Failure> {
        let Some(mode) = self.trial else {
            return Ok(None);
        };
        let limited =
            self.time_ms.is_some() || self.memory_bytes.is_some() || !self.path.is_empty();
        match mode {
            Mode::Limited if !limited => {
                return Err(Failure::unable(
                    "a limited trial has limits",
                    "name them with --time-ms, --memory-bytes or --path",
                ));
            }
            Mode::DryRun | Mode::ReadOnly if limited => {
                return Err(Failure::unable(
                    "only a limited trial has limits",
                    "add --trial limited, or leave them out",
                ));
            }
            _ => {}
        }
        let mode = match mode {
            Mode::DryRun => TrialMode::DryRun,
            Mode::ReadOnly => TrialMode::ReadOnly,
            Mode::Limited => TrialMode::Limited,
        };
        let paths = Some(self.path.clone()).filter(|p| !p.is_empty());
        Ok(Some(Trial {
            mode,
            time_ms: self.time_ms,
            memory_bytes: self.memory_bytes,
            paths,
            ..Trial::default()
        }))
    }

    pub(super) fn run(self) -> Result<u8, Failure> {
        // Without the rules for secrets, a secret would be shown.
        Table::shipped()
            .map_err(|e| Failure::unable(e.to_string(), "docs/secrets.md describes the form"))?;
        let place = self.place.place()?;
        let trial = self.trial()?;
        let configured = place
            .sources
            .paths
            .iter()
            .filter(|(kind, _)| *kind == SourceKind::Traces);
        let configured = configured
            .map(|(_, path)| place.sources.root.join(path))
            .collect::<Vec<_>>();
        let traces = if self.traces.is_empty() {
            configured
        } else {
            self.traces.clone()
        };
        if traces.is_empty() {
            return Err(Failure::unable(
                "no traces are named",
                "name them, or set [knowledge] traces",
            ));
        }
        let templates = templates(&place)?;
        let declarations =
            Declarations::read(&place.sources, &templates).map_err(|e| failure(&e))?;
        let budget = budget(&place.section.limits);
        let agent_budget = agent_budget(&place.section.agent_limits);
        let is_unlimited = budget.is_empty() && agent_budget.is_empty();
        let question = Question {
            declarations: &declarations,
            budget: &budget,
            agent_budget: &agent_budget,
            trial: trial.as_ref(),
        };
        let checked = check(&question, &file::traces(&traces));
        let unread: Vec<&Finding> = checked
            .report
            .findings
            .iter()
            .filter(|f| f.code.0 < 200)
            .collect();
        let limited = if is_unlimited { "none set" } else { "compared" };
        let tokenless = match checked.tokenless {
            0 => String::new(),
            n => format!(", {n} without recorded tokens"),
        };
        print(Color::Auto, |out| match self.format {
            Format::Text => {
                let unread: Vec<Finding> = unread.iter().map(|f| (*f).clone()).collect();
                write_findings(&unread, out)?;
                write_findings(&checked.findings, out)?;
                for file in &declarations.unreadable {
                    writeln!(out, "not read: {} (`validate` says why)", terminal(file))?;
                }
                for (skill, times) in checked.undeclared.iter().take(NAMED) {
                    let skill = checked
                        .report
                        .secrets
                        .hide(skill)
                        .unwrap_or_else(|| skill.clone());
                    writeln!(
                        out,
                        "declared nowhere: `{}`, used {times} times",
                        terminal(&skill)
                    )?;
                }
                if checked.undeclared.len() > NAMED {
                    writeln!(
                        out,
                        "declared nowhere: {} more",
                        checked.undeclared.len() - NAMED
                    )?;
                }
                writeln!(
                    out,
                    "{} turns, {} uses of skills: {} against permissions, {} against a trial mode, \
                     {} against an estimate of cost, limits {limited}, {} without a recorded cost, \
                     {} without a recorded duration{tokenless}",
                    checked.turns,
                    checked.uses,
                    checked.declared,
                    checked.tried,
                    checked.estimated,
                    checked.costless,
                    checked.untimed
                )
            }
            Format::Json => {
                let undeclared: Vec<_> = checked
                    .undeclared
                    .iter()
                    .map(|(skill, times)| {
                        let skill = checked
                            .report
                            .secrets
                            .hide(skill)
                            .unwrap_or_else(|| skill.clone());
                        json!({ "skill": skill, "uses": times })
                    })
                    .collect();
                let json = json!({
                    "version": 1,
                    "turns": checked.turns,
                    "uses": checked.uses,
                    "againstPermissions": checked.declared,
                    "againstTrial": checked.tried,
                    "againstEstimate": checked.estimated,
                    "limits": !is_unlimited,
                    "withoutCost": checked.costless,
                    "withoutDuration": checked.untimed,
                    "withoutTokens": checked.tokenless,
                    "undeclared": undeclared,
                    "unreadableManifests": declarations.unreadable,
                    "unreadable": unread.len(),
                    "findings": findings_json(&checked.findings),
                });
                writeln!(out, "{}", safe_json(&json))
            }
        })?;
        let all = || checked.findings.iter().chain(unread.iter().copied());
        let failed = self.fail_on.met_by(all());
        let compared = checked.declared + checked.tried + checked.estimated + checked.limited;
        Ok(match () {
            () if checked.report.counts.unopened > 0 || !declarations.unreadable.is_empty() => {
                EXIT_ERROR
            }
            () if failed => EXIT_FINDINGS,
            // Nothing was checked.
            () if compared == 0 => EXIT_NOTHING_VERIFIED,
            // Results about other skills say nothing about undeclared ones.
            () if trial.is_none() && is_unlimited && !checked.undeclared.is_empty() => {
                EXIT_NOTHING_VERIFIED
            }
            () => EXIT_CLEAN,
        })
    }
}
