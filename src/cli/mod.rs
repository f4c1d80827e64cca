//! The command line: the only place with standard output, environment, files to write, and exit
//! codes.

mod attest;
mod audit;
mod command;
mod common;
mod compare;
mod config;
mod convert;
mod detectors;
mod executions;
mod explain;
mod export;
mod file;
mod fsm;
mod gate;
mod guard;
#[cfg_attr(not(feature = "knowledge"), path = "knowledge_absent.rs")]
mod knowledge;
mod manifests;
mod output;
mod patch;
mod policy;
mod redact;
mod replay;
#[cfg_attr(not(feature = "repomap"), path = "repomap_absent.rs")]
mod repomap;
mod reports;
mod rules;
mod schema;
mod secrets;
mod shell;
mod stats;
mod write;

use clap::{CommandFactory as _, Parser, Subcommand};
use std::process::ExitCode;

pub use common::exit::{EXIT_CLEAN, EXIT_ERROR, EXIT_FINDINGS, EXIT_NOTHING_VERIFIED};
pub use output::Failure;
pub use rules::markdown as rules_table;
pub use schema::{catalogue as schemas, text as schema_text};

/// Verifies recorded executions of governed AI agents, offline, from the record alone.
#[derive(Debug, Parser)]
#[command(
    name = "yuangs-verify",
    version,
    about,
    max_term_width = 100,
    after_help = "\
Exit codes: 0 clean; 1 findings at or above the threshold; 2 could not verify (usage, configuration, \
input or output); 3 nothing was verified, or an analysis is inconclusive."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The gate for a pull request: run what `yuangs-verify.toml` names, report, and end with one
    /// exit code.
    Gate(gate::GateArgs),
    /// What did your coding agents do? Finds the sessions of the repository here, and shows the
    /// riskiest actions, rejections, secrets, and writes outside of the work tree.
    Audit(audit::AuditArgs),
    /// Replay traces: was each state reached legally, did nothing run unauthorised, is the record
    /// complete?
    Replay(replay::ReplayArgs),
    /// Check records and manifests (skills, tools, servers, agents) against their schemas; of
    /// manifests also what they name.
    Validate(replay::ValidateArgs),
    Attest(attest::AttestCommand),
    /// Write a commented configuration for the repository here.
    Init(config::InitArgs),
    /// Show the configuration.
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Check the set-up.
    Doctor(config::DoctorArgs),
    /// Show what shell commands do, and how risky that is.
    #[command(subcommand, name = "command")]
    Shell(command::ShellCommand),
    /// Find out what diffs would do, without touching a file.
    #[command(subcommand)]
    Patch(patch::PatchCommand),
    /// Ask policies what an agent may do, and test them.
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    /// Map a repository within a budget of tokens, and check or compare maps.
    Repomap(repomap::RepomapArgs),
    /// List or print the JSON Schemas of records, native formats and reports.
    #[command(subcommand)]
    Schema(schema::SchemaCommand),
    /// Print the state machine, or prove its properties.
    #[command(subcommand)]
    Fsm(fsm::FsmCommand),
    /// Show the rules for credentials, or how good they are.
    #[command(subcommand)]
    Secrets(secrets::SecretsCommand),
    /// Measure how good each detector is.
    #[command(subcommand)]
    Detectors(detectors::DetectorsCommand),
    /// Write a trace without the credentials that stand in it.
    Redact(redact::RedactArgs),
    /// Keep an index of what traces, transcripts and documents say, and answer from it within a
    /// budget of tokens.
    Knowledge(knowledge::KnowledgeArgs),
    /// Explain a trace turn by turn, or a rule: what it does, why it matters, how to fix it.
    Explain(explain::ExplainArgs),
    /// Compare executions: the same path, the same decisions, the same outcome?
    Compare(compare::CompareArgs),
    /// Count over many executions: turns, decisions, risks, failures, times, costs.
    Stats(stats::StatsArgs),
    /// Hand executions to other tools: spans (OTLP), tables (CSV, JSON lines).
    Export(export::ExportArgs),
    /// Write recorded sessions as `ExecutionRecord` JSONL, with nothing made up.
    Convert(convert::ConvertArgs),
    /// List the rules.
    Rules(rules::RulesArgs),
    /// Print completions for a shell.
    Completions(shell::CompletionsArgs),
    /// Print the manual page, or that of a subcommand.
    Man(shell::ManArgs),
}

/// Parses the arguments, runs, and says how it went.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Gate(args) => args.run(),
        Command::Audit(args) => args.run(),
        Command::Convert(args) => args.run(),
        Command::Attest(command) => command.run(),
        Command::Init(args) => args.run(),
        Command::Config(command) => command.run(),
        Command::Doctor(args) => args.run(),
        Command::Replay(args) => args.run(),
        Command::Validate(args) => args.run(),
        Command::Shell(command) => command.run(),
        Command::Patch(command) => command.run(),
        Command::Policy(command) => command.run(),
        Command::Repomap(args) => args.run(),
        Command::Schema(command) => command.run(),
        Command::Fsm(command) => command.run(),
        Command::Secrets(command) => command.run(),
        Command::Detectors(command) => command.run(),
        Command::Redact(args) => args.run(),
        Command::Knowledge(args) => args.run(),
        Command::Explain(args) => args.run(),
        Command::Compare(args) => args.run(),
        Command::Stats(args) => args.run(),
        Command::Export(args) => args.run(),
        Command::Rules(args) => args.run(),
        Command::Completions(args) => args.run(Cli::command()),
        Command::Man(args) => args.run(Cli::command()),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => failure.report(),
    }
}
