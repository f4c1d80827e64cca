//! `knowledge skills`: rates skills and decides about them.

mod candidates;
mod check;
mod evaluate;
mod history;

use super::place::{Place, PlaceArgs};
use super::retrieve::time;
use super::{Format, failure};
use crate::cli::file;
use crate::cli::output::Failure;
use crate::knowledge::skills::{Skills, read_legacy_store};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Skills. Only `approve`, `reject` and `defer` write, and say what.
#[derive(Debug, Subcommand)]
pub enum SkillsCommand {
    /// Print the figures, score and advice of each skill, what to promote or retire, and which one
    /// serves each intent.
    Evaluate(evaluate::EvaluateArgs),
    /// List the contexts that may become skills, and what they lack.
    Candidates(candidates::CandidatesArgs),
    /// Let a candidate become a skill. Writes a line into `promotions.jsonl`.
    Approve(candidates::DecideArgs),
    /// Say that a candidate is not to become a skill. Writes a line into `promotions.jsonl`.
    Reject(candidates::DecideArgs),
    /// Put a candidate off. Writes a line into `promotions.jsonl`.
    Defer(candidates::DecideArgs),
    /// Check traces against the permissions that skills declare (YV912), their trials (YV913) and
    /// their budgets (YV914).
    Check(check::CheckArgs),
    /// Show what was decided about skills, each with the evidence up to then; fails when a
    /// promotion has none (YV903).
    History(history::HistoryArgs),
}

impl SkillsCommand {
    pub(super) fn run(self) -> Result<u8, Failure> {
        use crate::knowledge::skills::Status;
        match self {
            Self::Evaluate(args) => args.run(),
            Self::Candidates(args) => args.run(),
            Self::Approve(args) => args.run(Status::Approved),
            Self::Reject(args) => args.run(Status::Rejected),
            Self::Defer(args) => args.run(Status::Deferred),
            Self::Check(args) => args.run(),
            Self::History(args) => args.run(),
        }
    }
}

/// Options for queries about skills.
#[derive(Debug, Args)]
pub(super) struct AskArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// Evaluate as of this time, as 2027-01-31 or RFC 3339. The default is the newest record.
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<i64>,
    /// Also read this store of an earlier generation (SQLite, tables whose names end in `_log`).
    #[arg(long, value_name = "FILE")]
    beside: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// The skills of the index and of additional stores.
struct SkillIndex {
    place: Place,
    skills: Skills,
    store: knowledge_index::Store,
    /// What was read from additional stores: file, table, rows.
    beside: Vec<(String, String, u64)>,
}

impl AskArgs {
    fn read(&self) -> Result<SkillIndex, Failure> {
        let place = self.place.place()?;
        let store = place.open()?;
        let mut skills = Skills::read(&store).map_err(|e| failure(&e))?;
        let mut beside = Vec::new();
        for path in &self.beside {
            let name = path.to_string_lossy().replace('\\', "/");
            file::check_regular(path)?;
            let found = read_legacy_store(path, &name).map_err(|e| {
                Failure::unable(
                    format!("`{name}`: {e}"),
                    "it must be a store with the columns skill_name and success",
                )
            })?;
            beside.extend(
                found
                    .tables
                    .into_iter()
                    .map(|(table, rows)| (name.clone(), table, rows)),
            );
            skills.uses.extend(found.uses);
        }
        Ok(SkillIndex {
            place,
            skills,
            store,
            beside,
        })
    }
}
