//! `knowledge`: maintains an index of knowledge and answers from it.

mod about;
mod context;
mod eval;
mod graph;
mod memory;
mod place;
mod reindex;
mod report;
mod retrieve;
mod session;
mod skills;
mod stats;

pub(super) use about::ask;

use super::common::located::LocatedConfig;
use super::common::time::current_time;
use super::output::Failure;
use crate::diag::{Finding, Severity};
use crate::knowledge::KnowledgeError;
use crate::knowledge::reindex::{Comparison, Settings, check};
use crate::verify::Report;
use clap::{Args, Subcommand, ValueEnum};
use std::path::Path;

/// Arguments of `knowledge`.
#[derive(Debug, Args)]
pub struct KnowledgeArgs {
    #[command(subcommand)]
    command: KnowledgeCommand,
}

/// Subcommands of `knowledge`.
#[derive(Debug, Subcommand)]
enum KnowledgeCommand {
    /// Bring the index up to date with its sources, all or nothing; or check that it is.
    Reindex(reindex::ReindexArgs),
    /// Show what the index holds, in numbers.
    Stats(stats::StatsArgs),
    /// List a line for each observation that answers, or for the newest.
    Index(retrieve::IndexArgs),
    /// Show what happened around an observation, or in a task.
    Timeline(retrieve::TimelineArgs),
    /// Print whole observations, by their ids.
    Detail(retrieve::DetailArgs),
    /// Find the best answers to a question, each with a snippet and its place.
    Search(retrieve::SearchArgs),
    /// Print the skeleton of the code: definitions, the most referred to first.
    Map(retrieve::MapArgs),
    /// Print what an agent is handed before it goes on: profile, task state, summary, recent
    /// events, semantic chunks.
    Bundle(retrieve::BundleArgs),
    /// Say how full the window of a session is: none, `flush_soon`, `flush_now` or critical.
    Window(session::WindowArgs),
    /// Check that the compactions of a session kept all that had been decided.
    Compaction(session::CompactionArgs),
    /// Look into the knowledge graph.
    #[command(subcommand)]
    Graph(graph::GraphCommand),
    /// Inspect the items of the context bank, and how turns refer to them. Changes nothing.
    #[command(subcommand)]
    Context(context::ContextCommand),
    /// Decide what becomes of the items of the context bank: show, do, take back.
    #[command(subcommand)]
    Memory(memory::MemoryCommand),
    /// Rate skills by their traces, and decide about them.
    #[command(subcommand)]
    Skills(skills::SkillsCommand),
    /// Print how well questions with graded answers are answered, and others refused.
    #[command(visible_alias = "judge")]
    Measure(eval::EvalArgs),
}

/// Ways to print an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines.
    Text,
    /// JSON.
    Json,
}

impl KnowledgeArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self.command {
            KnowledgeCommand::Reindex(args) => args.run(),
            KnowledgeCommand::Stats(args) => args.run(),
            KnowledgeCommand::Index(args) => args.run(),
            KnowledgeCommand::Timeline(args) => args.run(),
            KnowledgeCommand::Detail(args) => args.run(),
            KnowledgeCommand::Search(args) => args.run(),
            KnowledgeCommand::Map(args) => args.run(),
            KnowledgeCommand::Bundle(args) => args.run(),
            KnowledgeCommand::Window(args) => args.run(),
            KnowledgeCommand::Compaction(args) => args.run(),
            KnowledgeCommand::Graph(command) => command.run(),
            KnowledgeCommand::Context(command) => command.run(),
            KnowledgeCommand::Memory(command) => command.run(),
            KnowledgeCommand::Skills(command) => command.run(),
            KnowledgeCommand::Measure(args) => args.run(),
        }
    }
}

/// Returns the current time in milliseconds since the Unix epoch; 0 if the clock is before it.
fn clock() -> i64 {
    current_time().unwrap_or(0)
}

fn failure(error: &KnowledgeError) -> Failure {
    Failure::unable(error.to_string(), error.remedy())
}

/// Compares the index that a configuration describes with its sources, for a gate.
pub(super) fn check_index(located: &LocatedConfig) -> Result<Report, Failure> {
    let place = place::Place::of(located)?;
    let mut store = place.open()?;
    let model = place.model(None)?;
    store.use_model(model.as_deref());
    let settings = Settings { vectors: true };
    let checked = check(&store, &place.sources, settings, place.limits());
    let Comparison {
        mut findings,
        sources,
        ..
    } = checked.map_err(|e| failure(&e))?;
    let mut report = Report::default();
    for finding in &mut findings {
        // The configuration asks for an index that is up to date.
        if finding.code.0 == 905 {
            finding.severity = Severity::Error;
        }
        report.counts.count(finding.severity);
    }
    report.findings = findings;
    report.notices.push(format!(
        "the index of knowledge was compared with {sources} sources"
    ));
    Ok(report)
}

/// Returns the faults in a ledger of decisions about skills, and the number of readable lines.
#[expect(
    clippy::unnecessary_wraps,
    reason = "a build without knowledge refuses"
)]
pub(super) fn ledger_faults(name: &str, path: &Path) -> Result<(Vec<Finding>, u64), Failure> {
    Ok(crate::knowledge::skills::ledger_faults(name, path))
}
