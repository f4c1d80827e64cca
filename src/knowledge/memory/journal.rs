//! Carries out plans with a write-ahead journal, so that a crash loses nothing.
//!
//! Each run has a directory that saves every file before and after the change. Once this is on
//! disk, the run begins with an atomic write of `plan`, in JSON. Then the files are replaced one by
//! one, and `done` ends the run. An unfinished run has to be completed before anything else is
//! written. Undoing a run is a new run with before and after swapped.
//!
//! The journal is inside the project under review, so its content may be hostile. The effects of an
//! unfinished run are shown before it is completed, and a run can only change files of the
//! configured banks.

use super::error::JournalError;
use super::plan::{CANDIDATES, FileChange};
use super::saved::{self, Part, Saved};
use crate::knowledge::context::Bank;
use crate::knowledge::safe_file::{Lock, Step, lock, replace, replace_all, write_new};
use crate::knowledge::source_config::{SourceKind, Sources};
use crate::source::stays;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Component, Path, PathBuf};
use util::hex;

/// The file that begins a run. It has no extension, so that it isn't mistaken for a trace or a
/// manifest.
const PLAN: &str = "plan";
/// The file that ends a run.
const DONE: &str = "done";

/// A file of a run, with the hashes of its content before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    name: String,
    before: Option<String>,
    after: Option<String>,
}

/// The content of `plan`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RunPlan {
    version: u32,
    /// Milliseconds since the Unix epoch.
    time: i64,
    /// The run that this one undoes.
    undoes: Option<u64>,
    /// Descriptions of the changes, as sentences.
    what: Vec<String>,
    files: Vec<Entry>,
}

/// A completed run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRun {
    pub run: u64,
    /// The changed files, relative to the root.
    pub files: Vec<String>,
    /// Descriptions of the changes, as sentences.
    pub what: Vec<String>,
}

/// A run that has begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedRun {
    pub run: u64,
    /// What completing the run does to each file according to the journal, as sentences for people.
    pub files: Vec<String>,
    begun: RunPlan,
}

/// The journal of changes to banks.
#[derive(Debug, Clone)]
pub struct Journal {
    folder: PathBuf,
    root: PathBuf,
    /// The files and directories of the banks, relative to the root.
    banks: Vec<String>,
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

/// Normalises a configured path: no `./`, no trailing `/`; empty for the root itself.
fn plain(path: &str) -> String {
    let parts: Vec<&str> = path
        .split(['/', std::path::MAIN_SEPARATOR])
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    parts.join("/")
}

/// Describes the effect of a run on each file.
fn effects(begun: &RunPlan) -> Vec<String> {
    let effect = |entry: &Entry| match (&entry.before, &entry.after) {
        (_, None) => format!("removes {}", entry.name),
        (None, Some(_)) => format!("makes {}", entry.name),
        (Some(_), Some(_)) => format!("changes {}", entry.name),
    };
    begun.files.iter().map(effect).collect()
}

impl Journal {
    /// Creates the journal in a directory of the user, for the banks among the sources.
    #[must_use]
    pub fn new(folder: &Path, sources: &Sources) -> Self {
        let banks = sources
            .paths
            .iter()
            .filter(|(kind, _)| *kind == SourceKind::Bank);
        Self {
            folder: folder.join("memory"),
            root: sources.root.clone(),
            banks: banks.map(|(_, path)| plain(path)).collect(),
        }
    }

    /// Returns the unfinished run, if any. Doesn't change anything. The content of the run is not
    /// trusted.
    ///
    /// # Errors
    /// When the journal can't be read, or the run names a file outside the banks.
    pub fn broken_off(&self) -> Result<Option<UnfinishedRun>, JournalError> {
        let runs = self.runs()?;
        let open = |run: &u64| self.place(*run, PLAN).exists() && !self.place(*run, DONE).exists();
        let Some(run) = runs.into_iter().rev().find(open) else {
            return Ok(None);
        };
        let begun = self.begun(run)?;
        Ok(Some(UnfinishedRun {
            run,
            files: effects(&begun),
            begun,
        }))
    }

    /// Completes the unfinished run that the user was shown.
    ///
    /// # Errors
    /// When a different run is unfinished now, its files have changed since, or they can't be
    /// written.
    pub fn finish(&self, shown: &UnfinishedRun) -> Result<(), JournalError> {
        self.finish_with(shown, &mut || Ok(()))
    }

