//! `fsm`: prints the state machine or proves its properties.

use super::common::exit::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
use super::common::formats::OutputFormat;
use super::output::{Color, Failure, print};
use clap::{Subcommand, ValueEnum};
use governance::FsmVersion;
use governance::model::{Guards, Model};
use governance::prove::{DEFAULT_LIMIT, prove};
use governance::show;

/// The state machine.
#[derive(Debug, Subcommand)]
pub enum FsmCommand {
    /// Print the machine.
    Show {
        /// Output format.
        #[arg(long, value_enum, default_value_t = DiagramFormat::Table)]
        format: DiagramFormat,
        /// Print this version of the machine: 0, 1 or session.
        #[arg(long, value_parser = version, default_value = "1")]
        fsm_version: FsmVersion,
    },
    /// Search everything that a conforming runtime can reach, and prove the properties P1 to P10.
    Prove {
        /// Prove this version of the machine: 0 or 1.
        #[arg(long, value_parser = governed_version, default_value = "1")]
        fsm_version: FsmVersion,
        /// Output format.
        #[arg(long, value_parser = OutputFormat::parser("For people", "One JSON object (schema `fsm-proof`)"), default_value = "text")]
        format: OutputFormat,
        /// Situations that may be held; beyond that the search is inconclusive.
        #[arg(long, default_value_t = DEFAULT_LIMIT, value_name = "N")]
        limit: usize,
    },
}

/// Ways to print the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiagramFormat {
    /// Aligned text.
    Table,
    /// A Mermaid state diagram.
    Mermaid,
    /// Graphviz.
    Dot,
    /// A TLA+ module.
    Tla,
}

fn version(text: &str) -> Result<FsmVersion, String> {
    FsmVersion::parse(text).ok_or_else(|| "known versions: 0, 1, session".into())
}

fn governed_version(text: &str) -> Result<FsmVersion, String> {
    let found = version(text)?;
    if FsmVersion::ALL.contains(&found) {
        Ok(found)
    } else {
        Err(format!(
            "none of the properties is promised of the machine `{found}`; `fsm show` prints it"
        ))
    }
}

impl FsmCommand {
    /// Prints or proves. The exit code of a proof is 0 when every property holds, 1 when one is
    /// violated, and 3 when the search is inconclusive.
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Self::Show {
                format,
                fsm_version,
            } => {
                let text = match format {
                    DiagramFormat::Table => show::table(fsm_version),
                    DiagramFormat::Mermaid => show::mermaid(fsm_version),
                    DiagramFormat::Dot => show::dot(fsm_version),
                    DiagramFormat::Tla => show::tla(fsm_version),
                };
                print(Color::Auto, |out| writeln!(out, "{}", text.trim_end()))?;
                Ok(EXIT_CLEAN)
            }
            Self::Prove {
                fsm_version,
                format,
                limit,
            } => {
                let proof = prove(&Model::new(fsm_version, Guards::all()), limit);
                print(Color::Auto, |out| match format {
                    OutputFormat::Text => writeln!(out, "{}", proof.to_text().trim_end()),
                    OutputFormat::Json => {
                        serde_json::to_writer_pretty(&mut *out, &proof)?;
                        writeln!(out)
                    }
                })?;
                Ok(if proof.is_violated() {
                    EXIT_FINDINGS
                } else if proof.holds() {
                    EXIT_CLEAN
                } else {
                    EXIT_NOTHING_VERIFIED
                })
            }
        }
    }
}
