//! Carrying a plan out, so that nothing is lost whatever happens.
//!
//! A run has a folder of its own, with every file as it was and as it is to be. Only when all of that lies there is the
//! run begun by `plan`, JSON, written whole or not at all; then the files are put in place one by one, and `done` ends it. A
//! run that was begun and not ended is brought to its end by the next command that writes. Taking a run back is a run with
//! before and after exchanged.

use super::plan::FileChange;
use crate::knowledge::safe_file::{Lock, lock, remove, replace};
use crate::trace::action::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Component, Path, PathBuf};

/// What begins a run. It has no ending, so that nobody takes it for a trace or a manifest.
const PLAN: &str = "plan";
/// What ends it.
const DONE: &str = "done";

/// What keeps a plan from being carried out. Unless it says otherwise nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Somebody else is at work.
    #[error("another process is changing the bank")]
    Busy,
    /// A file is no longer what the plan was made for.
    #[error("`{0}` has changed since it was read")]
    Changed(String),
    /// A file isn't one that may be changed.
    #[error("`{0}` is no ordinary file below the configuration")]
    Outside(String),
    /// A run that was broken off can't be brought to its end.
    #[error("run {run} was broken off, and `{file}` has been changed since")]
    Stuck {
        /// Which.
        run: u64,
        /// The file.
        file: String,
    },
    /// There is nothing to take back.
    #[error("no run is left to be taken back")]
    NothingToUndo,
    /// The journal isn't what this program writes.
    #[error("run {0} of the journal is damaged")]
    Damaged(u64),
    /// A file can't be read or written. What was begun is brought to its end by the next command.
    #[error("`{0}`: {1}")]
    Io(String, io::Error),
}

impl JournalError {
    /// What to do about it.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::Busy => "wait until it is done",
            Self::Changed(_) => "look at `knowledge memory status` again",
            Self::Outside(_) => "symbolic links and files elsewhere aren't written to",
            Self::Stuck { .. } | Self::Damaged(_) => "the files as they were lie in the folder of the run, below the journal",
            Self::NothingToUndo => "only what `knowledge memory apply` did can be taken back, the last run first",
            Self::Io(..) => "it must exist and be accessible; then run the command again",
        }
    }
}

/// A file of a run, with hashes of what it was and is to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    name: String,
    before: Option<String>,
    after: Option<String>,
}

/// What begins a run, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Begun {
    version: u32,
    /// Milliseconds since the epoch.
    time: i64,
    /// The run that this one takes back.
    undoes: Option<u64>,
    /// What is done, in sentences.
    what: Vec<String>,
    files: Vec<Entry>,
}

/// A run that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Its number.
    pub run: u64,
    /// The files that it changed, relative to the root.
    pub files: Vec<String>,
    /// What it did, in sentences.
    pub what: Vec<String>,
}

/// The journal of what was done to a bank.
#[derive(Debug, Clone)]
pub struct Journal {
    folder: PathBuf,
    root: PathBuf,
}

