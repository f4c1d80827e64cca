//! Applies diffs in memory, like `git apply`. A hunk may be at another line than stated, but its
//! old lines must match byte for byte. A diff applies as a whole or not at all.

use super::after::After;
use super::nearest::{Nearest, Obstacle, nearest};
use super::place::{Id, Image, TooMuchWork};
use super::tree::{File, Found, Overlay, Tree, TreeError};
use super::{Change, Diff, FileDiff, Hunk, Limits, Mode};
use crate::path::{self, PathFault};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use thiserror::Error;

/// The result of applying a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The result for each file, in the order of the diff.
    pub files: Vec<FileOutcome>,
}

/// The result for one file of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOutcome {
    /// Line of the diff where the file's part starts, from 1.
    pub line: usize,
    /// The file's new name, or the old one if it is deleted.
    pub path: String,
    pub change: Change,
    /// The hunks that were tried.
    pub hunks: Vec<HunkOutcome>,
    /// Why the part doesn't apply, for reasons other than its hunks.
    pub refusal: Option<Refusal>,
}

/// The result for one hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkOutcome {
    /// Line of the diff where the hunk starts, from 1.
    pub line: usize,
    /// The stated first line in the file, from 1, if the diff states one.
    pub stated: Option<usize>,
    pub place: Place,
}

/// The place where a hunk applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The old lines match at this line of the file, from 1.
    At(usize),
    /// The old lines match nowhere. The value is the most likely place, if one was found.
    Conflict(Option<Nearest>),
}

/// Why a file's part of a diff doesn't apply, for reasons other than its hunks.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The path isn't safe inside a work tree.
    #[error("`{path}` leaves the work tree: {fault}")]
    Unsafe { path: String, fault: PathFault },
    /// A parent of the path is a link, a file or a submodule.
    #[error("`{at}`, a parent of the path, isn't a directory of this tree but {what}")]
    Beyond {
        /// The parent.
        at: String,
        /// The type of the parent, with an article.
        what: &'static str,
    },
    /// The tree has another spelling of the path, and some file systems treat both as the same.
    #[error("`{twin}` is in the tree, and on some file systems both are one")]
    Twin { twin: String },
    /// The file doesn't exist.
    #[error("there is no such file")]
    Missing,
    /// The file to create exists already.
    #[error("it is there already")]
    Exists,
    /// The file's type differs from the one in the diff.
    #[error("the file is of another type than the diff says ({found}, not {expected})")]
    Type {
        /// The mode in the diff.
        expected: &'static str,
        /// The mode of the file.
        found: &'static str,
    },
    /// The diff removes the file but not all of its lines.
    #[error("the diff removes the file, and not all of its lines")]
    Remains,
    /// The content is binary, so the result can't be checked.
    #[error("it is binary: what it becomes isn't checked")]
    Binary,
    /// The file, or something else that is needed, can't be read.
    #[error("{0}")]
    Unreadable(String),
    /// Searching for the hunks exceeds the budget of work.
    #[error("looking for the places of its hunks takes too long")]
    Work,
}

