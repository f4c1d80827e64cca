//! Reads revisions of a git repository from the object store: no checkout, hook, filter or network.
//!
//! Paths are bytes in git. A path that isn't valid UTF-8 is returned as bytes, and as text with
//! U+FFFD.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why something in a repository can't be read.
#[derive(Debug, Error)]
pub enum GitError {
    /// There is no repository at or above the directory, or git refuses to read it (another owner,
    /// or broken).
    #[error("no git repository can be read at `{path}`: {reason}")]
    Open {
        /// The directory that was searched.
        path: String,
        /// The error message of libgit2.
        reason: String,
    },
    /// The revision doesn't name a commit.
    #[error("`{revision}` names no commit: {reason}")]
    Revision {
        /// As the user wrote it.
        revision: String,
        /// The error message of libgit2.
        reason: String,
    },
    /// The revision doesn't contain the file.
    #[error("`{path}` isn't a file of `{revision}`")]
    NoFile {
        path: String,
        /// The commit that was searched.
        revision: String,
    },
    /// The path is a symbolic link in the revision.
    #[error("`{path}` is a symbolic link in `{revision}`, and isn't followed")]
    Link {
        path: String,
        /// The commit that was searched.
        revision: String,
    },
    /// The object store is broken or incomplete (a shallow or partial clone).
    #[error("the repository's objects can't be read: {0}")]
    Objects(String),
    /// The file is larger than the caller's limit.
    #[error("`{path}` has {size} bytes, more than the limit of {limit}")]
    TooLarge {
        path: String,
        /// Size in bytes.
        size: usize,
        /// Limit in bytes.
        limit: usize,
    },
}

/// The type of an entry in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file (mode 100644, or the old 100664).
    File,
    /// An executable file (mode 100755).
    Executable,
    /// A symbolic link (mode 120000). Its content is its target.
    Link,
    /// A commit of another repository (mode 160000). It has no content here.
    Submodule,
}

/// A file of a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path from the root of the tree, with `/`. Bytes that aren't valid UTF-8 are replaced by
    /// U+FFFD.
    pub path: String,
    pub kind: Kind,
    pub id: ObjectId,
    /// The bytes of a path that isn't valid UTF-8. In this case, `path` can't be used to find the
    /// file, and another file may have the same `path`.
    pub raw_path: Option<Vec<u8>>,
}

/// The id of an object: the hash of its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(git2::Oid);

impl std::fmt::Display for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A commit, with the paths that it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub id: ObjectId,
    /// Milliseconds since the Unix epoch.
    pub time: i64,
    /// Bytes that aren't valid UTF-8 are replaced by U+FFFD.
    pub message: String,
    /// Changed paths against the first parent, sorted.
    pub paths: Vec<String>,
    /// Number of further paths.
    pub more_paths: usize,
}

/// An opened repository.
pub struct Repository {
    inner: git2::Repository,
}

impl std::fmt::Debug for Repository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repository")
            .field("path", &self.inner.path())
            .finish()
    }
}

fn objects(error: &git2::Error) -> GitError {
    GitError::Objects(error.message().to_owned())
}

impl Repository {
    /// Opens the repository that contains a directory: the nearest one at or above it.
    ///
    /// # Errors
    /// Returns [`GitError::Open`] if none can be read.
    pub fn discover(folder: &Path) -> Result<Repository, GitError> {
        let refused = |e: git2::Error| GitError::Open {
            path: folder.display().to_string(),
            reason: e.message().to_owned(),
        };
        let inner = git2::Repository::discover(folder).map_err(refused)?;
        Ok(Repository { inner })
    }

    /// Returns the root of the work tree; `None` for a bare repository.
    pub fn work_tree(&self) -> Option<PathBuf> {
        self.inner.workdir().map(Path::to_path_buf)
    }

