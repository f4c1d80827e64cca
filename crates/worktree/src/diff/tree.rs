//! Trees of files to which diffs are applied: a revision, a directory, and changes on top of
//! either.

use super::Mode;
use crate::git::{Entry, GitError, Kind, ObjectId, Repository};
use crate::{name, path};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use thiserror::Error;

/// The type of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    Nothing,
    Folder,
    File(Mode),
}

/// A file with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub mode: Mode,
    /// The bytes of the file, the target of a link, or for a submodule the line that git's diffs
    /// contain for its commit.
    pub content: Rc<[u8]>,
}

/// Why a tree can't be read.
#[derive(Debug, Error)]
pub enum TreeError {
    /// The repository can't be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The file system reports an error.
    #[error("`{path}` can't be read: {source}")]
    Io {
        /// Path relative to the root.
        path: String,
        source: std::io::Error,
    },
    /// The file is larger than the limit.
    #[error("`{path}` has {size} bytes, more than the limit of {limit}")]
    TooLarge {
        path: String,
        /// Size in bytes.
        size: u64,
        /// Limit in bytes.
        limit: usize,
    },
}

/// A tree of files. Paths are relative, with `/`, in the form of [`name::to_text`]. Callers must
/// check them with [`crate::path::entry`] first.
pub trait Tree {
    /// Returns the type of a path. Links aren't followed.
    ///
    /// # Errors
    /// Fails if the tree can't be read.
    fn look(&self, path: &str) -> Result<Found, TreeError>;

    /// Returns the content of a file that [`Tree::look`] found, unless it has more than `limit`
    /// bytes.
    ///
    /// # Errors
    /// Fails if the tree can't be read or the file is too large.
    fn read(&self, path: &str, limit: usize) -> Result<Rc<[u8]>, TreeError>;

    /// Returns whether a directory contains a file, at any depth, for which `gone` returns false.
    ///
    /// # Errors
    /// Fails if the tree can't be read.
    fn keeps(&self, folder: &str, gone: &dyn Fn(&str) -> bool) -> Result<bool, TreeError>;

    /// Returns another spelling of `path` in the tree that is the same path on a file system which
    /// folds case or normalises Unicode. `None` also means that the tree can't determine it.
    fn twin(&self, path: &str) -> Option<String>;
}

/// The spellings of paths and of their parent directories, by their folded form.
#[derive(Debug, Default)]
pub(super) struct Spellings(BTreeMap<String, BTreeSet<String>>);

impl Spellings {
    /// Adds a file.
    pub(super) fn add(&mut self, file: &str) {
        for place in path::above(file).chain([file]) {
            self.0
                .entry(path::fold(place))
                .or_default()
                .insert(place.to_owned());
        }
    }

    /// Returns whether a path was added, or a file below it.
    pub(super) fn holds(&self, path: &str) -> bool {
        self.0
            .get(&path::fold(path))
            .is_some_and(|all| all.contains(path))
    }

    /// Returns the other spellings of a path.
    pub(super) fn others<'s>(&'s self, path: &'s str) -> impl Iterator<Item = &'s String> {
        self.0
            .get(&path::fold(path))
            .into_iter()
            .flatten()
            .filter(move |other| *other != path)
    }
}

/// The tree of a commit.
#[derive(Debug)]
pub struct Revision<'r> {
    repository: &'r Repository,
    files: BTreeMap<String, (Mode, ObjectId)>,
    spellings: Spellings,
}

impl<'r> Revision<'r> {
    /// Lists the files of a commit.
    ///
    /// # Errors
    /// Fails if its tree can't be read.
    pub fn new(repository: &'r Repository, commit: ObjectId) -> Result<Self, GitError> {
        let (mut files, mut spellings) = (BTreeMap::new(), Spellings::default());
        for Entry {
            path,
            kind,
            id,
            raw_path,
        } in repository.files(commit)?
        {
            let path = name::to_text(raw_path.as_deref().unwrap_or(path.as_bytes()));
            let mode = match kind {
                Kind::File => Mode::File,
                Kind::Executable => Mode::Executable,
                Kind::Link => Mode::Link,
                Kind::Submodule => Mode::Submodule,
            };
            spellings.add(&path);
            files.insert(path, (mode, id));
        }
        Ok(Self {
            repository,
            files,
            spellings,
        })
    }

    /// Returns the files with their modes and objects.
    pub fn files(&self) -> impl Iterator<Item = (&str, Mode, ObjectId)> {
        self.files
            .iter()
            .map(|(path, (mode, id))| (path.as_str(), *mode, *id))
    }
}

/// Returns the entries below a path.
fn below<'f, T>(
    files: &'f BTreeMap<String, T>,
    path: &str,
) -> impl Iterator<Item = (&'f String, &'f T)> {
    let below = format!("{path}/");
    files
        .range(below.clone()..)
        .take_while(move |(name, _)| name.starts_with(&below))
}