impl From<TreeError> for Refusal {
    fn from(error: TreeError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

impl Outcome {
    /// Returns whether the diff applies as a whole.
    #[must_use]
    pub fn applies(&self) -> bool {
        self.files.iter().all(FileOutcome::applies)
    }

    /// Returns whether nothing speaks against the diff, but a part of it can't be evaluated: binary
    /// content, or an unreadable file.
    #[must_use]
    pub fn is_unjudged(&self) -> bool {
        !self.applies() && self.files.iter().all(|f| f.applies() || f.is_unjudged())
    }
}

impl FileOutcome {
    /// Returns whether the part applies.
    #[must_use]
    pub fn applies(&self) -> bool {
        self.refusal.is_none() && !self.conflicts()
    }

    /// Returns whether nothing speaks against the part, but it can't be evaluated.
    #[must_use]
    pub fn is_unjudged(&self) -> bool {
        matches!(
            self.refusal,
            Some(Refusal::Binary | Refusal::Unreadable(_) | Refusal::Work)
        ) && !self.conflicts()
    }

    fn conflicts(&self) -> bool {
        self.hunks
            .iter()
            .any(|h| matches!(h.place, Place::Conflict(_)))
    }
}

/// Applies a diff to a tree. The tree stays unchanged unless the whole diff applies.
#[must_use]
pub fn apply(diff: &Diff<'_>, tree: &mut Overlay<'_>, limits: &Limits) -> Outcome {
    let (outcome, changes) = attempt(diff, tree, limits);
    if outcome.applies() {
        tree.take(changes);
    }
    outcome
}

/// Tries a diff on a tree, which stays unchanged. Returns the result, and the changes of those
/// parts that apply.
#[must_use]
pub fn attempt(
    diff: &Diff<'_>,
    tree: &Overlay<'_>,
    limits: &Limits,
) -> (Outcome, BTreeMap<String, Option<File>>) {
    let mut run = Run {
        tree,
        after: After::new(diff, tree),
        changes: BTreeMap::new(),
        work: limits.work,
        limits,
    };
    let mut files: Vec<FileOutcome> = diff.files.iter().map(|file| run.file(file)).collect();
    let mut checked = BTreeSet::new();
    for (part, outcome) in diff.files.iter().zip(&mut files) {
        // If several parts create the same name, only the first one is checked.
        let may_exist =
            (outcome.applies() || outcome.is_unjudged()) && part.change != Change::Delete;
        if may_exist
            && checked.insert(&part.new)
            && let Err(refusal) = run.check_result(&part.new)
        {
            outcome.refusal = Some(refusal);
            run.changes.remove(&part.new);
        }
    }
    (Outcome { files }, run.changes)
}

struct Run<'r> {
    tree: &'r Overlay<'r>,
    /// The tree after all parts are applied.
    after: After<'r>,
    /// The changes made by earlier parts of this diff.
    changes: BTreeMap<String, Option<File>>,
    work: usize,
    limits: &'r Limits,
}

impl Run<'_> {
    fn file(&mut self, diff: &FileDiff<'_>) -> FileOutcome {
        let mut hunks = Vec::new();
        let refusal = self.change(diff, &mut hunks).err();
        FileOutcome {
            line: diff.line,
            path: diff.path().to_owned(),
            change: diff.change,
            hunks,
            refusal,
        }
    }

    fn change(&mut self, diff: &FileDiff<'_>, hunks: &mut Vec<HunkOutcome>) -> Result<(), Refusal> {
        for name in [&diff.old, &diff.new] {
            path::entry(name).map_err(|fault| Refusal::Unsafe {
                path: name.clone(),
                fault,
            })?;
        }
        let before = self.before(diff)?;
        let creates = before.is_none() || matches!(diff.change, Change::Rename | Change::Copy);
        if creates {
            self.check_new(&diff.new)?;
        }
        let mode = Self::mode(diff, before.as_ref())?;
        if diff.change != Change::Delete {
            self.after.set_mode(&diff.new, mode);
        }
        if diff.binary {
            return Err(Refusal::Binary);
        }
        let content = before.map_or_else(|| Rc::from([]), |file| file.content);
        let (after, emptied) = self.hunks(&content, &diff.hunks, hunks)?;
        if hunks.iter().any(|h| matches!(h.place, Place::Conflict(_))) {
            return Ok(());
        }
        // A deletion may consist of a header only. If it has hunks, they must remove all lines.
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
        let content = if diff.hunks.is_empty() {
            content
        } else {
            Rc::from(after)
        };
        self.changes
            .insert(diff.new.clone(), Some(File { mode, content }));
        Ok(())
    }

    /// Returns the file before the part; `None` if the part creates it.
    fn before(&self, diff: &FileDiff<'_>) -> Result<Option<File>, Refusal> {
        let found = match (diff.change, self.changes.get(&diff.old)) {
            (Change::Create, _) => return Ok(None),
            (Change::Modify | Change::Delete, Some(changed)) => changed.clone(),
            // Like in git, renames and copies start from the tree before the diff, so that two
            // files may swap names.
            _ => {
                check_parents(
                    &diff.old,
                    |path| self.tree.look(path),
                    |path| Ok(self.tree.twin(path)),
                )?;
                self.tree.file(&diff.old, self.limits.file_bytes)?
            }
        };
        match found {
            Some(file) => Ok(Some(file)),
            None if diff.may_create => Ok(None),
            None => Err(Refusal::Missing),
        }
    }

