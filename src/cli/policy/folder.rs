//! Finds the policies in a directory and its subdirectories, and reports what it can't follow.

use crate::cli::output::Failure;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Whether a file name is that of a policy, not of a file next to one.
pub(super) fn is_policy(name: &str) -> bool {
    // Files next to a policy are found by exactly these extensions. Others would not be run.
    let beside = [
        ".test.yaml",
        ".test.yml",
        ".reasons.yaml",
        ".regressions.yaml",
    ];
    let yaml = |ending: &std::ffi::OsStr| {
        ["yaml", "yml"]
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
    };
    Path::new(name).extension().is_some_and(yaml) && !beside.iter().any(|b| name.ends_with(b))
}

/// Returns the policy files that a path names: the file itself, or those in a directory and below
/// it.
///
/// # Errors
/// When a directory can't be read, or a link that may lead to policies isn't followed.
pub(super) fn policies_under(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    // Files in git's own directory may have any name, for example that of a branch.
    let inside = WalkDir::new(path)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git");
    for entry in inside {
        let entry = entry.map_err(|e| {
            Failure::unable(
                format!("can't read `{}`: {e}", path.display()),
                "it must be a folder of policies",
            )
        })?;
        let (kind, named) = (
            entry.file_type(),
            is_policy(&entry.file_name().to_string_lossy()),
        );
        if kind.is_file() && named {
            files.push(entry.into_path());
        } else if !kind.is_dir() && (named || kind.is_symlink() && !entry.path().is_file()) {
            return Err(not_followed(&entry.path().display().to_string()));
        }
    }
    Ok(files)
}

/// Refuses a link that isn't followed but may lead to policies. The user would assume that they
/// were checked.
pub(super) fn not_followed(name: &str) -> Failure {
    let remedy = "put the policies themselves into the folder, or name the other place by itself";
    Failure::unable(
        format!("`{name}` in a folder of policies only leads elsewhere, and isn't followed"),
        remedy,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_count_in_either_case() {
        assert!(
            is_policy("a.yaml")
                && is_policy("a.YML")
                && is_policy("a.test.YAML")
                && is_policy(".yaml.yml")
        );
        assert!(
            !is_policy("a.test.yaml")
                && !is_policy("a.reasons.yaml")
                && !is_policy("a.json")
                && !is_policy("yaml")
        );
    }

    #[test]
    fn a_folder_is_looked_through_to_its_ground() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        std::fs::create_dir_all(at.join("team/.git")).unwrap();
        for name in [
            "b.YAML",
            "team/a.yml",
            "team/a.test.yaml",
            "team/.git/x.yaml",
            "notes.md",
        ] {
            std::fs::write(at.join(name), "").unwrap();
        }
        let found = || {
            policies_under(at).map(|all| {
                all.iter()
                    .map(|p| p.strip_prefix(at).unwrap().to_owned())
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(
            found().unwrap(),
            [Path::new("b.YAML"), Path::new("team/a.yml")]
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(at.join("notes.md"), at.join("more.md")).unwrap();
            assert!(found().is_ok(), "a link to what is no policy leads to none");
            for (target, link) in [("b.YAML", "c.yaml"), ("team", "other"), ("nowhere", "gone")] {
                symlink(at.join(target), at.join(link)).unwrap();
                assert!(found().is_err(), "{link}");
                std::fs::remove_file(at.join(link)).unwrap();
            }
        }
    }
}
