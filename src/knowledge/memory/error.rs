//! Errors of carrying out a plan, with remedies.

use std::io;

/// Why a plan can't be carried out. Unless stated otherwise, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process is changing the bank.
    #[error("another process is changing the bank")]
    Busy,
    /// A file has changed since the plan was made.
    #[error("`{0}` has changed since it was read")]
    Changed(String),
    /// The file is outside the configured banks or isn't a regular file.
    #[error(
        "`{0}` isn't a regular file of a configured bank, or is outside the configuration's directory"
    )]
    Outside(String),
    /// A run was interrupted and has to be completed before anything else.
    #[error("run {0} was broken off")]
    BrokenOff(u64),
    /// An interrupted run can't be completed.
    #[error("run {run} was broken off, and `{file}` has been changed since")]
    Stuck { run: u64, file: String },
    /// No run is left to undo.
    #[error("no run is left to be taken back")]
    NothingToUndo,
    /// The journal contains something that this program doesn't write.
    #[error("run {0} of the journal is damaged")]
    Damaged(u64),
    /// A file can't be read or written. The next command completes a run that has begun.
    #[error("`{0}`: {1}")]
    Io(String, io::Error),
}

impl JournalError {
    /// Returns what the user can do about the error.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::Busy => "wait until it is done",
            Self::Changed(_) => "run `knowledge memory status` again",
            Self::Outside(_) => {
                "symbolic links and files elsewhere aren't written to; a journal that isn't yours is best deleted"
            }
            Self::BrokenOff(_) => "`knowledge memory apply` shows it and brings it to its end",
            Self::Stuck { .. } | Self::Damaged(_) => {
                "the files as they were lie in the folder of the run, below the journal"
            }
            Self::NothingToUndo => {
                "only what `knowledge memory apply` did can be taken back, the last run first"
            }
            Self::Io(..) => "it must exist and be accessible; then run the command again",
        }
    }
}
