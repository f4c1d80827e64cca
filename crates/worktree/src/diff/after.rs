//! What stands where once all parts of a diff are applied. A diff is one change: which of its parts
//! comes first in the text decides nothing about what may lie below what.

use super::tree::{Found, Overlay, Spellings, Tree, TreeError};
use super::{Change, Diff, Mode};
use std::collections::{BTreeMap, BTreeSet};

/// A tree as a diff leaves it: names and types, no content.
pub(super) struct After<'t> {
    before: &'t Overlay<'t>,
    /// What the diff gives up.
    leaving: BTreeSet<String>,
    /// What it makes or changes.
    made: BTreeMap<String, Mode>,
    spellings: Spellings,
}

impl<'t> After<'t> {
    /// What the headers of a diff say.
    pub(super) fn new(diff: &Diff<'_>, before: &'t Overlay<'t>) -> Self {
        let leaves = diff
            .files
            .iter()
            .filter(|f| matches!(f.change, Change::Delete | Change::Rename));
        let leaving = leaves.map(|f| f.old.clone()).collect();
        let (mut made, mut spellings) = (BTreeMap::new(), Spellings::default());
        for file in diff.files.iter().filter(|f| f.change != Change::Delete) {
            spellings.add(&file.new);
            made.insert(
                file.new.clone(),
                file.new_mode.or(file.old_mode).unwrap_or(Mode::File),
            );
        }
        Self {
            before,
            leaving,
            made,
            spellings,
        }
    }

    /// Takes the mode of a file that the diff makes: many headers leave it out, and the file that
    /// it is made of tells it.
    pub(super) fn learn(&mut self, path: &str, mode: Mode) {
        if let Some(known) = self.made.get_mut(path) {
            *known = mode;
        }
    }

    /// Whether the diff gives a name up, so that another file may take it.
    pub(super) fn leaves(&self, path: &str) -> bool {
        self.leaving.contains(path)
    }

    /// What is at a path. A folder may have lost all of its files: [`After::stands`] knows.
    pub(super) fn look(&self, path: &str) -> Result<Found, TreeError> {
        match self.made.get(path) {
            Some(mode) => Ok(Found::File(*mode)),
            None if self.leaves(path) => Ok(Found::Nothing),
            None => self.before.look(path),
        }
    }

    /// Whether a file stands at a path, or below it.
    pub(super) fn stands(&self, path: &str) -> Result<bool, TreeError> {
        Ok(self.spellings.holds(path)
            || match self.look(path)? {
                Found::Nothing => false,
                Found::File(_) => true,
                Found::Folder => self.keeps(path)?,
            })
    }

    /// Whether a folder that was there keeps a file.
    pub(super) fn keeps(&self, folder: &str) -> Result<bool, TreeError> {
        self.before.keeps(folder, &|path| {
            self.leaves(path) && !self.made.contains_key(path)
        })
    }

    /// Another spelling of a path that stands.
    pub(super) fn twin(&self, path: &str) -> Result<Option<String>, TreeError> {
        for twin in self
            .spellings
            .others(path)
            .cloned()
            .chain(self.before.twin(path))
        {
            if self.stands(&twin)? {
                return Ok(Some(twin));
            }
        }
        Ok(None)
    }
}
