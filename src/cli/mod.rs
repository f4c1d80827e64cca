//! The command line. Only this module uses standard output, the environment, output files and exit
//! codes.

mod attest;
mod audit;
mod command;
mod common;
mod compare;
mod conclusion;
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
mod help;
mod init_github;
#[cfg_attr(not(feature = "knowledge"), path = "knowledge_absent.rs")]
mod knowledge;
mod manifests;
mod output;
mod patch;
mod policy;
mod progress;
mod redact;
mod replay;
#[cfg_attr(not(feature = "repomap"), path = "repomap_absent.rs")]
mod repomap;
mod reports;
mod rules;
mod schema;
mod secrets;
mod shares;
mod shell;
mod stats;
mod wrap;
mod write;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
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
    /// Run the gate that a pull request must pass.
    ///
    /// Runs what `yuangs-verify.toml` names, reports, and ends with one exit code.
    Gate(gate::GateArgs),
    /// Show what coding agents did here.
    ///
    /// Finds the sessions of the repository here, and shows the riskiest actions, rejections,
    /// secrets, and writes outside of the work tree. Writes and sends nothing.
    Audit(audit::AuditArgs),
    /// Check that each step was legal and allowed.
    ///
    /// Replays traces: was each state reached legally, did nothing run unauthorised, is the record
    /// complete?
    Replay(replay::ReplayArgs),
    /// Report on the shares of a run.
    ///
    /// Merges the partial results of `replay --partial` into the report that one run over all
    /// inputs gives.
    Merge(shares::MergeArgs),
    /// Check records and manifests by schemas.
    ///
    /// Manifests are those of skills, tools, servers and agents; what they name is checked too.
    Validate(replay::ValidateArgs),
    Attest(attest::AttestCommand),
    /// Write a configuration for this repository.
    ///
    /// Every section of it is there, with comments, filled with what was found here.
    Init(config::InitArgs),
    /// Show the configuration.
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Check the set-up.
    Doctor(config::DoctorArgs),
    /// Show what shell commands do, and their risk.
    #[command(subcommand, name = "command")]
    Shell(command::ShellCommand),
    /// Check whether diffs apply.
    ///
    /// Finds out what they would do, without touching a file.
    #[command(subcommand)]
    Patch(patch::PatchCommand),
    /// Ask, test and compare policies.
    ///
    /// A policy says what an agent may do by itself, what a human decides, and what nobody may do.
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    /// Map a repository within a token budget.
    ///
    /// Maps can be checked against the work tree, and compared between revisions.
    Repomap(repomap::RepomapArgs),
    /// Print the JSON Schemas.
    ///
    /// There is one for each kind of record, native format and report.
    #[command(subcommand)]
    Schema(schema::SchemaCommand),
    /// Print the state machine, or prove it.
    ///
    /// Proves its properties by searching everything that it can reach.
    #[command(subcommand)]
    Fsm(fsm::FsmCommand),
    /// Find credentials in files.
    ///
    /// Also lists the rules that find them, and measures how good they are.
    #[command(subcommand)]
    Secrets(secrets::SecretsCommand),
    /// Measure how good each detector is.
    #[command(subcommand)]
    Detectors(detectors::DetectorsCommand),
    /// Write a trace without its credentials.
    Redact(redact::RedactArgs),
    /// Keep an index of what happened, and ask it.
    ///
    /// It holds what traces, transcripts, documents and code say, and answers within a budget of
    /// tokens.
    Knowledge(knowledge::KnowledgeArgs),
    /// Explain a trace turn by turn, or a rule.
    ///
    /// Of a rule: what it does, why it matters, how to fix what it finds.
    Explain(explain::ExplainArgs),
    /// Compare executions with earlier ones.
    ///
    /// Do they have the same path, the same decisions, the same outcome?
    Compare(compare::CompareArgs),
    /// Count turns, decisions, failures and costs.
    ///
    /// Over many executions; also their risks and times.
    Stats(stats::StatsArgs),
    /// Write spans and tables for other tools.
    ///
    /// Spans are OTLP; tables are CSV or JSON lines.
    Export(export::ExportArgs),
    /// Write sessions as `ExecutionRecord` JSONL.
    ///
    /// Nothing is made up: what a session doesn't record is marked as not recorded.
    Convert(convert::ConvertArgs),
    /// List the rules.
    Rules(rules::RulesArgs),
    /// Print completions for a shell.
    Completions(shell::CompletionsArgs),
    /// Print the manual page of a command.
    Man(shell::ManArgs),
}

/// Returns the command line with its examples.
fn command_line() -> clap::Command {
    help::complete(Cli::command())
}

/// Parses the arguments, runs the command and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::from_arg_matches(&command_line().get_matches()) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let result = match cli.command {
        Command::Gate(args) => args.run(),
        Command::Audit(args) => args.run(),
        Command::Convert(args) => args.run(),
        Command::Attest(command) => command.run(),
        Command::Init(args) => args.run(),
        Command::Config(command) => command.run(),
        Command::Doctor(args) => args.run(),
        Command::Replay(args) => args.run(),
        Command::Merge(args) => args.run(),
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
        Command::Completions(args) => args.run(command_line()),
        Command::Man(args) => args.run(command_line()),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => failure.report(),
    }
}
