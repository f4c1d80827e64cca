//! Errors of git.

use crate::cli::output::Failure;
use worktree::git::GitError;

/// Converts an error about the repository named by `--repo`.
pub(in crate::cli) fn git_failure(error: &GitError) -> Failure {
    Failure::unable(
        error.to_string(),
        "--repo names a folder of a git repository, revisions are those that git knows there",
    )
}
