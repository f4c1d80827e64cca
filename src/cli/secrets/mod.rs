//! `secrets`: scans for credentials, and lists and measures the rules.

mod measure;
mod scan;

use super::common::exit::EXIT_CLEAN;
use super::common::secrets::{broken_rules, secret_rules};
use super::output::{Color, Failure, print};
use clap::Subcommand;
use std::path::PathBuf;

/// Subcommands of `secrets`.
#[derive(Debug, Subcommand)]
pub enum SecretsCommand {
    /// Scan files for credentials, of whatever format.
    Scan(scan::ScanArgs),
    /// Measure precision and recall over files of lines of which it is known what they hold.
    ///
    /// A line is `{"text": "…", "finds": "RULE"}`, or without `finds` when it holds no secret. What
    /// is in ⟦…⟧ is made up at run time; docs/secrets.md lists what can be.
    #[command(visible_alias = "check")]
    Measure {
        /// Corpora, one JSON object a line.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// List the rules.
    List,
}

impl SecretsCommand {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let table = secret_rules()?;
        table.check().map_err(|e| broken_rules(&e))?;
        match self {
            Self::List => {
                print(Color::Auto, |out| {
                    for rule in &table.rules {
                        writeln!(out, "{:<28} {:<44} {}", rule.id, rule.about, rule.source)?;
                    }
                    Ok(())
                })?;
                Ok(EXIT_CLEAN)
            }
            Self::Scan(args) => args.run(table),
            Self::Measure { files } => measure::run(table, files),
        }
    }
}
