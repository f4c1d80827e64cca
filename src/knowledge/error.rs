//! Errors of knowledge.

use crate::features::NotInBuild;
use knowledge_index::IndexError;
use std::path::PathBuf;

/// Why sources can't be indexed or a question can't be answered.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    /// The index can't be used.
    #[error(transparent)]
    Index(#[from] IndexError),
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
    /// The task has no observations.
    #[error("no observation belongs to the task `{0}`")]
    UnknownTask(String),
    /// The budget is too small for even the last line: given and minimum tokens.
    #[error("a budget of {0} tokens is too small; the least is {1}")]
    Budget(usize, usize),
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
        Self::Index(error.into())
    }
}

impl KnowledgeError {
    /// Returns what the user can do about the error.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::Index(error) => index_remedy(error),
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
            Self::UnknownTask(_) => "`knowledge index` names the task of each observation",
            Self::Budget(..) => "give it more",
            Self::Map { remedy, .. } => remedy,
            Self::NotInBuild(_) => NotInBuild::REMEDY,
        }
    }
}

const fn index_remedy(error: &IndexError) -> &'static str {
    match error {
        IndexError::Missing { .. } => "`knowledge reindex` writes it",
        IndexError::Foreign { .. } => {
            "name another file in [knowledge] store; nothing is overwritten"
        }
        IndexError::Newer { .. } => {
            "use the program that wrote it, or move the file away and run `knowledge reindex`"
        }
        IndexError::Busy => "wait until it is done",
        IndexError::Older { .. } | IndexError::Database(_) | IndexError::Damaged(_) => {
            "move the file away and run `knowledge reindex`: it can be made again"
        }
        IndexError::Refused(_) => {
            "the index is as it was; check free space and permissions of its directory, then run the command again"
        }
        IndexError::Io { .. } => "it must exist and be accessible",
        IndexError::UnknownId(_) => {
            "`knowledge index` lists ids; they change when the observation does"
        }
        IndexError::Model(_) => {
            "--model names a folder with `model.safetensors` and a BERT-like `tokenizer.json`; without one the vectors are learnt"
        }
        IndexError::OtherModel => {
            "give the same --model as `knowledge reindex`, run that again, or ask with --no-vectors"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_no_damage() {
        let full = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(13), None);
        let full = KnowledgeError::from(full);
        assert!(full.remedy().contains("as it was") && !full.remedy().contains("away"));
        let damaged = KnowledgeError::from(IndexError::Damaged("text"));
        assert!(damaged.remedy().contains("away"));
    }
}
