//! `repomap`: maps a repository.

mod build;
mod check;
mod diff;
mod interface;
mod many;
mod tags;
mod tree;

pub(super) use check::{MAX_DRIFT, check_map};
pub(super) use interface::compare_interface;

use super::common::formats::parser;
use super::output::Failure;
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};

/// Arguments of `repomap`.
#[derive(Debug, Args)]
pub struct RepomapArgs {
    #[command(subcommand)]
    command: RepomapCommand,
}

/// Subcommands of `repomap`.
#[derive(Debug, Subcommand)]
enum RepomapCommand {
    /// Write the map: what ranks highest of all definitions, as much as fits into a budget of
    /// tokens.
    Build(build::BuildArgs),
    /// Check that what a map shows is true, and that it shows most of what a new one would.
    Check(check::CheckArgs),
    /// Compare what two revisions define: added, removed, changed.
    Diff(diff::DiffArgs),
    /// Print all definitions and references, for other tools.
    Tags(tags::TagsArgs),
}

impl RepomapArgs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self.command {
            RepomapCommand::Build(args) => args.run(),
            RepomapCommand::Check(args) => args.run(),
            RepomapCommand::Diff(args) => args.run(),
            RepomapCommand::Tags(args) => args.run(),
        }
    }
}

/// Creates a parser for the name of a repo map's format; the help shows these descriptions.
fn map_format(
    text: &'static str,
    markdown: &'static str,
    json: &'static str,
) -> impl TypedValueParser<Value = repo_map::Format> {
    parser([
        ("text", text, repo_map::Format::Text),
        ("markdown", markdown, repo_map::Format::Markdown),
        ("json", json, repo_map::Format::Json),
    ])
}