    fn finish_with(&self, shown: &UnfinishedRun, step: Step<'_>) -> Result<(), JournalError> {
        let _lock = self.locked()?;
        match self.broken_off()? {
            Some(found) if found == *shown => self.recover(&found, step),
            Some(other) => Err(JournalError::BrokenOff(other.run)),
            // Another process completed it in the meantime.
            None => Ok(()),
        }
    }

    /// Carries out changes as a new run at the given time.
    ///
    /// # Errors
    /// When an unfinished run exists, a file has changed, or a file can't be written.
    pub fn apply(
        &self,
        changes: &[FileChange],
        what: &[String],
        time: i64,
    ) -> Result<FinishedRun, JournalError> {
        self.apply_with(changes, what, time, &mut || Ok(()))
    }

    fn apply_with(
        &self,
        changes: &[FileChange],
        what: &[String],
        time: i64,
        step: Step<'_>,
    ) -> Result<FinishedRun, JournalError> {
        let _lock = self.locked()?;
        self.settled()?;
        self.run(changes, what, time, None, step)
    }

    /// Undoes the newest run that hasn't been undone yet.
    ///
    /// # Errors
    /// When there is none, a run is unfinished, or a file has changed since.
    pub fn undo(&self, time: i64) -> Result<FinishedRun, JournalError> {
        self.undo_with(time, &mut || Ok(()))
    }

    fn undo_with(&self, time: i64, step: Step<'_>) -> Result<FinishedRun, JournalError> {
        let _lock = self.locked()?;
        self.settled()?;
        let (run, begun) = self.undoable()?.ok_or(JournalError::NothingToUndo)?;
        let mut changes = Vec::new();
        let saved = self.saved(run, &begun)?;
        for (n, entry) in begun.files.iter().enumerate() {
            let kept = |part: Part, hash: &Option<String>| {
                self.kept(run, &saved, n, part, hash.as_deref())
            };
            changes.push(FileChange {
                name: entry.name.clone(),
                path: self.root.join(&entry.name),
                before: kept(Part::After, &entry.after)?,
                after: kept(Part::Before, &entry.before)?,
            });
        }
        let what: Vec<String> = begun
            .what
            .iter()
            .map(|w| format!("taken back: {w}"))
            .collect();
        self.run(&changes, &what, time, Some(run), step)
    }

    /// Returns the run that [`Journal::undo`] would undo: its number, its own description, and the
    /// files that it changed.
    ///
    /// # Errors
    /// When the journal can't be read, or the run names a file outside the banks.
    pub fn last(&self) -> Result<Option<FinishedRun>, JournalError> {
        let done = |(run, begun): (u64, RunPlan)| FinishedRun {
            run,
            files: begun.files.into_iter().map(|f| f.name).collect(),
            what: begun.what,
        };
        Ok(self.undoable()?.map(done))
    }

    fn settled(&self) -> Result<(), JournalError> {
        self.broken_off()?
            .map_or(Ok(()), |open| Err(JournalError::BrokenOff(open.run)))
    }