fn digest(bytes: Option<&[u8]>) -> Option<String> {
    bytes.map(|bytes| hex(&Sha256::digest(bytes)))
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn failed(path: &Path, error: io::Error) -> JournalError {
    JournalError::Io(path.to_string_lossy().replace('\\', "/"), error)
}

/// Called before every step that changes something; a test fails there.
type Step<'s> = &'s mut dyn FnMut() -> io::Result<()>;

impl Journal {
    /// The journal in a folder of the user's own, for files below `root`.
    #[must_use]
    pub fn new(folder: &Path, root: &Path) -> Self {
        Self { folder: folder.join("memory"), root: root.to_path_buf() }
    }

    /// The run that was begun and not ended, if one was.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub fn broken_off(&self) -> Result<Option<u64>, JournalError> {
        let runs = self.runs()?;
        Ok(runs.into_iter().rev().find(|run| self.place(*run, PLAN).exists() && !self.place(*run, DONE).exists()))
    }

    /// Brings a run that was broken off to its end.
    ///
    /// # Errors
    /// When its files have been changed since, or can't be written.
    pub fn finish(&self) -> Result<(), JournalError> {
        let _lock = self.locked()?;
        self.recover(&mut || Ok(()))
    }

    /// Carries changes out at a time. What was broken off before is brought to its end first; then the plan may be out of
    /// date, which is said.
    ///
    /// # Errors
    /// When a file isn't what it was, or can't be written.
    pub fn apply(&self, changes: &[FileChange], what: &[String], time: i64) -> Result<Done, JournalError> {
        self.apply_with(changes, what, time, &mut || Ok(()))
    }

    fn apply_with(&self, changes: &[FileChange], what: &[String], time: i64, step: Step<'_>) -> Result<Done, JournalError> {
        let _lock = self.locked()?;
        self.recover(step)?;
        self.run(changes, what, time, None, step)
    }

    /// Takes the newest run back that isn't taken back yet.
    ///
    /// # Errors
    /// When there is none, or a file has been changed since.
    pub fn undo(&self, time: i64) -> Result<Done, JournalError> {
        self.undo_with(time, &mut || Ok(()))
    }

    fn undo_with(&self, time: i64, step: Step<'_>) -> Result<Done, JournalError> {
        let _lock = self.locked()?;
        self.recover(step)?;
        let (run, begun) = self.undoable()?.ok_or(JournalError::NothingToUndo)?;
        let mut changes = Vec::new();
        for (n, entry) in begun.files.iter().enumerate() {
            let kept = |what: &str, hash: &Option<String>| self.kept(run, n, what, hash.as_deref());
            changes.push(FileChange {
                name: entry.name.clone(),
                path: self.root.join(&entry.name),
                before: kept("after", &entry.after)?,
                after: kept("before", &entry.before)?,
            });
        }
        let what: Vec<String> = begun.what.iter().map(|w| format!("taken back: {w}")).collect();
        self.run(&changes, &what, time, Some(run), step)
    }

    /// What [`Journal::undo`] would take back: its number and what it did.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub fn last(&self) -> Result<Option<(u64, Vec<String>)>, JournalError> {
        Ok(self.undoable()?.map(|(run, begun)| (run, begun.what)))
    }

    fn undoable(&self) -> Result<Option<(u64, Begun)>, JournalError> {
        let mut taken_back = Vec::new();
        for run in self.runs()?.into_iter().rev().filter(|run| self.place(*run, PLAN).exists()) {
            let begun = self.begun(run)?;
            match begun.undoes {
                Some(undone) => taken_back.push(undone),
                None if taken_back.contains(&run) => {}
                None => return Ok(Some((run, begun))),
            }
        }
        Ok(None)
    }

    fn locked(&self) -> Result<Lock, JournalError> {
        lock(&self.folder).map_err(|e| failed(&self.folder, e))?.ok_or(JournalError::Busy)
    }

    /// The numbers of the runs, in order.
    fn runs(&self) -> Result<Vec<u64>, JournalError> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(&self.folder, error)),
        };
        let mut all = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|e| failed(&self.folder, e))?;
            all.extend(entry.file_name().to_str().and_then(|name| name.parse::<u64>().ok()));
        }
        all.sort_unstable();
        Ok(all)
    }

    fn place(&self, run: u64, name: &str) -> PathBuf {
        self.folder.join(format!("{run:06}")).join(name)
    }

    fn begun(&self, run: u64) -> Result<Begun, JournalError> {
        let path = self.place(run, PLAN);
        let bytes = std::fs::read(&path).map_err(|e| failed(&path, e))?;
        let begun: Begun = serde_json::from_slice(&bytes).map_err(|_| JournalError::Damaged(run))?;
        let inside = |name: &str| !name.is_empty() && Path::new(name).components().all(|c| matches!(c, Component::Normal(_)));
        if begun.version == 1 && begun.files.iter().all(|f| inside(&f.name)) {
            Ok(begun)
        } else {
            Err(JournalError::Damaged(run))
        }
    }

    /// The bytes that a run keeps of a file, if there are to be any.
    fn kept(&self, run: u64, n: usize, what: &str, hash: Option<&str>) -> Result<Option<Vec<u8>>, JournalError> {
        let Some(hash) = hash else { return Ok(None) };
        let path = self.place(run, &format!("{n:04}.{what}"));
        let bytes = std::fs::read(&path).map_err(|e| failed(&path, e))?;
        if digest(Some(&bytes)).as_deref() == Some(hash) { Ok(Some(bytes)) } else { Err(JournalError::Damaged(run)) }
    }

    /// Brings a run that was broken off to its end.
    fn recover(&self, step: Step<'_>) -> Result<(), JournalError> {
        let Some(run) = self.broken_off()? else { return Ok(()) };
        let begun = self.begun(run)?;
        let mut changes = Vec::new();
        for (n, entry) in begun.files.iter().enumerate() {
            let path = self.root.join(&entry.name);
            let there = digest(read(&path).map_err(|e| failed(&path, e))?.as_deref());
            if there != entry.before && there != entry.after {
                return Err(JournalError::Stuck { run, file: entry.name.clone() });
            }
            let after = self.kept(run, n, "after", entry.after.as_deref())?;
            changes.push(FileChange { name: entry.name.clone(), path, before: None, after });
        }
        self.put(run, &changes, step)
    }

    fn run(
        &self,
        changes: &[FileChange],
        what: &[String],
        time: i64,
        undoes: Option<u64>,
        step: Step<'_>,
    ) -> Result<Done, JournalError> {
        for change in changes {
            self.check(change)?;
            let there = read(&change.path).map_err(|e| failed(&change.path, e))?;
            if there != change.before {
                return Err(JournalError::Changed(change.name.clone()));
            }
        }
        let run = self.runs()?.last().map_or(1, |last| last + 1);
        let folder = self.folder.join(format!("{run:06}"));
        step().and_then(|()| std::fs::create_dir_all(&folder)).map_err(|e| failed(&folder, e))?;
        let mut files = Vec::new();
        for (n, change) in changes.iter().enumerate() {
            for (name, bytes) in [("before", &change.before), ("after", &change.after)] {
                if let Some(bytes) = bytes {
                    let path = self.place(run, &format!("{n:04}.{name}"));
                    step().and_then(|()| replace(&path, bytes)).map_err(|e| failed(&path, e))?;
                }
            }
            let (before, after) = (digest(change.before.as_deref()), digest(change.after.as_deref()));
            files.push(Entry { name: change.name.clone(), before, after });
        }
        let begun = Begun { version: 1, time, undoes, what: what.to_vec(), files };
        let path = self.place(run, PLAN);
        let text = serde_json::to_vec_pretty(&begun).map_err(|_| JournalError::Damaged(run))?;
        step().and_then(|()| replace(&path, &text)).map_err(|e| failed(&path, e))?;
        self.put(run, changes, step)?;
        Ok(Done { run, files: changes.iter().map(|c| c.name.clone()).collect(), what: what.to_vec() })
    }

    /// Puts the files of a run in place and ends it.
    fn put(&self, run: u64, changes: &[FileChange], step: Step<'_>) -> Result<(), JournalError> {
        for change in changes {
            self.check(change)?;
            let done = step().and_then(|()| match &change.after {
                Some(bytes) => replace(&change.path, bytes),
                None => remove(&change.path),
            });
            done.map_err(|e| failed(&change.path, e))?;
        }
        let path = self.place(run, DONE);
        step().and_then(|()| replace(&path, b"")).map_err(|e| failed(&path, e))
    }

    /// Whether a file may be changed: below the root by its folder, and no link itself.
    fn check(&self, change: &FileChange) -> Result<(), JournalError> {
        let outside = || JournalError::Outside(change.name.clone());
        let folder = change.path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (Ok(root), Ok(folder)) = (self.root.canonicalize(), folder.canonicalize()) else { return Err(outside()) };
        let other = change.path.symlink_metadata().is_ok_and(|m| !m.file_type().is_file());
        if other || !folder.starts_with(root) { Err(outside()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type State = Vec<Option<Vec<u8>>>;
    const NAMES: [&str; 3] = ["a.json", "b.json", "new.json"];

    fn setup() -> (tempfile::TempDir, Journal, Vec<FileChange>) {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("a.json"), "old a").unwrap();
        std::fs::write(root.path().join("b.json"), "old b").unwrap();
        let journal = Journal::new(&root.path().join(".own"), root.path());
        let change = |name: &str, before: Option<&str>, after: Option<&str>| FileChange {
            name: name.into(),
            path: root.path().join(name),
            before: before.map(|t| t.as_bytes().to_vec()),
            after: after.map(|t| t.as_bytes().to_vec()),
        };
        let changes = vec![
            change("a.json", Some("old a"), Some("new a")),
            change("b.json", Some("old b"), None),
            change("new.json", None, Some("n")),
        ];
        (root, journal, changes)
    }

    fn state(root: &Path) -> State {
        NAMES.iter().map(|name| read(&root.join(name)).unwrap()).collect()
    }

    /// Fails at the step of this number.
    fn crash_at(n: usize) -> impl FnMut() -> io::Result<()> {
        let mut left = n;
        move || {
            left = left.checked_sub(1).ok_or_else(|| io::Error::other("crash"))?;
            Ok(())
        }
    }

    #[test]
    fn what_is_done_is_taken_back_once() {
        let (root, journal, changes) = setup();
        let before = state(root.path());
        assert!(matches!(journal.undo(1), Err(JournalError::NothingToUndo)));
        assert_eq!(journal.apply(&changes, &["x".into()], 1).unwrap().run, 1);
        assert_ne!(state(root.path()), before);
        assert!(matches!(journal.apply(&changes, &[], 2), Err(JournalError::Changed(_))));
        assert_eq!(journal.last().unwrap(), Some((1, vec!["x".into()])));
        assert_eq!(journal.undo(3).unwrap().run, 2);
        assert_eq!(state(root.path()), before);
        assert!(matches!(journal.undo(4), Err(JournalError::NothingToUndo)));
        journal.apply(&changes, &[], 5).unwrap();
        std::fs::write(root.path().join("a.json"), "by hand").unwrap();
        assert!(matches!(journal.undo(6), Err(JournalError::Changed(_))), "what was changed since is kept");
        assert_eq!(read(&root.path().join("a.json")).unwrap().unwrap(), b"by hand");
    }

    #[test]
    fn a_crash_at_any_step_leaves_all_or_what_can_be_finished() {
        let mut crashed = 0;
        for n in 0.. {
            let (root, journal, changes) = setup();
            let before = state(root.path());
            let done = journal.apply_with(&changes, &[], 1, &mut crash_at(n));
            let Err(_) = done else { break };
            crashed += 1;
            if journal.broken_off().unwrap().is_none() {
                assert_eq!(state(root.path()), before, "step {n}: it was not begun, so nothing is changed");
                journal.apply(&changes, &[], 2).unwrap();
            } else {
                // Begun: the next command ends it, and taking back leads to where it was.
                let taken_back = journal.undo(2).unwrap();
                assert_eq!((taken_back.run, state(root.path())), (2, before), "step {n}");
                assert!(journal.broken_off().unwrap().is_none());
            }
        }
        assert!(crashed >= 10, "{crashed}");
    }

    #[test]
    fn a_crash_while_taking_back_is_finished_too() {
        for n in 0.. {
            let (root, journal, changes) = setup();
            let before = state(root.path());
            journal.apply(&changes, &[], 1).unwrap();
            if journal.undo_with(2, &mut crash_at(n)).is_ok() {
                assert!(n > 8);
                break;
            }
            match journal.undo(3) {
                Ok(_) | Err(JournalError::NothingToUndo) => assert_eq!(state(root.path()), before, "step {n}"),
                Err(error) => panic!("step {n}: {error}"),
            }
        }
    }

    #[test]
    fn only_ordinary_files_inside_are_written() {
        let (root, journal, mut changes) = setup();
        changes.truncate(1);
        changes[0].path = root.path().join("../elsewhere.json");
        changes[0].before = None;
        assert!(matches!(journal.apply(&changes, &[], 1), Err(JournalError::Outside(_))));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.path().join("b.json"), root.path().join("link.json")).unwrap();
            changes[0].path = root.path().join("link.json");
            changes[0].before = Some(b"old b".to_vec());
            assert!(matches!(journal.apply(&changes, &[], 1), Err(JournalError::Outside(_))));
        }
    }

    #[test]
    fn two_do_not_write_at_once() {
        let (_root, journal, changes) = setup();
        let _held = journal.locked().unwrap();
        assert!(matches!(journal.apply(&changes, &[], 1), Err(JournalError::Busy)));
    }
}
