//! Why a plan isn't carried out, and what to do about it.

use std::io;

/// What keeps a plan from being carried out. Unless it says otherwise nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Somebody else is at work.
    #[error("another process is changing the bank")]
    Busy,
    /// A file is no longer what the plan was made for.
    #[error("`{0}` has changed since it was read")]
    Changed(String),
    /// A file isn't one that may be changed.
    #[error(
        "`{0}` is no ordinary file of a configured bank, or leads out of the folder of the configuration"
    )]
    Outside(String),
    /// A run was broken off, and nothing else may be done before it is brought to its end.
    #[error("run {0} was broken off")]
    BrokenOff(u64),
    /// A run that was broken off can't be brought to its end.
    #[error("run {run} was broken off, and `{file}` has been changed since")]
    Stuck { run: u64, file: String },
    /// There is nothing to take back.
    #[error("no run is left to be taken back")]
    NothingToUndo,
    /// The journal isn't what this program writes.
    #[error("run {0} of the journal is damaged")]
    Damaged(u64),
    /// A file can't be read or written. What was begun is brought to its end by the next command.
    #[error("`{0}`: {1}")]
    Io(String, io::Error),
}

impl JournalError {
    /// What to do about it.
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