    fn undoable(&self) -> Result<Option<(u64, RunPlan)>, JournalError> {
        let mut taken_back = Vec::new();
        for run in self
            .runs()?
            .into_iter()
            .rev()
            .filter(|run| self.place(*run, PLAN).exists())
        {
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
        if !stays(&self.root, &self.folder) {
            return Err(JournalError::Outside(
                self.folder.to_string_lossy().replace('\\', "/"),
            ));
        }
        lock(&self.folder)
            .map_err(|e| failed(&self.folder, e))?
            .ok_or(JournalError::Busy)
    }

    /// Returns the numbers of the runs in order.
    fn runs(&self) -> Result<Vec<u64>, JournalError> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(&self.folder, error)),
        };
        let mut all = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|e| failed(&self.folder, e))?;
            let Some(run) = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse::<u64>().ok())
            else {
                continue;
            };
            // Through a symbolic link, the saved files and `done` would be written elsewhere.
            if !entry.file_type().is_ok_and(|t| t.is_dir()) {
                return Err(JournalError::Damaged(run));
            }
            all.push(run);
        }
        all.sort_unstable();
        Ok(all)
    }

    fn place(&self, run: u64, name: &str) -> PathBuf {
        self.folder.join(format!("{run:06}")).join(name)
    }

    fn begun(&self, run: u64) -> Result<RunPlan, JournalError> {
        let path = self.place(run, PLAN);
        let bytes = std::fs::read(&path).map_err(|e| failed(&path, e))?;
        let begun: RunPlan =
            serde_json::from_slice(&bytes).map_err(|_| JournalError::Damaged(run))?;
        let inside = |name: &str| {
            !name.is_empty()
                && Path::new(name)
                    .components()
                    .all(|c| matches!(c, Component::Normal(_)))
        };
        if !(1..=saved::VERSION).contains(&begun.version)
            || !begun.files.iter().all(|f| inside(&f.name))
        {
            return Err(JournalError::Damaged(run));
        }
        match begun.files.iter().find(|f| !self.is_of_a_bank(&f.name)) {
            Some(other) => Err(JournalError::Outside(other.name.clone())),
            None => Ok(begun),
        }
    }

    /// Whether the configured banks allow changes of this file: a file that is read as part of a
    /// bank, or the list of candidates next to it.
    fn is_of_a_bank(&self, name: &str) -> bool {
        let takes = SourceKind::Bank.takes(Path::new(name));
        let list = name.rsplit('/').next() == Some(CANDIDATES);
        // A bank may span the whole repository, but Git's own files aren't knowledge.
        !name
            .split('/')
            .any(|part| part.eq_ignore_ascii_case(".git"))
            && self
                .banks
                .iter()
                .any(|bank| match name.strip_prefix(bank.as_str()) {
                    _ if bank.is_empty() => takes || list,
                    // A file that is configured directly is read whatever its name.
                    Some("") => true,
                    Some(rest) if rest.starts_with('/') => takes || list,
                    _ => list && Bank::folder(bank) == Bank::folder(name),
                })
    }

    /// Opens what a run has saved.
    fn saved(&self, run: u64, begun: &RunPlan) -> Result<Saved, JournalError> {
        let folder = self.folder.join(format!("{run:06}"));
        Saved::open(&folder, begun.version).map_err(|e| failed(&folder, e))
    }

    /// Returns the bytes that a run saved of a file, if it should have any.
    fn kept(
        &self,
        run: u64,
        saved: &Saved,
        n: usize,
        part: Part,
        hash: Option<&str>,
    ) -> Result<Option<Vec<u8>>, JournalError> {
        let Some(hash) = hash else { return Ok(None) };
        let folder = self.folder.join(format!("{run:06}"));
        let bytes = saved.part(n, part).map_err(|e| failed(&folder, e))?;
        if digest(Some(&bytes)).as_deref() == Some(hash) {
            Ok(Some(bytes))
        } else {
            Err(JournalError::Damaged(run))
        }
    }

    /// Completes an unfinished run.
    fn recover(&self, open: &UnfinishedRun, step: Step<'_>) -> Result<(), JournalError> {
        let UnfinishedRun { run, ref begun, .. } = *open;
        let mut changes = Vec::new();
        let saved = self.saved(run, begun)?;
        for (n, entry) in begun.files.iter().enumerate() {
            let path = self.root.join(&entry.name);
            let there = digest(read(&path).map_err(|e| failed(&path, e))?.as_deref());
            if there != entry.before && there != entry.after {
                return Err(JournalError::Stuck {
                    run,
                    file: entry.name.clone(),
                });
            }
            let after = self.kept(run, &saved, n, Part::After, entry.after.as_deref())?;
            changes.push(FileChange {
                name: entry.name.clone(),
                path,
                before: None,
                after,
            });
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
    ) -> Result<FinishedRun, JournalError> {
        for change in changes {
            self.check(change)?;
            let there = read(&change.path).map_err(|e| failed(&change.path, e))?;
            if there != change.before {
                return Err(JournalError::Changed(change.name.clone()));
            }
        }
        let last = self.runs()?.last().copied().unwrap_or_default();
        let run = last.checked_add(1).ok_or(JournalError::Damaged(last))?;
        let folder = self.folder.join(format!("{run:06}"));
        step()
            .and_then(|()| std::fs::create_dir(&folder))
            .map_err(|e| failed(&folder, e))?;
        write_new(&saved::path(&folder), &saved::to_bytes(changes), step)
            .map_err(|e| failed(&folder, e))?;
        let mut files = Vec::new();
        for change in changes {
            let (before, after) = (
                digest(change.before.as_deref()),
                digest(change.after.as_deref()),
            );
            files.push(Entry {
                name: change.name.clone(),
                before,
                after,
            });
        }
        let begun = RunPlan {
            version: saved::VERSION,
            time,
            undoes,
            what: what.to_vec(),
            files,
        };
        let path = self.place(run, PLAN);
        let text = serde_json::to_vec_pretty(&begun).map_err(|_| JournalError::Damaged(run))?;
        step()
            .and_then(|()| replace(&path, &text))
            .map_err(|e| failed(&path, e))?;
        self.put(run, changes, step)?;
        Ok(FinishedRun {
            run,
            files: changes.iter().map(|c| c.name.clone()).collect(),
            what: what.to_vec(),
        })
    }

    /// Replaces the files of a run and ends it.
    fn put(&self, run: u64, changes: &[FileChange], step: Step<'_>) -> Result<(), JournalError> {
        for change in changes {
            self.check(change)?;
        }
        let targets: Vec<_> = changes
            .iter()
            .map(|change| (change.path.as_path(), change.after.as_deref()))
            .collect();
        replace_all(&targets, step).map_err(|(path, e)| failed(&path, e))?;
        let path = self.place(run, DONE);
        step()
            .and_then(|()| replace(&path, b""))
            .map_err(|e| failed(&path, e))
    }

    /// Checks that a file may be changed: it belongs to a bank, its directory is below the root,
    /// and it isn't a symbolic link.
    fn check(&self, change: &FileChange) -> Result<(), JournalError> {
        let outside = || JournalError::Outside(change.name.clone());
        let folder = change
            .path
            .parent()
            .filter(|f| !f.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let (Ok(root), Ok(folder)) = (self.root.canonicalize(), folder.canonicalize()) else {
            return Err(outside());
        };
        let other = change
            .path
            .symlink_metadata()
            .is_ok_and(|m| !m.file_type().is_file());
        if other || !folder.starts_with(root) || !self.is_of_a_bank(&change.name) {
            Err(outside())
        } else {
            Ok(())
        }
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
        let sources = Sources {
            root: root.path().to_path_buf(),
            paths: vec![(SourceKind::Bank, "./".into())],
            ..Sources::default()
        };
        let journal = Journal::new(&root.path().join(".own"), &sources);
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
        NAMES
            .iter()
            .map(|name| read(&root.join(name)).unwrap())
            .collect()
    }

    /// Fails at the step with this number.
    fn crash_at(n: usize) -> impl FnMut() -> io::Result<()> {
        let mut left = n;
        move || {
            left = left
                .checked_sub(1)
                .ok_or_else(|| io::Error::other("crash"))?;
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
        assert!(matches!(
            journal.apply(&changes, &[], 2),
            Err(JournalError::Changed(_))
        ));
        assert_eq!(
            journal.last().unwrap(),
            Some(FinishedRun {
                run: 1,
                files: NAMES.map(String::from).to_vec(),
                what: vec!["x".into()]
            })
        );
        assert_eq!(journal.undo(3).unwrap().run, 2);
        assert_eq!(state(root.path()), before);
        assert!(matches!(journal.undo(4), Err(JournalError::NothingToUndo)));
        journal.apply(&changes, &[], 5).unwrap();
        std::fs::write(root.path().join("a.json"), "by hand").unwrap();
        assert!(
            matches!(journal.undo(6), Err(JournalError::Changed(_))),
            "what was changed since is kept"
        );
        assert_eq!(
            read(&root.path().join("a.json")).unwrap().unwrap(),
            b"by hand"
        );
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
            let Some(open) = journal.broken_off().unwrap() else {
                assert_eq!(
                    state(root.path()),
                    before,
                    "step {n}: it was not begun, so nothing is changed"
                );
                journal.apply(&changes, &[], 2).unwrap();
                continue;
            };
            // The run has begun: it must be completed before anything else, and undoing it restores
            // the start.
            assert!(
                matches!(journal.undo(2), Err(JournalError::BrokenOff(1))),
                "step {n}"
            );
            assert!(
                matches!(
                    journal.apply(&changes, &[], 2),
                    Err(JournalError::BrokenOff(1))
                ),
                "step {n}"
            );
            assert_eq!(
                open.files,
                ["changes a.json", "removes b.json", "makes new.json"]
            );
            for crash in 0.. {
                if journal.finish_with(&open, &mut crash_at(crash)).is_ok() {
                    break;
                }
            }
            {
                let taken_back = journal.undo(2).unwrap();
                assert_eq!(
                    (taken_back.run, state(root.path())),
                    (2, before),
                    "step {n}"
                );
                assert!(journal.broken_off().unwrap().is_none());
            }
        }
        assert!(crashed >= 7, "{crashed}");
    }

    #[test]
    fn a_crash_while_taking_back_is_finished_too() {
        for n in 0.. {
            let (root, journal, changes) = setup();
            let before = state(root.path());
            journal.apply(&changes, &[], 1).unwrap();
            if journal.undo_with(2, &mut crash_at(n)).is_ok() {
                assert!(n > 6);
                break;
            }
            if let Some(open) = journal.broken_off().unwrap() {
                journal.finish(&open).unwrap();
            }
            match journal.undo(3) {
                Ok(_) | Err(JournalError::NothingToUndo) => {
                    assert_eq!(state(root.path()), before, "step {n}");
                }
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
        assert!(matches!(
            journal.apply(&changes, &[], 1),
            Err(JournalError::Outside(_))
        ));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.path().join("b.json"), root.path().join("link.json"))
                .unwrap();
            changes[0].path = root.path().join("link.json");
            changes[0].before = Some(b"old b".to_vec());
            assert!(matches!(
                journal.apply(&changes, &[], 1),
                Err(JournalError::Outside(_))
            ));
        }
    }

    #[test]
    fn a_journal_reaches_no_files_but_those_of_banks() {
        let (root, journal, _) = setup();
        let write = |name: &str, before: Option<&str>| {
            let folder = root.path().join(".own/memory/000001");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("0000.after"), "planted").unwrap();
            let begun = RunPlan {
                version: 1,
                time: 1,
                undoes: None,
                what: vec!["keep a.md".into()],
                files: vec![Entry {
                    name: name.into(),
                    before: before.map(|b| digest(Some(b.as_bytes())).unwrap()),
                    after: digest(Some(b"planted")),
                }],
            };
            std::fs::write(folder.join(PLAN), serde_json::to_vec(&begun).unwrap()).unwrap();
        };
        let with = |banks: &[&str]| Journal {
            banks: banks.iter().map(|b| plain(b)).collect(),
            ..journal.clone()
        };
        for (name, banks, allowed) in [
            (".git/hooks/pre-commit", &["."][..], false),
            (".git/x.json", &["."], false),
            ("src/main.rs", &["."], false),
            ("bank/items/x.json", &["./bank/"], true),
            ("bank/candidates.jsonl", &["bank"], true),
            ("bank/run.sh", &["bank"], false),
            ("banks/x.json", &["bank"], false),
            ("package.json", &["bank", "contexts/all.json"], false),
            ("contexts/all.json", &["bank", "contexts/all.json"], true),
            ("contexts/candidates.jsonl", &["contexts/all.json"], true),
            ("candidates.jsonl", &["contexts/all.json"], false),
            ("x.json", &[], false),
        ] {
            write(name, None);
            assert_eq!(with(banks).is_of_a_bank(name), allowed, "{name} {banks:?}");
            match with(banks).broken_off() {
                Ok(Some(open)) => assert!(
                    allowed && open.files == [format!("makes {name}")],
                    "{name} {banks:?}"
                ),
                Err(JournalError::Outside(_)) => assert!(!allowed, "{name} {banks:?}"),
                other => panic!("{other:?}"),
            }
        }
        // Only the run that was shown is completed.
        write("new.json", None);
        let shown = journal.broken_off().unwrap().unwrap();
        write("a.json", Some("old a"));
        assert!(matches!(
            journal.finish(&shown),
            Err(JournalError::BrokenOff(1))
        ));
        assert_eq!(
            read(&root.path().join("a.json")).unwrap().unwrap(),
            b"old a"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_journal_that_lies_elsewhere_is_not_written() {
        use std::os::unix::fs::symlink;
        let elsewhere = tempfile::tempdir().unwrap();
        let (root, journal, changes) = setup();
        symlink(elsewhere.path(), root.path().join(".own")).unwrap();
        assert!(matches!(
            journal.apply(&changes, &[], 1),
            Err(JournalError::Outside(_))
        ));
        std::fs::remove_file(root.path().join(".own")).unwrap();
        std::fs::create_dir_all(root.path().join(".own/memory")).unwrap();
        symlink(elsewhere.path(), root.path().join(".own/memory/000001")).unwrap();
        assert!(matches!(
            journal.apply(&changes, &[], 1),
            Err(JournalError::Damaged(1))
        ));
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        assert_eq!(
            read(&root.path().join("a.json")).unwrap().unwrap(),
            b"old a"
        );
    }

    #[test]
    fn two_do_not_write_at_once() {
        let (_root, journal, changes) = setup();
        let _held = journal.locked().unwrap();
        assert!(matches!(
            journal.apply(&changes, &[], 1),
            Err(JournalError::Busy)
        ));
    }
}
