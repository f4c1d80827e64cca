//! `policy export`.

use super::find;
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::output::{Color, Failure, print, warn};
use crate::cli::write::write;
use crate::report::terminal;
use agent_policy::{Effort, Export, VendorFormat, export};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Number of random questions beside the proof.
const CASES: u32 = 200;
/// Maximum number of differences to list.
const MAX_LISTED: usize = 5;

/// An agent whose settings can be written.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Target {
    /// `settings.json` of Claude Code.
    Claude,
    /// `.rules` of Codex.
    Codex,
}

/// Arguments of `policy export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The agent to write settings for.
    #[arg(long, value_enum, value_name = "AGENT")]
    to: Target,
    /// The policy: a file, `REV:PATH`, or the name of a built-in one.
    #[arg(value_name = "PACK")]
    policy: String,
    /// Write the settings to this file. The default is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl ExportArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let base = find::policy(&self.policy)?;
        let format = match self.to {
            Target::Claude => VendorFormat::Claude,
            Target::Codex => VendorFormat::Codex,
        };
        let effort = Effort {
            seed: 0,
            cases: CASES,
            only: Vec::new(),
        };
        let made = match export(&base.policy, format, &effort) {
            Some(Ok(made)) => made,
            Some(Err(problems)) => return Err(unreadable(&problems)),
            None => return Err(unreadable(&[])),
        };
        for loss in &made.lost {
            warn(&format!(
                "{}:{}: `{}`: {}",
                terminal(&base.file),
                loss.at.line,
                terminal(&loss.rule),
                terminal(&loss.message)
            ));
        }
        if let Some(what) = made.not_compared {
            warn(&format!("not compared: {what}"));
        }
        if !made.is_proven() {
            return Ok(refuse(&made));
        }
        match &self.output {
            Some(path) => write(path, &made.text)?,
            None => print(Color::Never, |out| out.write_all(made.text.as_bytes()))?,
        }
        Ok(EXIT_CLEAN)
    }
}

/// The settings aren't read by our own reader.
fn unreadable(problems: &[agent_policy::Problem]) -> Failure {
    let why = problems
        .first()
        .map_or("nothing is written for this agent", |p| p.message.as_str());
    Failure::unable(
        format!("the settings can't be read back: {why}"),
        "nothing is written; please report this policy",
    )
}

/// Says why nothing is written.
fn refuse(made: &Export) -> u8 {
    let comparison = &made.comparison;
    if made.is_refuted() {
        let kinds = comparison.differences.iter();
        let permissive = kinds.filter(|(kind, _)| kind.is_more_permissive());
        for (kind, difference) in permissive.take(MAX_LISTED) {
            warn(&format!(
                "{} by `{}` would become {}: {}",
                kind.base,
                terminal(&kind.base_rule),
                kind.head,
                terminal(&difference.witness.summary())
            ));
        }
        warn("the settings would be more permissive than the policy: nothing is written");
        return EXIT_FINDINGS;
    }
    for one in comparison.unproven.iter().take(MAX_LISTED) {
        warn(&format!(
            "inconclusive: {}: {}",
            terminal(&one.what),
            terminal(&one.change)
        ));
    }
    warn("it isn't proved that the settings are strict enough: nothing is written");
    EXIT_NOTHING_VERIFIED
}
