//! The files that belong to a policy.

use std::path::{Path, PathBuf};

/// Extension of the file with expected reasons.
pub(in crate::cli) const REASONS: &str = "reasons.yaml";
/// Extensions of the files next to a policy.
pub(in crate::cli) const ENDINGS: [&str; 4] =
    ["test.yaml", "test.yml", "regressions.yaml", REASONS];

/// Returns the policy and all files next to it that are read with it.
pub(in crate::cli) fn policy_files(policy: &Path) -> Vec<PathBuf> {
    std::iter::once(policy.to_path_buf())
        .chain(ENDINGS.map(|ending| sibling(policy, ending)))
        .collect()
}

/// Returns the file next to a policy with another extension.
pub(in crate::cli) fn sibling(policy: &Path, ending: &str) -> PathBuf {
    policy.with_extension(ending)
}
