//! What the line has done so far, as far as it changes the meaning of later programs.

use std::collections::{HashMap, HashSet};

/// Files that the line has written, with their texts where they are known.
pub(crate) type WrittenFiles = HashMap<String, Option<String>>;

/// What the line has done so far. Paths are absolute.
#[derive(Debug, Default)]
pub(crate) struct History {
    written: WrittenFiles,
    /// Files of the work tree that the line has edited in place.
    edited: HashSet<String>,
    /// Files edited exactly once, with a script whose text contains no acting name.
    edited_once: HashSet<String>,
    /// The script of the `sed` call that is being interpreted.
    edit_script: Option<String>,
    downloaded: bool,
    remote_added: bool,
    /// Whether the current pipeline has printed all variables.
    printed_all: bool,
}

impl History {
    /// Records that the line has written a file.
    pub(crate) fn write(&mut self, path: String, text: Option<String>) {
        self.written.insert(path, text);
    }

    /// Returns the text of a file that the line has written, if it is known.
    pub(crate) fn text_of(&self, path: &str) -> Option<&str> {
        self.written.get(path)?.as_deref()
    }

    pub(crate) fn has_written(&self, path: &str) -> bool {
        self.written.contains_key(path)
    }

    pub(crate) fn has_written_any(&self) -> bool {
        !self.written.is_empty()
    }

    pub(crate) fn files(&self) -> &WrittenFiles {
        &self.written
    }

    /// Forgets the written files until [`Self::restore_files`].
    pub(crate) fn take_files(&mut self) -> WrittenFiles {
        std::mem::take(&mut self.written)
    }

    pub(crate) fn restore_files(&mut self, files: WrittenFiles) {
        self.written.extend(files);
    }

    /// Marks the content of a file that the line wrote as unknown.
    pub(crate) fn forget(&mut self, path: &str) {
        if let Some(text) = self.written.get_mut(path) {
            *text = None;
        }
    }

    /// Records that the line has edited a file in place. The second harmless edit isn't harmless:
    /// both may assemble a name.
    pub(crate) fn edit(&mut self, path: String, harmless: bool) {
        if !harmless || !self.edited_once.insert(path.clone()) {
            self.edited.insert(path);
        }
    }

    pub(crate) fn edited(&self) -> &HashSet<String> {
        &self.edited
    }

    pub(crate) fn set_edit_script(&mut self, script: Option<String>) {
        self.edit_script = script;
    }

    pub(crate) fn edit_script(&self) -> Option<&str> {
        self.edit_script.as_deref()
    }

    /// Records that the line has downloaded or unpacked files.
    pub(crate) fn mark_downloaded(&mut self) {
        self.downloaded = true;
    }

    pub(crate) fn has_downloaded(&self) -> bool {
        self.downloaded
    }

    /// Records that the line has added a remote repository to git.
    pub(crate) fn add_remote(&mut self) {
        self.remote_added = true;
    }

    pub(crate) fn has_added_remote(&self) -> bool {
        self.remote_added
    }

    pub(crate) fn enter_pipeline(&mut self) {
        self.printed_all = false;
    }

    /// Records that the current pipeline has printed all variables.
    pub(crate) fn mark_printed_all(&mut self) {
        self.printed_all = true;
    }

    pub(crate) fn has_printed_all(&self) -> bool {
        self.printed_all
    }
}
