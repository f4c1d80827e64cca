//! Files that are written whole or not at all.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Whoever holds it is the only one who writes. It is let go when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

/// Takes the lock of a folder; `None` when another process has it.
pub(super) fn lock(folder: &Path) -> io::Result<Option<Lock>> {
    std::fs::create_dir_all(folder)?;
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(folder.join("writer.lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock { _file: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Puts bytes in the place of a file: whoever reads, and whoever comes after a crash, finds the old ones or the new ones.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(path);
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).open(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    std::fs::rename(&beside, path)?;
    settle(path)
}

/// Removes a file; that it is gone already is as good.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => settle(path),
    }
}

/// Makes the folder's entry of a file durable, where folders can be synchronised.
fn settle(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    // No source of knowledge ends so: what a crash leaves behind is never read.
    name.push(".tmp~");
    path.with_file_name(name)
}
