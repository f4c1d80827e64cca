//! Errors of the knowledge store.

use crate::features::NotInBuild;
use rusqlite::ErrorCode;
use std::path::PathBuf;

/// Why the store can't be used or a question can't be answered.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    /// The index doesn't exist.
    #[error("there is no index at `{}`", path.display())]
    Missing {
        /// The expected path.
        path: PathBuf,
    },
    /// The file isn't an index of this program.
    #[error("`{}` isn't an index of this program", path.display())]
    Foreign { path: PathBuf },
    /// A newer program wrote the index.
    #[error("the index has version {found}; this program knows versions up to {known}")]
    Newer {
        found: i64,
        /// The newest known version.
        known: i64,
    },
    /// An older program wrote the index.
    #[error("the index has version {found}; this program reads version {known}")]
    Older {
        found: i64,
        /// The only version that can be read.
        known: i64,
    },
    /// Another process is writing.
    #[error("another process is writing the index")]
    Busy,
    /// The database reported an error.
    #[error("the index can't be used: {0}")]
    Database(rusqlite::Error),
    /// The disk or the operating system refused access; the file itself is intact.
    #[error("the index can't be read or written: {0}")]
    Refused(rusqlite::Error),
    /// A configured source can't be listed.
    #[error("the source `{path}` can't be read: {error}")]
    Source {
        /// The configured path, or a path found below it.
        path: String,
        error: std::io::Error,
    },
    /// One of several repositories can't be read.
    #[error("the repository `{name}` can't be read: {why}")]
    Repository { name: String, why: String },
    /// The index contains something that this program doesn't write.
    #[error("the index is damaged: {0}")]
    Damaged(&'static str),
    /// A directory can't be created or read.
    #[error("`{}`: {error}", path.display())]
    Io {
        path: PathBuf,
        error: std::io::Error,
    },
    /// A configured path leads out of the root.
    #[error("`{path}` leads out of the folder of the configuration")]
    Outside {
        /// The path as configured.
        path: String,
    },
    /// A configured path with wildcards isn't a valid glob.
    #[error("`{path}` isn't a glob: {message}")]
    Glob {
        /// The path as configured.
        path: String,
        message: String,
    },
    /// No observation has this id.
    #[error("no observation has the id `{0}`")]
    UnknownId(String),
    /// The task has no observations.
    #[error("no observation belongs to the task `{0}`")]
    UnknownTask(String),
    /// The budget is too small for even the last line: given and minimum tokens.
    #[error("a budget of {0} tokens is too small; the least is {1}")]
    Budget(usize, usize),
    /// The given model can't be used.
    #[error("the model of the vectors can't be used: {0}")]
    Model(super::model2vec::ModelError),
    /// The vectors in the index come from a different model than the one for the question.
    #[error("the vectors of the index were made with another model")]
    OtherModel,
    /// A map can't be made.
    #[error("{message}")]
    Map {
        message: String,
        remedy: &'static str,
    },
    /// The feature isn't part of this build.
    #[error(transparent)]
    NotInBuild(#[from] NotInBuild),
}

impl From<rusqlite::Error> for KnowledgeError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(
                ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::OutOfMemory
                | ErrorCode::TooBig
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NoLargeFileSupport
                | ErrorCode::AuthorizationForStatementDenied
                | ErrorCode::OperationAborted
                | ErrorCode::OperationInterrupted
                | ErrorCode::ApiMisuse,
            ) => Self::Refused(error),
            _ => Self::Database(error),
        }
    }
}

impl KnowledgeError {
    /// Returns what the user can do about the error.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "`knowledge reindex` writes it",
            Self::Foreign { .. } => {
                "name another file in [knowledge] store; nothing is overwritten"
            }
            Self::Newer { .. } => {
                "use the program that wrote it, or move the file away and run `knowledge reindex`"
            }
            Self::Busy => "wait until it is done",
            Self::Older { .. } | Self::Database(_) | Self::Damaged(_) => {
                "move the file away and run `knowledge reindex`: it can be made again"
            }
            Self::Refused(_) => {
                "the index is as it was; check free space and permissions of its directory, then run the command again"
            }
            Self::Source { .. } => {
                "the index is as it was; put the source back, or take it out of [knowledge]"
            }
            Self::Repository { .. } => {
                "the index is as it was; put the repository right, or take it out of the list"
            }
            Self::Io { .. } => "it must exist and be accessible",
            Self::Outside { .. } => {
                "name files and folders below it; symbolic links don't lead out either"
            }
            Self::Glob { .. } => "write it as `docs/**/*.md`",
            Self::UnknownId(_) => {
                "`knowledge index` lists ids; they change when the observation does"
            }
            Self::UnknownTask(_) => "`knowledge index` names the task of each observation",
            Self::Budget(..) => "give it more",
            Self::Model(_) => {
                "--model names a folder with `model.safetensors` and a BERT-like `tokenizer.json`; without one the vectors are learnt"
            }
            Self::OtherModel => {
                "give the same --model as `knowledge reindex`, run that again, or ask with --no-vectors"
            }
            Self::Map { remedy, .. } => remedy,
            Self::NotInBuild(_) => NotInBuild::REMEDY,
        }
    }
}