    /// Returns the commit that a revision names (`HEAD`, `main~2`, a tag, a hash).
    ///
    /// # Errors
    /// Returns [`GitError::Revision`] if it names none.
    pub fn commit(&self, revision: &str) -> Result<ObjectId, GitError> {
        let refused = |e: git2::Error| GitError::Revision {
            revision: revision.to_owned(),
            reason: e.message().to_owned(),
        };
        let object = self.inner.revparse_single(revision).map_err(refused)?;
        Ok(ObjectId(object.peel_to_commit().map_err(refused)?.id()))
    }

    /// Returns the commit of a revision, if the name is unambiguous.
    ///
    /// Git prefers a tag to a branch of the same name. Whoever can push a tag `origin/main` could
    /// otherwise choose the commit.
    ///
    /// # Errors
    /// Returns [`GitError::Revision`] if the name matches no commit, or several.
    pub fn commit_of_one_name(&self, revision: &str) -> Result<ObjectId, GitError> {
        let commit = self.commit(revision)?;
        if git2::Oid::from_str(revision).is_ok_and(|id| id == commit.0) {
            return Ok(commit);
        }
        for prefix in ["refs/tags", "refs/heads", "refs/remotes"] {
            let name = format!("{prefix}/{revision}");
            let other = self
                .inner
                .find_reference(&name)
                .and_then(|r| r.peel_to_commit());
            if other.is_ok_and(|other| other.id() != commit.0) {
                let reason =
                    format!("the name is ambiguous: `{name}` is another commit; write it in full");
                return Err(GitError::Revision {
                    revision: revision.to_owned(),
                    reason,
                });
            }
        }
        Ok(commit)
    }

    /// Returns the best common ancestor of two commits; `None` if their histories are unrelated.
    ///
    /// # Errors
    /// Returns [`GitError::Objects`] if the history can't be read.
    pub fn merge_base(&self, one: ObjectId, other: ObjectId) -> Result<Option<ObjectId>, GitError> {
        match self.inner.merge_base(one.0, other.0) {
            Ok(id) => Ok(Some(ObjectId(id))),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(objects(&error)),
        }
    }

