//! `repomap` in a build without it. Always refuses.

use super::output::Failure;
use crate::features::{Feature, NotInBuild};
use crate::verify::Report;
use clap::Args;
use std::ffi::OsString;
use std::path::Path;

/// Arguments of a command that isn't part of this build.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct RepomapArgs {
    /// Whatever the command takes where it is part of the build.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _words: Vec<OsString>,
}

impl RepomapArgs {
    #[expect(
        clippy::unused_self,
        reason = "the command line runs it as any other command"
    )]
    pub(super) fn run(self) -> Result<u8, Failure> {
        Err(NotInBuild(Feature::Repomap).into())
    }
}

/// The drift in per cent up to which a map would be accepted.
pub(super) const MAX_DRIFT: u8 = 10;

/// Refuses to check a map.
pub(super) fn check_map(_: &Path, _: &Path, _: u8) -> Result<(Report, bool), Failure> {
    Err(NotInBuild(Feature::Repomap).into())
}

/// Refuses to compare interfaces.
pub(super) fn compare_interface(_: &Path, _: &str) -> Result<(Report, bool), Failure> {
    Err(NotInBuild(Feature::Repomap).into())
}
