//! The commits of a repository as a source.

use std::io;
use std::path::Path;
use worktree::git::{GitError, Repository};

/// Returns the id of the commit that a revision names, in the repository of a directory.
///
/// # Errors
/// When there is no repository, or no such commit.
pub(super) fn tip(root: &Path, revision: &str) -> io::Result<Vec<u8>> {
    let commit = || -> Result<Vec<u8>, GitError> {
        let repository = Repository::discover(root)?;
        let id = repository.commit(revision)?;
        Ok(id.to_string().into_bytes())
    };
    commit().map_err(|error| io::Error::other(error.to_string()))
}
