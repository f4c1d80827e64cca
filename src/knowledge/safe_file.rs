//! Atomic file operations: files are written whole or not at all.

use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// An exclusive writer lock. The operating system releases it when the process ends for any reason.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

/// Acquires the lock of a directory; `None` when another process has it.
pub(super) fn lock(folder: &Path) -> io::Result<Option<Lock>> {
    std::fs::create_dir_all(folder)?;
    let file = existing_or_new(&folder.join("writer.lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock { _file: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Opens the lock file. It only creates a file that doesn't exist, so that a symbolic link can't
/// create or truncate a file elsewhere.
fn existing_or_new(path: &Path) -> io::Result<File> {
    match OpenOptions::new().create_new(true).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made,
    }
    if path.symlink_metadata()?.file_type().is_file() {
        OpenOptions::new().write(true).open(path)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the lock isn't a regular file",
        ))
    }
}

/// Maximum number of files that are open at a time, and of threads that wait for the disk. A file
/// system writes what several threads wait for in one go: without that, thousands of small files
/// would take a minute.
const OPEN: usize = 256;
const WAITING: usize = 16;

/// Makes the content of files durable.
fn sync(files: &[File]) -> io::Result<()> {
    std::thread::scope(|scope| {
        let share = files.len().div_ceil(WAITING).max(1);
        let waiting: Vec<_> = files
            .chunks(share)
            .map(|files| scope.spawn(move || files.iter().try_for_each(File::sync_all)))
            .collect();
        waiting.into_iter().try_for_each(|thread| {
            let failed = |_| io::Error::other("a thread has failed");
            thread.join().map_err(failed)?
        })
    })
}

/// Called before every step that changes something. Tests inject failures here.
pub(super) type Step<'s> = &'s mut dyn FnMut() -> io::Result<()>;

/// Writes a new file. It is durable afterwards.
pub(super) fn write_new(path: &Path, bytes: &[u8], step: Step<'_>) -> io::Result<()> {
    step()?;
    let mut file = OpenOptions::new().create_new(true).write(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    settle(path)
}

/// What becomes of a file: these bytes, or nothing.
pub(super) type Target<'t> = (&'t Path, Option<&'t [u8]>);

/// Replaces or removes files one by one, each atomically. All is durable afterwards. The error
/// names the file.
pub(super) fn replace_all(
    targets: &[Target<'_>],
    step: Step<'_>,
) -> Result<(), (PathBuf, io::Error)> {
    let mut folders = std::collections::BTreeSet::new();
    for batch in targets.chunks(OPEN) {
        let mut beside = Vec::new();
        let done = replace_batch(batch, &mut beside, step);
        // A leftover file is harmless, since it's never read.
        for left in beside {
            let _ = std::fs::remove_file(left);
        }
        done?;
        folders.extend(batch.iter().filter_map(|(path, _)| path.parent()));
    }
    folders
        .into_iter()
        .try_for_each(|folder| settle_folder(folder).map_err(|e| (folder.to_path_buf(), e)))
}

/// Replaces or removes some files. `beside` receives the new files, and loses those that have taken
/// their place.
fn replace_batch(
    batch: &[Target<'_>],
    beside: &mut Vec<PathBuf>,
    step: Step<'_>,
) -> Result<(), (PathBuf, io::Error)> {
    let mut written = Vec::new();
    for (path, bytes) in batch {
        let Some(bytes) = bytes else { continue };
        let failed = |error| (path.to_path_buf(), error);
        let (new, mut file) = new_beside(path).map_err(failed)?;
        beside.push(new);
        file.write_all(bytes).map_err(failed)?;
        written.push(file);
    }
    let first = batch.first().map(|(path, _)| path.to_path_buf());
    sync(&written).map_err(|error| (first.unwrap_or_default(), error))?;
    drop(written);
    let mut new = std::mem::take(beside).into_iter();
    for (path, bytes) in batch {
        let replaced = match bytes {
            Some(_) => {
                let new = new.next().unwrap_or_default();
                let renamed = step().and_then(|()| std::fs::rename(&new, path));
                if renamed.is_err() {
                    beside.push(new);
                }
                renamed
            }
            None => step().and_then(|()| match std::fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }),
        };
        if let Err(error) = replaced {
            beside.extend(new);
            return Err((path.to_path_buf(), error));
        }
    }
    Ok(())
}

/// Replaces a file atomically: readers, also after a crash, find the old bytes or the new ones.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (beside, mut file) = new_beside(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    if let Err(error) = written.and_then(|()| std::fs::rename(&beside, path)) {
        // A leftover file is harmless, since it's never read.
        let _ = std::fs::remove_file(&beside);
        return Err(error);
    }
    settle(path)
}

/// Makes the directory entry of a file durable, where directories can be synchronised.
fn settle(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), settle_folder)
}

/// Makes the entries of a directory durable, where directories can be synchronised.
fn settle_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    })?
    .sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Maximum number of names to try.
const TRIES: usize = 16;

/// Creates a new file next to another one. Its name is unpredictable and must not exist, since an
/// existing symbolic link would redirect the write.
fn new_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut tried = 0;
    loop {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        // No source of knowledge has this extension, so files that remain after a crash are never
        // read.
        name.push(format!(".{:016x}.tmp~", RandomState::new().hash_one(tried)));
        let beside = path.with_file_name(name);
        match OpenOptions::new()
            .create_new(true)
            .write(true)
            .open(&beside)
        {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tried < TRIES => {
                tried += 1;
            }
            Err(error) => return Err(error),
            Ok(file) => return Ok((beside, file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        for text in ["one", "two"] {
            replace(&path, text.as_bytes()).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), text.as_bytes());
        }
        assert!(replace(&folder.path().join("gone/a.json"), b"x").is_err());
        std::fs::create_dir(folder.path().join("b.json")).unwrap();
        assert!(
            replace(&folder.path().join("b.json"), b"x").is_err(),
            "a folder isn't replaced"
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_planted_link_is_not_written_through() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("victim"), "mine").unwrap();
        symlink(at("victim"), at(".a.json.tmp~")).unwrap();
        replace(&at("a.json"), b"new").unwrap();
        assert_eq!(std::fs::read(at("victim")).unwrap(), b"mine");
        assert_eq!(std::fs::read(at("a.json")).unwrap(), b"new");

        symlink(at("made elsewhere"), at("writer.lock")).unwrap();
        assert!(lock(folder.path()).is_err());
        assert!(!at("made elsewhere").exists());
        std::fs::remove_file(at("writer.lock")).unwrap();
        let held = lock(folder.path()).unwrap();
        assert!(held.is_some() && lock(folder.path()).unwrap().is_none());
        drop(held);
        assert!(
            lock(folder.path()).unwrap().is_some(),
            "the file stays, the lock doesn't"
        );
    }
}