impl Tree for Revision<'_> {
    fn look(&self, path: &str) -> Result<Found, TreeError> {
        if let Some((mode, _)) = self.files.get(path) {
            return Ok(Found::File(*mode));
        }
        Ok(if below(&self.files, path).next().is_some() {
            Found::Folder
        } else {
            Found::Nothing
        })
    }

    fn read(&self, path: &str, limit: usize) -> Result<Rc<[u8]>, TreeError> {
        match self.files.get(path) {
            None => Ok(Rc::from([])),
            Some((Mode::Submodule, id)) => {
                Ok(Rc::from(format!("Subproject commit {id}\n").as_bytes()))
            }
            Some((_, id)) => match self.repository.content(*id, limit) {
                Err(GitError::TooLarge { size, limit, .. }) => Err(TreeError::TooLarge {
                    path: path.to_owned(),
                    size: size as u64,
                    limit,
                }),
                other => Ok(Rc::from(other?)),
            },
        }
    }

    fn keeps(&self, folder: &str, gone: &dyn Fn(&str) -> bool) -> Result<bool, TreeError> {
        Ok(below(&self.files, folder).any(|(path, _)| !gone(path)))
    }

    fn twin(&self, path: &str) -> Option<String> {
        // If the tree contains both spellings already, this path doesn't introduce the conflict.
        let here = self.look(path).is_ok_and(|found| found != Found::Nothing);
        self.spellings
            .others(path)
            .next()
            .filter(|_| !here)
            .cloned()
    }
}

/// A tree with given texts as files, such as those of a corpus.
impl Tree for BTreeMap<String, String> {
    fn look(&self, path: &str) -> Result<Found, TreeError> {
        Ok(match () {
            () if self.contains_key(path) => Found::File(Mode::File),
            () if below(self, path).next().is_some() => Found::Folder,
            () => Found::Nothing,
        })
    }

    fn read(&self, path: &str, limit: usize) -> Result<Rc<[u8]>, TreeError> {
        let content = self.get(path).map(String::as_bytes).unwrap_or_default();
        if content.len() > limit {
            return Err(TreeError::TooLarge {
                path: path.to_owned(),
                size: content.len() as u64,
                limit,
            });
        }
        Ok(Rc::from(content))
    }

    fn keeps(&self, folder: &str, gone: &dyn Fn(&str) -> bool) -> Result<bool, TreeError> {
        Ok(below(self, folder).any(|(path, _)| !gone(path)))
    }

    fn twin(&self, path: &str) -> Option<String> {
        let mut spellings = Spellings::default();
        for file in self.keys() {
            spellings.add(file);
        }
        spellings
            .others(path)
            .next()
            .filter(|_| self.look(path).is_ok_and(|found| found == Found::Nothing))
            .cloned()
    }
}

/// A directory of the file system. It is only read.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Creates the tree of a directory.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
        }
    }

    /// Returns the path in the file system.
    fn full(&self, path: &str) -> PathBuf {
        self.root.join(os_name(path))
    }

    /// Returns the metadata of a path, without following a link at its end.
    fn metadata(&self, path: &str) -> Result<Option<std::fs::Metadata>, TreeError> {
        match self.full(path).symlink_metadata() {
            Ok(metadata) => Ok(Some(metadata)),
            Err(e)
                if matches!(
                    e.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(None)
            }
            Err(source) => Err(unreadable(path, source)),
        }
    }
}

fn unreadable(path: &str, source: std::io::Error) -> TreeError {
    TreeError::Io {
        path: path.to_owned(),
        source,
    }
}

/// Converts a path to the form of the file system.
#[cfg(unix)]
fn os_name(path: &str) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(name::to_bytes(path))
}

#[cfg(not(unix))]
fn os_name(path: &str) -> OsString {
    name::lossy(path).into()
}

/// Converts a name of the file system to the form of trees.
fn of_os(name: &OsStr) -> String {
    name::to_text(name.as_encoded_bytes())
}

#[cfg(unix)]
fn may_run(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o100 != 0
}

#[cfg(not(unix))]
fn may_run(_: &std::fs::Metadata) -> bool {
    false
}

impl Tree for Folder {
    fn look(&self, path: &str) -> Result<Found, TreeError> {
        // A path behind a link isn't in this tree, even if the file system finds it.
        for folder in path::above(path) {
            if self.metadata(folder)?.is_none_or(|found| !found.is_dir()) {
                return Ok(Found::Nothing);
            }
        }
        let Some(metadata) = self.metadata(path)? else {
            return Ok(Found::Nothing);
        };
        let kind = metadata.file_type();
        Ok(if kind.is_symlink() {
            Found::File(Mode::Link)
        } else if kind.is_dir() {
            Found::Folder
        } else if may_run(&metadata) {
            Found::File(Mode::Executable)
        } else {
            Found::File(Mode::File)
        })
    }

