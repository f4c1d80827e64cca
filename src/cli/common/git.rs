//! Failures of git.

use crate::cli::output::Failure;
use worktree::git::GitError;

/// Reports an error of the repository that `--repo` names.
pub(in crate::cli) fn git_failure(error: &GitError) -> Failure {
    Failure::unable(
        error.to_string(),
        "--repo names a folder of a git repository, revisions are those that git knows there",
    )
}
