//! Reads policies of a revision: `REV:PATH`, in the repository around the current directory.

use super::folder::{is_policy, not_followed};
use crate::cli::output::Failure;
use std::path::Path;
use worktree::git::{Entry, GitError, Kind, ObjectId, Repository};

/// Maximum size of a policy in bytes.
const MAX_BYTES: usize = 4 << 20;

/// A file or directory of a commit.
pub(super) struct Revision {
    repository: Repository,
    commit: ObjectId,
    /// As the user wrote it.
    written: String,
    path: String,
}

fn unable(error: &GitError) -> Failure {
    let remedy = match error {
        GitError::Open { .. } => {
            "revisions are searched in the repository of the current directory"
        }
        GitError::Revision { .. } => {
            "is it fetched? In a shallow clone only the newest commit is there"
        }
        GitError::Link { .. } => "name the file that it leads to",
        GitError::NoFile { .. } => "paths count from the top of the repository",
        GitError::Objects(_) => "a shallow or partial clone lacks them; fetch all of it",
        GitError::TooLarge { .. } => "a policy is smaller",
    };
    Failure::unable(error.to_string(), remedy)
}

impl Revision {
    /// Resolves `REV:PATH`. `None` when the text names an existing file or doesn't have that form.
    pub(super) fn named(text: &str) -> Result<Option<Self>, Failure> {
        let Some((revision, path)) = text
            .split_once(':')
            .filter(|(r, _)| !r.is_empty() && !Path::new(text).exists())
        else {
            return Ok(None);
        };
        let repository = Repository::discover(Path::new(".")).map_err(|e| unable(&e))?;
        let commit = repository.commit(revision).map_err(|e| unable(&e))?;
        let path = path
            .trim_start_matches("./")
            .trim_end_matches('/')
            .to_owned();
        Ok(Some(Self {
            repository,
            commit,
            written: text.to_owned(),
            path,
        }))
    }

    /// Returns the text of the file.
    pub(super) fn file(&self) -> Result<String, Failure> {
        self.text(&self.path)
    }

    /// Returns the text of a file below the directory, if there is one.
    pub(super) fn below(&self, name: &str) -> Result<Option<String>, Failure> {
        let path = match self.path.as_str() {
            "" | "." => name.to_owned(),
            directory => format!("{directory}/{name}"),
        };
        match self.repository.file(self.commit, &path, MAX_BYTES) {
            Err(GitError::NoFile { .. }) => Ok(None),
            Err(error) => Err(unable(&error)),
            Ok(bytes) => text_of(&path, bytes).map(Some),
        }
    }

    /// Returns the policies below the directory by their relative paths; `None` when it isn't a
    /// directory.
    pub(super) fn folder(&self) -> Result<Option<Vec<(String, String)>>, Failure> {
        let prefix = if self.path.is_empty() || self.path == "." {
            String::new()
        } else {
            format!("{}/", self.path)
        };
        let all = self.repository.files(self.commit).map_err(|e| unable(&e))?;
        let inside: Vec<(&Entry, &str)> = all
            .iter()
            .filter_map(|e| {
                Some((
                    e,
                    e.path
                        .strip_prefix(&prefix)
                        .filter(|name| !name.is_empty())?,
                ))
            })
            .collect();
        if inside.is_empty() {
            return Ok(None);
        }
        let mut files = Vec::new();
        for (entry, name) in inside {
            let named = is_policy(name.rsplit('/').next().unwrap_or(name));
            match entry.kind {
                Kind::File | Kind::Executable if named => {
                    files.push((name.to_owned(), self.text(&entry.path)?));
                }
                Kind::File | Kind::Executable => {}
                Kind::Link if !named && self.leads_to_a_file(entry, &all)? => {}
                Kind::Link | Kind::Submodule => return Err(not_followed(&self.name_of(name))),
            }
        }
        Ok(Some(files))
    }