    /// Checks that a new file doesn't exist. [`Run::check_result`] checks its parents and what is
    /// below it, since these depend on other parts.
    fn check_new(&self, name: &str) -> Result<(), Refusal> {
        let there = match self.changes.get(name) {
            Some(changed) => changed.is_some(),
            None => matches!(self.tree.look(name)?, Found::File(_)),
        };
        if there && !self.after.removes(name) {
            Err(Refusal::Exists)
        } else {
            Ok(())
        }
    }

    /// Checks that a part's result fits into the tree after all other parts.
    fn check_result(&self, name: &str) -> Result<(), Refusal> {
        check_parents(
            name,
            |path| self.after.look(path),
            |path| self.after.twin(path),
        )?;
        match self.tree.look(name)? {
            // The file is modified, or another file takes its place.
            Found::File(_) => return Ok(()),
            Found::Folder if self.after.keeps(name)? => return Err(Refusal::Exists),
            Found::Folder | Found::Nothing => {}
        }
        self.after
            .twin(name)?
            .map_or(Ok(()), |twin| Err(Refusal::Twin { twin }))
    }

    /// Returns the mode after the change.
    fn mode(diff: &FileDiff<'_>, before: Option<&File>) -> Result<Mode, Refusal> {
        let Some(before) = before else {
            let mode = diff.new_mode.unwrap_or(Mode::File);
            let name = diff.new.rsplit('/').next().unwrap_or_default();
            if mode == Mode::Link && path::fold(name).starts_with(".gitmodules") {
                let fault = PathFault::GitFolder(name.to_owned());
                return Err(Refusal::Unsafe {
                    path: diff.new.clone(),
                    fault,
                });
            }
            return Ok(mode);
        };
        for stated in [diff.old_mode, diff.new_mode].into_iter().flatten() {
            if !stated.same_type(before.mode) {
                return Err(Refusal::Type {
                    expected: stated.digits(),
                    found: before.mode.digits(),
                });
            }
        }
        Ok(diff.new_mode.unwrap_or(before.mode))
    }

    /// Applies hunks to a file. Returns its bytes, and whether it is empty now.
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
        // A file that exceeds the budget of work leaves nothing for the others. Otherwise each of
        // them could take as long.
        let mut image = Image::new(content, hunks, std::mem::take(&mut self.work));
        image.spend(image.lines().len()).map_err(out_of_work)?;
        for hunk in hunks {
            let old: Vec<Id> = hunk.old_rows().map(|row| image.id(row)).collect();
            let new: Vec<Id> = hunk.new_rows().map(|row| image.id(row)).collect();
            let expected = hunk.new_start.saturating_sub(1);
            let found = if hunk.unplaced {
                image.find_only(&old).map_err(out_of_work)?
            } else {
                image
                    .find(&old, expected, hunk.at_start(), hunk.at_end())
                    .map_err(out_of_work)?
                    .ok_or(0)
            };
            let place = match found {
                Ok(at) => {
                    image.replace(at, old.len(), &new).map_err(out_of_work)?;
                    Place::At(at + 1)
                }
                Err(places) => {
                    let mut near = nearest(&mut image, hunk, &old, &new);
                    if places > 1 {
                        let line = near.map_or(1, |near| near.line);
                        let obstacle = Obstacle::Ambiguous { places };
                        near = Some(Nearest { line, obstacle });
                    }
                    Place::Conflict(near)
                }
            };
            outcomes.push(HunkOutcome {
                line: hunk.line,
                stated: (!hunk.unplaced).then_some(expected + 1),
                place,
            });
        }
        self.work = image.work();
        Ok((image.bytes(), image.is_empty()))
    }
}

/// Checks that no parent of a path leads elsewhere.
fn check_parents(
    name: &str,
    look: impl Fn(&str) -> Result<Found, TreeError>,
    twin: impl Fn(&str) -> Result<Option<String>, TreeError>,
) -> Result<(), Refusal> {
    for folder in path::above(name) {
        let what = match look(folder)? {
            Found::Nothing => {
                // On a file system that folds names, another spelling of a link also leads to its
                // target.
                if let Some(twin) = twin(folder)?
                    && matches!(look(&twin)?, Found::File(Mode::Link | Mode::Submodule))
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
        return Err(Refusal::Beyond {
            at: folder.to_owned(),
            what,
        });
    }
    Ok(())
}