    fn read(&self, path: &str, limit: usize) -> Result<Rc<[u8]>, TreeError> {
        let full = self.full(path);
        let refused = |source| unreadable(path, source);
        let metadata = full.symlink_metadata().map_err(refused)?;
        if metadata.file_type().is_symlink() {
            let target = std::fs::read_link(&full).map_err(refused)?;
            return Ok(Rc::from(target.as_os_str().as_encoded_bytes()));
        }
        // Devices and pipes aren't read: that might never end.
        if !metadata.is_file() {
            return Err(refused(std::io::Error::other("it isn't a regular file")));
        }
        if metadata.len() > limit as u64 {
            return Err(TreeError::TooLarge {
                path: path.to_owned(),
                size: metadata.len(),
                limit,
            });
        }
        Ok(Rc::from(std::fs::read(&full).map_err(refused)?))
    }

    fn keeps(&self, folder: &str, gone: &dyn Fn(&str) -> bool) -> Result<bool, TreeError> {
        let mut open = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
            let refused = |source| unreadable(&folder, source);
            for entry in std::fs::read_dir(self.full(&folder)).map_err(refused)? {
                let entry = entry.map_err(refused)?;
                let path = format!("{folder}/{}", of_os(&entry.file_name()));
                if entry.file_type().map_err(refused)?.is_dir() {
                    open.push(path);
                } else if !gone(&path) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn twin(&self, path: &str) -> Option<String> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let wanted = path::fold(name);
        let names = std::fs::read_dir(self.full(folder)).ok()?;
        let mut names: Vec<String> = names.flatten().map(|e| of_os(&e.file_name())).collect();
        names.sort();
        if names.iter().any(|n| n == name) {
            return None;
        }
        let twin = names.into_iter().find(|n| path::fold(n) == wanted)?;
        Some(if folder.is_empty() {
            twin
        } else {
            format!("{folder}/{twin}")
        })
    }
}

/// A tree with changes on top.
pub struct Overlay<'t> {
    base: &'t dyn Tree,
    changes: BTreeMap<String, Option<File>>,
    spellings: Spellings,
}

impl std::fmt::Debug for Overlay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Overlay")
            .field("changes", &self.changes)
            .finish_non_exhaustive()
    }
}

impl<'t> Overlay<'t> {
    /// Creates an overlay without changes.
    #[must_use]
    pub fn new(base: &'t dyn Tree) -> Self {
        Self {
            base,
            changes: BTreeMap::new(),
            spellings: Spellings::default(),
        }
    }

    /// Returns all changes; `None` is a removed file.
    #[must_use]
    pub fn changes(&self) -> &BTreeMap<String, Option<File>> {
        &self.changes
    }

    /// Returns the tree below the changes.
    #[must_use]
    pub fn base(&self) -> &'t dyn Tree {
        self.base
    }

    /// Adds changes, which take precedence over earlier ones.
    pub fn take(&mut self, changes: BTreeMap<String, Option<File>>) {
        for (path, _) in changes.iter().filter(|(_, file)| file.is_some()) {
            self.spellings.add(path);
        }
        self.changes.extend(changes);
    }

    /// Returns the file at a path, if there is one.
    ///
    /// # Errors
    /// Like [`Tree::read`].
    pub fn file(&self, path: &str, limit: usize) -> Result<Option<File>, TreeError> {
        if let Some(changed) = self.changes.get(path) {
            return Ok(changed.clone());
        }
        match self.base.look(path)? {
            Found::File(mode) => Ok(Some(File {
                mode,
                content: self.base.read(path, limit)?,
            })),
            Found::Folder | Found::Nothing => Ok(None),
        }
    }
}

impl Tree for Overlay<'_> {
    fn look(&self, path: &str) -> Result<Found, TreeError> {
        let changed = self.changes.get(path);
        if let Some(Some(file)) = changed {
            return Ok(Found::File(file.mode));
        }
        // A directory may have replaced a removed file.
        let made = below(&self.changes, path).any(|(_, file)| file.is_some());
        match changed {
            _ if made => Ok(Found::Folder),
            Some(_) => Ok(Found::Nothing),
            None => self.base.look(path),
        }
    }

    fn read(&self, path: &str, limit: usize) -> Result<Rc<[u8]>, TreeError> {
        Ok(self
            .file(path, limit)?
            .map_or_else(|| Rc::from([]), |file| file.content))
    }

    fn keeps(&self, folder: &str, gone: &dyn Fn(&str) -> bool) -> Result<bool, TreeError> {
        if below(&self.changes, folder).any(|(path, file)| file.is_some() && !gone(path)) {
            return Ok(true);
        }
        match self.base.look(folder)? {
            Found::Folder => self.base.keeps(folder, &|path| {
                gone(path) || self.changes.contains_key(path)
            }),
            Found::File(_) | Found::Nothing => Ok(false),
        }
    }

    fn twin(&self, path: &str) -> Option<String> {
        let stands = |other: &&String| self.changes.get(*other) != Some(&None);
        if let Some(own) = self.spellings.others(path).find(stands) {
            return Some(own.clone());
        }
        self.base
            .twin(path)
            .filter(|twin| self.changes.get(twin) != Some(&None))
    }
}
