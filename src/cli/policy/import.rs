//! `policy import`.

use super::find;
use crate::cli::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use crate::cli::output::{Color, Failure, print, warn};
use crate::cli::write::write;
use crate::report::terminal;
use agent_policy::{Effort, VendorFormat, compare};
use clap::Args;
use std::path::{Path, PathBuf};

/// Number of random questions beside the proof.
const CASES: u32 = 500;

/// Arguments of `policy import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Format of the file: `claude`, `codex` or `gemini`.
    #[arg(value_name = "FORMAT", value_parser = format)]
    format: VendorFormat,
    /// The settings or rules of the agent. For `claude` also the directory of a project, or a list
    /// of files with commas.
    #[arg(value_name = "FILE")]
    file: String,
    /// Write the pack to this file. The default is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn format(name: &str) -> Result<VendorFormat, String> {
    VendorFormat::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = VendorFormat::ALL.iter().map(|f| f.name()).collect();
        format!("known: {}", known.join(", "))
    })
}

impl ImportArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let (pack, _) = find::translation(self.format, &self.file)?;
        let yaml = pack.yaml();
        let target = self.output.as_deref().unwrap_or(Path::new("pack.yaml"));
        let base = find::policy_as(self.format, &self.file)?;
        let head = find::parse_pack(&find::name_of(target), yaml.clone())?;
        match &self.output {
            Some(path) => write(path, &yaml)?,
            None => print(Color::Never, |out| out.write_all(yaml.as_bytes()))?,
        }
        let effort = Effort {
            seed: 0,
            cases: CASES,
            only: Vec::new(),
        };
        let found = compare(&base.policy, &head.policy, &[], &effort);
        for gap in &pack.gaps {
            let place = base.place(gap.at);
            warn(&format!(
                "{}:{}: {}",
                terminal(&place.file),
                place.line,
                terminal(&gap.message)
            ));
        }
        Ok(match () {
            () if !found.differences.is_empty() => {
                warn(
                    "the pack decides some actions otherwise: compare the two with `policy compare`",
                );
                EXIT_FINDINGS
            }
            () if !found.equivalent => {
                warn(
                    "it isn't proved that the pack decides as the file: `policy compare` says why",
                );
                EXIT_NOTHING_VERIFIED
            }
            () => EXIT_CLEAN,
        })
    }
}
