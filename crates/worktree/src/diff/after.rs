//! The tree after all parts of a diff are applied. A diff is one change: the order of its parts has
//! no influence on which paths conflict.

use super::tree::{Found, Overlay, Spellings, Tree, TreeError};
use super::{Change, Diff, Mode};
use std::collections::{BTreeMap, BTreeSet};

/// The names and types in a tree after a diff, without contents.
pub(super) struct After<'t> {
    before: &'t Overlay<'t>,
    /// Paths that the diff deletes or renames away.
    removed: BTreeSet<String>,
    /// Paths that the diff creates or changes.
    written: BTreeMap<String, Mode>,
    spellings: Spellings,
}

impl<'t> After<'t> {
    /// Creates the view from the headers of a diff.
    pub(super) fn new(diff: &Diff<'_>, before: &'t Overlay<'t>) -> Self {
        let removals = diff
            .files
            .iter()
            .filter(|f| matches!(f.change, Change::Delete | Change::Rename));
        let removed = removals.map(|f| f.old.clone()).collect();
        let (mut written, mut spellings) = (BTreeMap::new(), Spellings::default());
        for file in diff.files.iter().filter(|f| f.change != Change::Delete) {
            spellings.add(&file.new);
            written.insert(
                file.new.clone(),
                file.new_mode.or(file.old_mode).unwrap_or(Mode::File),
            );
        }
        Self {
            before,
            removed,
            written,
            spellings,
        }
    }

    /// Sets the mode of a file that the diff writes. Many headers omit it; then it is that of the
    /// file before.
    pub(super) fn set_mode(&mut self, path: &str, mode: Mode) {
        if let Some(known) = self.written.get_mut(path) {
            *known = mode;
        }
    }

    /// Returns whether the diff removes a path, so that another file may take it.
    pub(super) fn removes(&self, path: &str) -> bool {
        self.removed.contains(path)
    }

    /// Returns the type of a path. A directory may have lost all of its files, which
    /// [`After::has_file`] takes into account.
    pub(super) fn look(&self, path: &str) -> Result<Found, TreeError> {
        match self.written.get(path) {
            Some(mode) => Ok(Found::File(*mode)),
            None if self.removes(path) => Ok(Found::Nothing),
            None => self.before.look(path),
        }
    }

    /// Returns whether a file exists at a path or below it.
    pub(super) fn has_file(&self, path: &str) -> Result<bool, TreeError> {
        Ok(self.spellings.holds(path)
            || match self.look(path)? {
                Found::Nothing => false,
                Found::File(_) => true,
                Found::Folder => self.keeps(path)?,
            })
    }

    /// Returns whether a file remains in a directory of the original tree.
    pub(super) fn keeps(&self, folder: &str) -> Result<bool, TreeError> {
        self.before.keeps(folder, &|path| {
            self.removes(path) && !self.written.contains_key(path)
        })
    }

    /// Returns another spelling of a path that exists after the diff.
    pub(super) fn twin(&self, path: &str) -> Result<Option<String>, TreeError> {
        for twin in self
            .spellings
            .others(path)
            .cloned()
            .chain(self.before.twin(path))
        {
            if self.has_file(&twin)? {
                return Ok(Some(twin));
            }
        }
        Ok(None)
    }
}
