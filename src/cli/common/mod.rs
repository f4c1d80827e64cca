//! What several subcommands share. Nothing here depends on a subcommand.

pub(in crate::cli) mod formats;
