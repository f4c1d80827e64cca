//! Code shared by several subcommands. Nothing here depends on a subcommand.

pub(super) mod exit;
pub(super) mod formats;
pub(super) mod git;
pub(super) mod inputs;
pub(super) mod located;
pub(super) mod policy_files;
#[cfg(any(feature = "knowledge", feature = "repomap"))]
pub(super) mod repositories;
pub(super) mod secrets;
pub(super) mod time;
pub(super) mod tools;
pub(super) mod trust;
