//! Diffs applied in memory, as `git apply` does it: a hunk may stand elsewhere than it says, but what it says stands there
//! must stand there, byte for byte; and a diff applies as a whole or not at all.

use super::nearest::{Nearest, nearest};
use super::place::{Id, Image, TooMuchWork};
use super::tree::{File, Found, Overlay, Spellings, Tree, TreeError};
use super::{Change, Diff, FileDiff, Hunk, Limits, Mode};
use crate::workspace::path::{self, PathFault};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use thiserror::Error;

/// What became of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Each file, in the order of the diff.
    pub files: Vec<FileOutcome>,
}

/// What became of one file of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOutcome {
    /// Line of the diff where its part begins.
    pub line: usize,
    /// The file, by its new name unless it goes.
    pub path: String,
    /// What was to become of it.
    pub change: Change,
    /// The hunks, as far as they were tried.
    pub hunks: Vec<HunkOutcome>,
    /// Why it doesn't apply, if that isn't a matter of its hunks.
    pub refusal: Option<Refusal>,
}

/// What became of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkOutcome {
    /// Line of the diff where it stands.
    pub line: usize,
    /// The line of the file, from 1, where it says that it begins.
    pub stated: usize,
    /// Where it applies.
    pub place: Place,
}

/// Where a hunk applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Its old lines stand at this line of the file, from 1.
    At(usize),
    /// They stand nowhere; and where it would have applied, if that can be told.
    Conflict(Option<Nearest>),
}

/// Why a file's part of a diff doesn't apply, whatever its hunks say.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The path isn't one inside a work tree.
    #[error("`{path}` leaves the work tree: {fault}")]
    Unsafe {
        /// The path.
        path: String,
        /// What is wrong with it.
        fault: PathFault,
    },
    /// A folder on the way is a link or belongs to another repository.
    #[error("`{at}`, which is on the way, is no folder of this tree but {what}")]
    Beyond {
        /// The part of the path.
        at: String,
        /// What it is.
        what: &'static str,
    },
    /// Another spelling of the path stands in the tree, and some file systems take both for one.
    #[error("`{twin}` stands in the tree, and on some file systems both are one")]
    Twin {
        /// The other spelling.
        twin: String,
    },
    /// There is no such file.
    #[error("there is no such file")]
    Missing,
    /// What is to be new is there already.
    #[error("it is there already")]
    Exists,
    /// The file is of another type than the diff says.
    #[error("the file is of another type than the diff says ({found}, not {expected})")]
    Type {
        /// The mode that the diff says.
        expected: &'static str,
        /// The mode that it has.
        found: &'static str,
    },
    /// A removal that leaves lines behind.
    #[error("the diff removes the file, and not all of its lines")]
    Remains,
    /// The content is binary, and what it becomes isn't judged.
    #[error("it is binary: what it becomes isn't judged")]
    Binary,
    /// The file, or something about it, can't be read.
    #[error("{0}")]
    Unreadable(String),
    /// Looking for its hunks takes longer than a diff may take.
    #[error("looking for the places of its hunks takes too long")]
    Work,
}

