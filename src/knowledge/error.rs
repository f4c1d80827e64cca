//! What keeps the store from being used.

use crate::features::NotInBuild;
use rusqlite::ErrorCode;
use std::path::PathBuf;

/// The store can't be used, or a question can't be answered.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    /// There is no file.
    #[error("there is no index at `{}`", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("`{}` is no index of this program", path.display())]
    Foreign {
        /// Which file.
        path: PathBuf,
    },
    /// A newer program wrote it.
    #[error("the index has version {found}; this program knows versions up to {known}")]
    Newer {
        found: i64,
        /// The newest one that is known.
        known: i64,
    },
    /// An older program wrote it.
    #[error("the index has version {found}; this program reads version {known}")]
    Older {
        found: i64,
        /// The version that is read.
        known: i64,
    },
    /// Another process is writing.
    #[error("another process is writing the index")]
    Busy,
    /// The database says no.
    #[error("the index can't be used: {0}")]
    Database(rusqlite::Error),
    /// The disk or the system refuses; nothing is wrong with the file.
    #[error("the index can't be read or written: {0}")]
    Refused(rusqlite::Error),
    /// A configured source can't be listed.
    #[error("the source `{path}` can't be read: {error}")]
    Source {
        /// As it is configured, or found below that.
        path: String,
        error: std::io::Error,
    },
    /// Something in it isn't what this program writes.
    #[error("the index is damaged: {0}")]
    Damaged(&'static str),
    /// A folder can't be made or read.
    #[error("`{}`: {error}", path.display())]
    Io {
        path: PathBuf,
        error: std::io::Error,
    },
    /// A configured path leads out.
    #[error("`{path}` leads out of the folder of the configuration")]
    Outside {
        /// As it was configured.
        path: String,
    },
    /// An id that no observation has.
    #[error("no observation has the id `{0}`")]
    UnknownId(String),
    /// A task without observations.
    #[error("no observation belongs to the task `{0}`")]
    UnknownTask(String),
    /// A budget that not even the last line fits.
    #[error("a budget of {0} tokens is too small; the least is {1}")]
    Budget(usize, usize),
    /// The model that was given can't be used.
    #[error("the model of the vectors can't be used: {0}")]
    Model(super::model2vec::ModelError),
    /// The vectors of the index come from another model than the one that is to embed the question.
    #[error("the vectors of the index were made with another model")]
    OtherModel,
    /// There is no map.
    #[error("{message}")]
    Map {
        message: String,
        remedy: &'static str,
    },
    /// A part of the program that this build doesn't contain.
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
    /// What to do about it.
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
            Self::Io { .. } => "it must exist and be accessible",
            Self::Outside { .. } => {
                "name files and folders below it; symbolic links don't lead out either"
            }
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
