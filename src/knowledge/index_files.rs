//! The files of an index, which aren't sources of it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The files of indexes, which are no sources: they change with each run.
#[derive(Debug, Clone, Default)]
pub(super) struct IndexFiles {
    names: BTreeSet<OsString>,
    paths: BTreeSet<PathBuf>,
}

impl IndexFiles {
    /// What SQLite appends to the name of a database for the files next to it.
    const ENDINGS: [&str; 4] = ["", "-wal", "-shm", "-journal"];

    /// Returns the files of an index.
    pub(super) fn of(index: Option<&Path>) -> Self {
        Self::default().with(index)
    }

    /// Adds the files of another index.
    pub(super) fn with(&self, index: Option<&Path>) -> Self {
        let mut all = self.clone();
        let Some(index) = index else {
            return all;
        };
        // The other files are next to the target of a symbolic link.
        for index in [real(index), index.canonicalize().ok()]
            .into_iter()
            .flatten()
        {
            for ending in Self::ENDINGS {
                let mut path = index.clone().into_os_string();
                path.push(ending);
                let path = PathBuf::from(path);
                all.names.extend(path.file_name().map(OsString::from));
                all.paths.insert(path);
            }
        }
        all
    }

    /// Whether a file is one of them.
    pub(super) fn contain(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|n| self.names.contains(n))
            && real(path).is_some_and(|path| self.paths.contains(&path))
    }
}

/// Resolves the directory of a file; the file need not exist.
fn real(file: &Path) -> Option<PathBuf> {
    let folder = match file.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    Some(folder.canonicalize().ok()?.join(file.file_name()?))
}