impl From<TreeError> for Refusal {
    fn from(error: TreeError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

impl Outcome {
    /// Whether the diff applies as a whole.
    #[must_use]
    pub fn applies(&self) -> bool {
        self.files.iter().all(FileOutcome::applies)
    }

    /// Whether nothing is known against it, but something can't be judged: binary content, or what can't be read.
    #[must_use]
    pub fn is_unjudged(&self) -> bool {
        let open = |f: &FileOutcome| matches!(f.refusal, Some(Refusal::Binary | Refusal::Unreadable(_) | Refusal::Work));
        !self.applies() && self.files.iter().all(|f| f.applies() || (open(f) && !f.conflicts()))
    }
}

impl FileOutcome {
    /// Whether the part applies.
    #[must_use]
    pub fn applies(&self) -> bool {
        self.refusal.is_none() && !self.conflicts()
    }

    fn conflicts(&self) -> bool {
        self.hunks.iter().any(|h| matches!(h.place, Place::Conflict(_)))
    }
}

/// Applies a diff to a tree. The tree changes if all of the diff applies, else not at all.
#[must_use]
pub fn apply(diff: &Diff<'_>, tree: &mut Overlay<'_>, limits: &Limits) -> Outcome {
    let leaves = |f: &&FileDiff<'_>| matches!(f.change, Change::Delete | Change::Rename);
    let leaving: BTreeSet<&str> = diff.files.iter().filter(leaves).map(|f| f.old.as_str()).collect();
    let mut run = Run { tree, leaving, changes: BTreeMap::new(), made: Spellings::default(), work: limits.work, limits };
    let files = diff.files.iter().map(|file| run.file(file)).collect();
    let outcome = Outcome { files };
    let changes = run.changes;
    if outcome.applies() {
        tree.take(changes);
    }
    outcome
}

struct Run<'r, 't> {
    tree: &'r Overlay<'t>,
    /// Names that the diff gives up: others may take them.
    leaving: BTreeSet<&'r str>,
    /// What earlier parts of this diff have made.
    changes: BTreeMap<String, Option<File>>,
    made: Spellings,
    work: usize,
    limits: &'r Limits,
}

impl Run<'_, '_> {
    fn file(&mut self, diff: &FileDiff<'_>) -> FileOutcome {
        let mut hunks = Vec::new();
        let refusal = self.change(diff, &mut hunks).err();
        FileOutcome { line: diff.line, path: diff.path().to_owned(), change: diff.change, hunks, refusal }
    }

    fn change(&mut self, diff: &FileDiff<'_>, hunks: &mut Vec<HunkOutcome>) -> Result<(), Refusal> {
        self.check_path(&diff.old)?;
        if diff.new != diff.old {
            self.check_path(&diff.new)?;
        }
        let before = self.before(diff)?;
        let creates = before.is_none() || matches!(diff.change, Change::Rename | Change::Copy);
        if creates {
            self.check_new(&diff.new)?;
        }
        let mode = Self::mode(diff, before.as_ref())?;
        if diff.binary {
            return Err(Refusal::Binary);
        }
        let content = before.map_or_else(|| Rc::from([]), |file| file.content);
        let (after, emptied) = self.hunks(&content, &diff.hunks, hunks)?;
        if hunks.iter().any(|h| matches!(h.place, Place::Conflict(_))) {
            return Ok(());
        }
        // A file that goes may be named by its header alone; with hunks they must take all of it.
        if diff.change == Change::Delete {
            if !emptied {
                return Err(Refusal::Remains);
            }
            self.changes.insert(diff.old.clone(), None);
            return Ok(());
        }
        if diff.change == Change::Rename {
            self.changes.entry(diff.old.clone()).or_insert(None);
        }
        let content = if diff.hunks.is_empty() { content } else { Rc::from(after) };
        self.make(&diff.new, File { mode, content });
        Ok(())
    }

    /// The file as the part finds it; `None` when it makes it.
    fn before(&self, diff: &FileDiff<'_>) -> Result<Option<File>, Refusal> {
        let limit = self.limits.file_bytes;
        let found = match diff.change {
            Change::Create => return Ok(None),
            // Names and copies are taken from what was there before the diff, as git does it: two files may swap names.
            Change::Rename | Change::Copy => self.tree.file(&diff.old, limit)?,
            Change::Modify | Change::Delete => match self.changes.get(&diff.old) {
                Some(changed) => changed.clone(),
                None => self.tree.file(&diff.old, limit)?,
            },
        };
        match found {
            Some(file) => Ok(Some(file)),
            None if diff.may_create => Ok(None),
            None => Err(Refusal::Missing),
        }
    }

    /// A path must be one inside, and no part of the way may lead elsewhere.
    fn check_path(&self, name: &str) -> Result<(), Refusal> {
        path::entry(name).map_err(|fault| Refusal::Unsafe { path: name.to_owned(), fault })?;
        for folder in path::above(name) {
            let what = match self.look(folder)? {
                Found::Nothing => {
                    // On a system that folds, another spelling of a link leads where the link leads.
                    if let Some(twin) = self.twin(folder)
                        && matches!(self.look(&twin)?, Found::File(Mode::Link | Mode::Submodule))
                    {
                        return Err(Refusal::Twin { twin });
                    }
                    continue;
                }
                Found::Folder => continue,
                Found::File(Mode::Link) => "a symbolic link",
                Found::File(Mode::Submodule) => "a submodule",
                Found::File(Mode::File | Mode::Executable) => "a file",
            };
            return Err(Refusal::Beyond { at: folder.to_owned(), what });
        }
        Ok(())
    }

    /// What stands at a path, with what this diff has made.
    fn look(&self, name: &str) -> Result<Found, Refusal> {
        match self.changes.get(name) {
            Some(changed) => Ok(changed.as_ref().map_or(Found::Nothing, |f| Found::File(f.mode))),
            None => Ok(self.tree.look(name)?),
        }
    }

    /// Another spelling of a path that stands, before this diff or by it.
    fn twin(&self, name: &str) -> Option<String> {
        let stands = |twin: &String| self.changes.get(twin) != Some(&None);
        let made = self.made.others(name).find(|twin| stands(twin)).cloned();
        made.or_else(|| self.tree.twin(name).filter(stands))
    }

    fn make(&mut self, name: &str, file: File) {
        self.made.add(name);
        self.changes.insert(name.to_owned(), Some(file));
    }

    /// What is made must not be there, nor anything that some file system takes for it.
    fn check_new(&self, name: &str) -> Result<(), Refusal> {
        let made = self.changes.get(name);
        let there = match made {
            Some(changed) => changed.is_some(),
            None => self.tree.look(name)? != Found::Nothing,
        };
        if there && !self.leaving.contains(name) {
            return Err(Refusal::Exists);
        }
        match self.twin(name).filter(|twin| !self.leaving.contains(twin.as_str())) {
            Some(twin) => Err(Refusal::Twin { twin }),
            None => Ok(()),
        }
    }

    /// The mode after the change.
    fn mode(diff: &FileDiff<'_>, before: Option<&File>) -> Result<Mode, Refusal> {
        let Some(before) = before else {
            let mode = diff.new_mode.unwrap_or(Mode::File);
            let name = diff.new.rsplit('/').next().unwrap_or_default();
            if mode == Mode::Link && path::fold(name).starts_with(".gitmodules") {
                let fault = PathFault::GitFolder(name.to_owned());
                return Err(Refusal::Unsafe { path: diff.new.clone(), fault });
            }
            return Ok(mode);
        };
        for said in [diff.old_mode, diff.new_mode].into_iter().flatten() {
            if !said.same_type(before.mode) {
                return Err(Refusal::Type { expected: said.digits(), found: before.mode.digits() });
            }
        }
        Ok(diff.new_mode.unwrap_or(before.mode))
    }

    /// Applies hunks to a file; gives its bytes, and whether none are left.
    fn hunks<'x>(
        &mut self,
        content: &'x [u8],
        hunks: &[Hunk<'x>],
        outcomes: &mut Vec<HunkOutcome>,
    ) -> Result<(Vec<u8>, bool), Refusal> {
        let out_of_work = |_: TooMuchWork| Refusal::Work;
        if hunks.is_empty() {
            return Ok((Vec::new(), true));
        }
        let mut image = Image::new(content, self.work);
        image.spend(image.lines().len()).map_err(out_of_work)?;
        for hunk in hunks {
            let old: Vec<Id> = hunk.old_rows().map(|row| image.id(row)).collect();
            let new: Vec<Id> = hunk.new_rows().map(|row| image.id(row)).collect();
            let expected = hunk.new_start.saturating_sub(1);
            let found = image.find(&old, expected, hunk.at_start(), hunk.at_end()).map_err(out_of_work)?;
            let place = match found {
                Some(at) => {
                    image.replace(at, old.len(), &new).map_err(out_of_work)?;
                    Place::At(at + 1)
                }
                None => Place::Conflict(nearest(&mut image, hunk, &old, &new)),
            };
            outcomes.push(HunkOutcome { line: hunk.line, stated: expected + 1, place });
        }
        self.work = image.work();
        Ok((image.bytes(), image.is_empty()))
    }
}
