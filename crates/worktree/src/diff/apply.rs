//! Diffs applied in memory, as `git apply` does it: a hunk may stand elsewhere than it says, but
//! what it says stands there must stand there, byte for byte; and a diff applies as a whole or not
//! at all.

use super::after::After;
use super::nearest::{Nearest, nearest};
use super::place::{Id, Image, TooMuchWork};
use super::tree::{File, Found, Overlay, Tree, TreeError};
use super::{Change, Diff, FileDiff, Hunk, Limits, Mode};
use crate::path::{self, PathFault};
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
    #[error("`{twin}` is in the tree, and on some file systems both are one")]
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
    /// The content is binary, and what it becomes isn't checked.
    #[error("it is binary: what it becomes isn't checked")]
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

    /// Whether nothing is known against it, but something can't be judged: binary content, or what
    /// can't be read.
    #[must_use]
    pub fn is_unjudged(&self) -> bool {
        !self.applies() && self.files.iter().all(|f| f.applies() || f.is_unjudged())
    }
}

impl FileOutcome {
    /// Whether the part applies.
    #[must_use]
    pub fn applies(&self) -> bool {
        self.refusal.is_none() && !self.conflicts()
    }

    /// Whether nothing is known against the part, but it can't be judged.
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

/// Applies a diff to a tree. The tree changes if all of the diff applies, else not at all.
#[must_use]
pub fn apply(diff: &Diff<'_>, tree: &mut Overlay<'_>, limits: &Limits) -> Outcome {
    let (outcome, changes) = attempt(diff, tree, limits);
    if outcome.applies() {
        tree.take(changes);
    }
    outcome
}

/// What becomes of a diff on a tree, which stays as it is; and what those of its parts change that
/// apply.
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
    let mut met = BTreeSet::new();
    for (part, outcome) in diff.files.iter().zip(&mut files) {
        // Of a name that several parts make the first one tells.
        let may_stand =
            (outcome.applies() || outcome.is_unjudged()) && part.change != Change::Delete;
        if may_stand
            && met.insert(&part.new)
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
    /// What stands once all parts are applied.
    after: After<'r>,
    /// What earlier parts of this diff have made.
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
            self.after.learn(&diff.new, mode);
        }
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
        let content = if diff.hunks.is_empty() {
            content
        } else {
            Rc::from(after)
        };
        self.changes
            .insert(diff.new.clone(), Some(File { mode, content }));
        Ok(())
    }

    /// The file as the part finds it; `None` when it makes it.
    fn before(&self, diff: &FileDiff<'_>) -> Result<Option<File>, Refusal> {
        let found = match (diff.change, self.changes.get(&diff.old)) {
            (Change::Create, _) => return Ok(None),
            (Change::Modify | Change::Delete, Some(changed)) => changed.clone(),
            // Names and copies are taken from what was there before the diff, as git does it: two
            // files may swap names.
            _ => {
                check_way(
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

    /// What is made must not be there. What it is made below, and what is left below it, other
    /// parts have a say in: [`Run::check_result`].
    fn check_new(&self, name: &str) -> Result<(), Refusal> {
        let there = match self.changes.get(name) {
            Some(changed) => changed.is_some(),
            None => matches!(self.tree.look(name)?, Found::File(_)),
        };
        if there && !self.after.leaves(name) {
            Err(Refusal::Exists)
        } else {
            Ok(())
        }
    }

    /// What a part makes must be able to stand where it puts it, beside what all other parts make
    /// and leave.
    fn check_result(&self, name: &str) -> Result<(), Refusal> {
        check_way(
            name,
            |path| self.after.look(path),
            |path| self.after.twin(path),
        )?;
        match self.tree.look(name)? {
            // It only changes, or another file takes its place.
            Found::File(_) => return Ok(()),
            Found::Folder if self.after.keeps(name)? => return Err(Refusal::Exists),
            Found::Folder | Found::Nothing => {}
        }
        self.after
            .twin(name)?
            .map_or(Ok(()), |twin| Err(Refusal::Twin { twin }))
    }

    /// The mode after the change.
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
        for said in [diff.old_mode, diff.new_mode].into_iter().flatten() {
            if !said.same_type(before.mode) {
                return Err(Refusal::Type {
                    expected: said.digits(),
                    found: before.mode.digits(),
                });
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
        // A file whose search takes too long leaves nothing for the others: else each of them could
        // take as long.
        let mut image = Image::new(content, std::mem::take(&mut self.work));
        image.spend(image.lines().len()).map_err(out_of_work)?;
        for hunk in hunks {
            let old: Vec<Id> = hunk.old_rows().map(|row| image.id(row)).collect();
            let new: Vec<Id> = hunk.new_rows().map(|row| image.id(row)).collect();
            let expected = hunk.new_start.saturating_sub(1);
            let found = image
                .find(&old, expected, hunk.at_start(), hunk.at_end())
                .map_err(out_of_work)?;
            let place = match found {
                Some(at) => {
                    image.replace(at, old.len(), &new).map_err(out_of_work)?;
                    Place::At(at + 1)
                }
                None => Place::Conflict(nearest(&mut image, hunk, &old, &new)),
            };
            outcomes.push(HunkOutcome {
                line: hunk.line,
                stated: expected + 1,
                place,
            });
        }
        self.work = image.work();
        Ok((image.bytes(), image.is_empty()))
    }
}

/// No part of the way to a file may lead elsewhere.
fn check_way(
    name: &str,
    look: impl Fn(&str) -> Result<Found, TreeError>,
    twin: impl Fn(&str) -> Result<Option<String>, TreeError>,
) -> Result<(), Refusal> {
    for folder in path::above(name) {
        let what = match look(folder)? {
            Found::Nothing => {
                // On a system that folds, another spelling of a link leads where the link leads.
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