    /// Returns at most `limit` ancestors of `from`, including itself. The order is topological;
    /// unrelated commits are sorted by time, newest first.
    ///
    /// # Errors
    /// Returns [`GitError::Objects`] if the history can't be read.
    pub fn history(&self, from: ObjectId, limit: usize) -> Result<Vec<ObjectId>, GitError> {
        let mut walk = self.inner.revwalk().map_err(|e| objects(&e))?;
        walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::TIME)
            .map_err(|e| objects(&e))?;
        walk.push(from.0).map_err(|e| objects(&e))?;
        walk.take(limit)
            .map(|id| id.map(ObjectId).map_err(|e| objects(&e)))
            .collect()
    }

    /// Reads a commit with at most `limit` of the paths that it changes. A commit whose parent
    /// isn't in the object store, as in a shallow clone, has no paths.
    ///
    /// # Errors
    /// Returns [`GitError::Objects`] if it can't be read.
    pub fn read_commit(&self, id: ObjectId, limit: usize) -> Result<Commit, GitError> {
        let commit = self.inner.find_commit(id.0).map_err(|e| objects(&e))?;
        let tree = commit.tree().map_err(|e| objects(&e))?;
        let before = match commit.parent_id(0) {
            Ok(parent) => match self.inner.find_commit(parent).and_then(|p| p.tree()) {
                Ok(tree) => Some(tree),
                Err(_) => Some(tree.clone()),
            },
            Err(_) => None,
        };
        let diff = self
            .inner
            .diff_tree_to_tree(before.as_ref(), Some(&tree), None)
            .map_err(|e| objects(&e))?;
        let deltas = diff.deltas();
        let more_paths = deltas.len().saturating_sub(limit);
        let paths = deltas.take(limit).filter_map(|delta| {
            let path = delta.new_file().path_bytes();
            let path = path.or_else(|| delta.old_file().path_bytes())?;
            Some(String::from_utf8_lossy(path).into_owned())
        });
        Ok(Commit {
            id,
            time: commit.time().seconds().saturating_mul(1000),
            message: String::from_utf8_lossy(commit.message_bytes()).into_owned(),
            paths: paths.collect(),
            more_paths,
        })
    }

    /// Lists all files of a commit, sorted by the bytes of their paths. A submodule is one entry.
    ///
    /// # Errors
    /// Returns [`GitError::Objects`] if the tree can't be read, or contains a path twice.
    pub fn files(&self, commit: ObjectId) -> Result<Vec<Entry>, GitError> {
        let tree = self
            .inner
            .find_commit(commit.0)
            .and_then(|c| c.tree())
            .map_err(|e| objects(&e))?;
        let mut all = Vec::new();
        // An explicit stack, since a hostile tree may be nested too deeply for recursion.
        let mut open: Vec<(Vec<u8>, git2::Tree<'_>)> = vec![(Vec::new(), tree)];
        while let Some((prefix, tree)) = open.pop() {
            let mut names = HashSet::new();
            for entry in &tree {
                // Git never writes such a tree, and its readers disagree about the content of the
                // path.
                if !names.insert(entry.name_bytes().to_vec()) || entry.name_bytes().contains(&b'/')
                {
                    let path = String::from_utf8_lossy(&[&prefix, entry.name_bytes()].concat())
                        .into_owned();
                    return Err(GitError::Objects(format!(
                        "`{path}` appears twice in a tree, or has a `/` in a name"
                    )));
                }
                let mut path = prefix.clone();
                path.extend_from_slice(entry.name_bytes());
                let kind = match entry.filemode() {
                    0o040_000 => {
                        path.push(b'/');
                        open.push((
                            path,
                            self.inner.find_tree(entry.id()).map_err(|e| objects(&e))?,
                        ));
                        continue;
                    }
                    0o120_000 => Kind::Link,
                    0o160_000 => Kind::Submodule,
                    0o100_755 => Kind::Executable,
                    _ => Kind::File,
                };
                all.push((path, kind, ObjectId(entry.id())));
            }
        }
        all.sort();
        let entry = |(path, kind, id): (Vec<u8>, Kind, ObjectId)| match String::from_utf8(path) {
            Ok(path) => Entry {
                path,
                kind,
                id,
                raw_path: None,
            },
            Err(e) => {
                let path = String::from_utf8_lossy(e.as_bytes()).into_owned();
                Entry {
                    path,
                    kind,
                    id,
                    raw_path: Some(e.into_bytes()),
                }
            }
        };
        Ok(all.into_iter().map(entry).collect())
    }

    /// Returns the content of an object listed by [`Repository::files`].
    ///
    /// # Errors
    /// Returns [`GitError::Objects`] if it can't be read, and [`GitError::TooLarge`] if it has more
    /// than `limit` bytes.
    pub fn content(&self, id: ObjectId, limit: usize) -> Result<Vec<u8>, GitError> {
        let store = self.inner.odb().map_err(|e| objects(&e))?;
        // The header is enough to reject a large file without unpacking it.
        let (size, _) = store.read_header(id.0).map_err(|e| objects(&e))?;
        if size > limit {
            return Err(GitError::TooLarge {
                path: id.to_string(),
                size,
                limit,
            });
        }
        Ok(self
            .inner
            .find_blob(id.0)
            .map_err(|e| objects(&e))?
            .content()
            .to_vec())
    }

    /// Returns whether a commit has a file at a path. A directory isn't a file.
    ///
    /// # Errors
    /// Returns [`GitError::Link`] for a symbolic link and [`GitError::NoFile`] for a submodule.
    pub fn has_file(&self, commit: ObjectId, path: &str) -> Result<bool, GitError> {
        let tree = self
            .inner
            .find_commit(commit.0)
            .and_then(|c| c.tree())
            .map_err(|e| objects(&e))?;
        let entry = match tree.get_path(Path::new(path)) {
            Ok(entry) => entry,
            Err(error) if error.code() == git2::ErrorCode::NotFound => return Ok(false),
            Err(error) => return Err(objects(&error)),
        };
        match entry.filemode() {
            0o040_000 => Ok(false),
            0o120_000 => Err(GitError::Link {
                path: path.to_owned(),
                revision: commit.to_string(),
            }),
            0o160_000 => Err(GitError::NoFile {
                path: path.to_owned(),
                revision: commit.to_string(),
            }),
            _ => Ok(true),
        }
    }

    /// Returns whether a file on disk has the content that a commit has at a path.
    ///
    /// # Errors
    /// Returns [`GitError::Objects`] if the commit or the file can't be read.
    pub fn is_unchanged(
        &self,
        commit: ObjectId,
        path: &str,
        file: &Path,
    ) -> Result<bool, GitError> {
        let tree = self
            .inner
            .find_commit(commit.0)
            .and_then(|c| c.tree())
            .map_err(|e| objects(&e))?;
        match tree.get_path(Path::new(path)) {
            Ok(entry) => {
                let here =
                    git2::Oid::hash_file(git2::ObjectType::Blob, file).map_err(|e| objects(&e))?;
                Ok(entry.id() == here)
            }
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(false),
            Err(error) => Err(objects(&error)),
        }
    }

    /// Lists the paths at which the work tree or the index differ from `HEAD`. The flag says
    /// whether git tracks the file. Ignored files aren't included.
    ///
    /// # Errors
    /// Returns [`GitError::Objects`] if the status can't be determined.
    pub fn uncommitted(&self) -> Result<Vec<(String, bool)>, GitError> {
        let mut options = git2::StatusOptions::new();
        options
            .include_untracked(true)
            .recurse_untracked_dirs(true)
            .include_ignored(false);
        let statuses = self
            .inner
            .statuses(Some(&mut options))
            .map_err(|e| objects(&e))?;
        let entry = |entry: git2::StatusEntry<'_>| {
            (
                String::from_utf8_lossy(entry.path_bytes()).into_owned(),
                entry.status() != git2::Status::WT_NEW,
            )
        };
        Ok(statuses.iter().map(entry).collect())
    }

    /// Returns the content of one file of a commit.
    ///
    /// # Errors
    /// Returns [`GitError::NoFile`] if the commit has no such file; otherwise like
    /// [`Repository::content`].
    pub fn file(&self, commit: ObjectId, path: &str, limit: usize) -> Result<Vec<u8>, GitError> {
        let missing = || GitError::NoFile {
            path: path.to_owned(),
            revision: commit.to_string(),
        };
        let tree = self
            .inner
            .find_commit(commit.0)
            .and_then(|c| c.tree())
            .map_err(|e| objects(&e))?;
        let entry = tree.get_path(Path::new(path)).map_err(|_| missing())?;
        if entry.kind() != Some(git2::ObjectType::Blob) {
            return Err(missing());
        }
        match self.content(ObjectId(entry.id()), limit) {
            Err(GitError::TooLarge { size, limit, .. }) => Err(GitError::TooLarge {
                path: path.to_owned(),
                size,
                limit,
            }),
            other => other,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Commits these files on top of the previous commit and moves `HEAD` to it.
    pub(crate) fn commit(repository: &git2::Repository, files: &[(&str, &[u8], i32)]) -> git2::Oid {
        let parent = repository.head().ok().and_then(|h| h.peel_to_commit().ok());
        let mut index = git2::Index::new().unwrap();
        if let Some(parent) = &parent {
            index.read_tree(&parent.tree().unwrap()).unwrap();
        }
        for (path, content, mode) in files {
            let id = repository.blob(content).unwrap();
            let entry = git2::IndexEntry {
                ctime: git2::IndexTime::new(0, 0),
                mtime: git2::IndexTime::new(0, 0),
                dev: 0,
                ino: 0,
                mode: u32::try_from(*mode).unwrap(),
                uid: 0,
                gid: 0,
                file_size: 0,
                id,
                flags: 0,
                flags_extended: 0,
                path: path.as_bytes().to_vec(),
            };
            index.add(&entry).unwrap();
        }
        let tree = repository
            .find_tree(index.write_tree_to(repository).unwrap())
            .unwrap();
        let who =
            git2::Signature::new("A", "a@example.com", &git2::Time::new(1_700_000_000, 0)).unwrap();
        let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
        repository
            .commit(Some("HEAD"), &who, &who, "c", &tree, &parents)
            .unwrap()
    }

    #[test]
    fn a_revision_is_read_without_a_checkout() {
        let folder = tempfile::tempdir().unwrap();
        let raw = git2::Repository::init(folder.path()).unwrap();
        commit(
            &raw,
            &[
                ("b/x.txt", b"one\n", 0o100_644),
                ("a.sh", b"#!/bin/sh\n", 0o100_755),
            ],
        );
        commit(
            &raw,
            &[
                ("b/x.txt", b"two\n", 0o100_644),
                ("l", b"../../etc/passwd", 0o120_000),
            ],
        );

        let repository = Repository::discover(folder.path()).unwrap();
        let head = repository.commit("HEAD").unwrap();
        let before = repository.commit("HEAD~1").unwrap();
        assert_eq!(repository.file(before, "b/x.txt", 100).unwrap(), b"one\n");
        assert_eq!(repository.file(head, "b/x.txt", 100).unwrap(), b"two\n");
        assert_eq!(repository.merge_base(head, before).unwrap(), Some(before));
        assert_eq!(repository.history(head, 10).unwrap(), [head, before]);
        let names: Vec<(String, Kind)> = repository
            .files(head)
            .unwrap()
            .into_iter()
            .map(|e| (e.path, e.kind))
            .collect();
        let expected = [
            ("a.sh", Kind::Executable),
            ("b/x.txt", Kind::File),
            ("l", Kind::Link),
        ];
        assert_eq!(names, expected.map(|(p, k)| (p.to_owned(), k)));
        assert!(!folder.path().join("a.sh").exists());
    }

    #[test]
    fn a_path_that_stands_twice_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let raw = git2::Repository::init(folder.path()).unwrap();
        let (one, other) = (raw.blob(b"fine\n").unwrap(), raw.blob(b"evil\n").unwrap());
        let who =
            git2::Signature::new("A", "a@example.com", &git2::Time::new(1_700_000_000, 0)).unwrap();
        let repository = Repository::discover(folder.path()).unwrap();
        let files = |entries: &[(&str, git2::Oid)]| {
            let entry = |(name, id): &(&str, git2::Oid)| {
                [b"100644 ", name.as_bytes(), b"\0", id.as_bytes()].concat()
            };
            let bytes = entries.iter().flat_map(entry).collect::<Vec<_>>();
            let tree = raw
                .odb()
                .unwrap()
                .write(git2::ObjectType::Tree, &bytes)
                .unwrap();
            let commit = raw
                .commit(None, &who, &who, "c", &raw.find_tree(tree).unwrap(), &[])
                .unwrap();
            repository
                .files(ObjectId(commit))
                .map(|files| files.len())
                .map_err(|e| e.to_string())
        };
        assert_eq!(files(&[("a", one), ("b", other)]), Ok(2));
        for entries in [[("a", one), ("a", other)], [("a", one), ("b/c", other)]] {
            assert!(
                files(&entries)
                    .unwrap_err()
                    .contains("appears twice in a tree")
            );
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(
            Repository::discover(&folder.path().join("none")),
            Err(GitError::Open { .. })
        ));
        let raw = git2::Repository::init(folder.path()).unwrap();
        commit(&raw, &[("b/x.txt", b"one\n", 0o100_644)]);
        let repository = Repository::discover(folder.path()).unwrap();
        assert!(matches!(
            repository.commit("main~7"),
            Err(GitError::Revision { .. })
        ));
        let head = repository.commit("HEAD").unwrap();
        assert!(matches!(
            repository.file(head, "b", 100),
            Err(GitError::NoFile { .. })
        ));
        assert!(matches!(
            repository.file(head, "../x", 100),
            Err(GitError::NoFile { .. })
        ));
        let large = repository.file(head, "b/x.txt", 3).unwrap_err().to_string();
        assert_eq!(large, "`b/x.txt` has 4 bytes, more than the limit of 3");
    }
}
