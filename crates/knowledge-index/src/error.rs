//! Errors of the index.

use crate::model2vec::ModelError;
use rusqlite::ErrorCode;
use std::path::PathBuf;

/// Why a store can't be used or a question can't be answered.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The index doesn't exist.
    #[error("there is no index at `{}`", path.display())]
    Missing {
        /// The expected path.
        path: PathBuf,
    },
    /// The file isn't an index with this schema.
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
    /// The index contains something that isn't written there.
    #[error("the index is damaged: {0}")]
    Damaged(&'static str),
    /// A directory can't be created.
    #[error("`{}`: {error}", path.display())]
    Io {
        path: PathBuf,
        error: std::io::Error,
    },
    /// No observation has this id.
    #[error("no observation has the id `{0}`")]
    UnknownId(String),
    /// The given model can't be used.
    #[error("the model of the vectors can't be used: {0}")]
    Model(ModelError),
    /// The vectors in the index come from a different model than the one for the question.
    #[error("the vectors of the index were made with another model")]
    OtherModel,
}

impl From<rusqlite::Error> for IndexError {
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
