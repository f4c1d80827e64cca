//! `knowledge` in a build without it. Always refuses.

use super::common::located::LocatedConfig;
use super::output::Failure;
use crate::diag::Finding;
use crate::features::{Feature, NotInBuild};
use crate::trajectory::ExecutionSet;
use crate::verify::Report;
use clap::Args;
use content_scan::mask::Mask;
use std::ffi::OsString;
use std::path::Path;

/// Arguments of a command that isn't part of this build.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct KnowledgeArgs {
    /// Whatever the command takes where it is part of the build.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _words: Vec<OsString>,
}

impl KnowledgeArgs {
    #[expect(
        clippy::unused_self,
        reason = "the command line runs it as any other command"
    )]
    pub(super) fn run(self) -> Result<u8, Failure> {
        Err(NotInBuild(Feature::Knowledge).into())
    }
}

/// Refuses to check an index.
pub(super) fn check_index(_: &LocatedConfig) -> Result<Report, Failure> {
    Err(NotInBuild(Feature::Knowledge).into())
}

/// Refuses to query an index.
pub(super) fn ask(_: &Path, _: &mut ExecutionSet, _: &Mask) -> Result<(), Failure> {
    Err(NotInBuild(Feature::Knowledge).into())
}

/// Refuses to check a ledger of decisions about skills.
pub(super) fn ledger_faults(name: &str, _: &Path) -> Result<(Vec<Finding>, u64), Failure> {
    let missing = NotInBuild(Feature::Knowledge);
    Err(Failure::unable(
        format!("`{name}` can't be checked: {missing}"),
        NotInBuild::REMEDY,
    ))
}
