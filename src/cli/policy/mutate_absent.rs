//! `policy mutate` in a build without it. Always refuses.

use crate::cli::output::Failure;
use crate::features::{Feature, NotInBuild};
use clap::Args;
use std::ffi::OsString;

/// Arguments of a command that isn't part of this build.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct MutateArgs {
    /// Whatever the command takes where it is part of the build.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _words: Vec<OsString>,
}

impl MutateArgs {
    #[expect(
        clippy::unused_self,
        reason = "the command line runs it as any other command"
    )]
    pub(super) fn run(self) -> Result<u8, Failure> {
        Err(NotInBuild(Feature::PolicyFuzz).into())
    }
}
