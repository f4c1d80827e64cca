//! `repomap`: the skeleton of a repository.

mod build;
mod check;
mod diff;
mod interface;
mod tags;
mod tree;

pub(super) use check::check_map;
pub(super) use interface::compare_interface;

use super::output::Failure;
use clap::Subcommand;

/// Maps of repositories.
#[derive(Debug, Subcommand)]
pub enum RepomapCommand {
    /// Write the map: what ranks highest of all definitions, as much as fits into a budget of
    /// tokens.
    Build(build::BuildArgs),
    /// Build the map again with the settings that it names, and fail when it isn't what the tree
    /// gives.
    Check(check::CheckArgs),
    /// Compare what two revisions define: added, removed, written otherwise.
    Diff(diff::DiffArgs),
    /// Print all definitions and references, for other tools.
    Tags(tags::TagsArgs),
}

impl RepomapCommand {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self {
            Self::Build(args) => args.run(),
            Self::Check(args) => args.run(),
            Self::Diff(args) => args.run(),
            Self::Tags(args) => args.run(),
        }
    }
}