    /// Whether a symbolic link directly names a file of the commit.
    fn leads_to_a_file(&self, link: &Entry, all: &[Entry]) -> Result<bool, Failure> {
        let target = self
            .repository
            .content(link.id, MAX_BYTES)
            .map_err(|e| unable(&e))?;
        let mut path: Vec<&str> = link.path.split('/').collect();
        path.pop();
        let target = String::from_utf8_lossy(&target);
        for part in target.split('/') {
            match part {
                "." => {}
                ".." if path.pop().is_some() => {}
                // An absolute path, or one that leaves the tree.
                "" | ".." => return Ok(false),
                part => path.push(part),
            }
        }
        let path = path.join("/");
        Ok(all
            .iter()
            .any(|e| e.path == path && matches!(e.kind, Kind::File | Kind::Executable)))
    }

    /// Returns the name of one of its files in reports.
    pub(super) fn name_of(&self, file: &str) -> String {
        format!("{}/{file}", self.written.trim_end_matches('/'))
    }

    fn text(&self, path: &str) -> Result<String, Failure> {
        let bytes = self
            .repository
            .file(self.commit, path, MAX_BYTES)
            .map_err(|e| unable(&e))?;
        text_of(path, bytes)
    }
}

fn text_of(path: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes)
        .map_err(|_| Failure::unable(format!("`{path}` is not valid UTF-8"), "a policy is text"))
}

/// Returns the text and the name of a policy file at the merge base of `HEAD` and `base`; `None`
/// when it didn't exist there.
pub(super) fn at_merge_base(
    policy: &Path,
    base: &str,
) -> Result<Option<(String, String)>, Failure> {
    let folder = policy
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let repository = Repository::discover(folder).map_err(|e| unable(&e))?;
    let (head, other) = (
        repository.commit("HEAD").map_err(|e| unable(&e))?,
        repository
            .commit_of_one_name(base)
            .map_err(|e| unable(&e))?,
    );
    let Some(parting) = repository.merge_base(head, other).map_err(|e| unable(&e))? else {
        let remedy = "fetch the whole history: a shallow clone hides what they share";
        return Err(Failure::unable(
            format!("`HEAD` and `{base}` share no commit"),
            remedy,
        ));
    };
    let real = |path: &Path| {
        path.canonicalize().map_err(|e| {
            Failure::unable(
                format!("can't read `{}`: {e}", path.display()),
                "it must be readable",
            )
        })
    };
    let top = repository
        .work_tree()
        .ok_or_else(|| Failure::unable("the repository has no work tree", "run the gate in one"))?;
    let file = real(policy)?;
    let inside = file.strip_prefix(real(&top)?).map_err(|_| {
        Failure::unable(
            format!("`{}` is not in the work tree", policy.display()),
            "the policy must be in the repository",
        )
    })?;
    let path = inside.to_string_lossy().replace('\\', "/");
    match repository.file(parting, &path, MAX_BYTES) {
        Err(GitError::NoFile { .. }) => Ok(None),
        Err(error) => Err(unable(&error)),
        Ok(bytes) => {
            let text = text_of(&path, bytes)?;
            let short: String = parting.to_string().chars().take(12).collect();
            Ok(Some((format!("{short}:{path}"), text)))
        }
    }
}

/// Returns every version of every policy file in the history of a repository, the newest first.
/// Reads at most `commits` commits.
pub(super) fn history(folder: &Path, commits: usize) -> Result<Vec<(String, String)>, Failure> {
    let repository = Repository::discover(folder).map_err(|e| unable(&e))?;
    let head = repository.commit("HEAD").map_err(|e| unable(&e))?;
    let mut seen = std::collections::BTreeSet::new();
    let mut all = Vec::new();
    for commit in repository.history(head, commits).map_err(|e| unable(&e))? {
        for entry in repository.files(commit).map_err(|e| unable(&e))? {
            let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
            if !is_policy(name) || !matches!(entry.kind, Kind::File | Kind::Executable) {
                continue;
            }
            if seen.insert(entry.id)
                && let Ok(bytes) = repository.content(entry.id, MAX_BYTES)
                && let Ok(text) = String::from_utf8(bytes)
            {
                let short: String = commit.to_string().chars().take(12).collect();
                all.push((format!("{short}:{}", entry.path), text));
            }
        }
    }
    Ok(all)
}
