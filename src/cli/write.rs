//! Writes files atomically.

use super::common::inputs::{check_output, is_open_file};
use super::guard::{self, Exemption};
use super::output::Failure;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Maximum number of names to try for a temporary file.
const TRIES: u32 = 16;

/// Writes a file atomically and keeps its permissions: readers find the old content or the new one.
/// The standard output and devices are written directly.
///
/// # Errors
/// When it can't be written, is another pipe, is in a git directory, or is one of the gate's own
/// files.
pub(super) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    write_own(path, bytes, Exemption::Nothing)
}

/// Like [`write()`], for a command that maintains one of the gate's own files.
pub(super) fn write_own(
    path: &Path,
    bytes: impl AsRef<[u8]>,
    own: Exemption,
) -> Result<(), Failure> {
    let bytes = bytes.as_ref();
    check_output(path)?;
    guard::check(path, own)?;
    replace(path, &mut |file| file.write_all(bytes)).map_err(|error| cannot_write(path, &error))
}

/// Like [`write()`], with a callback that writes content too large for memory.
///
/// # Errors
/// Same as [`write()`]; also when `fill` fails.
pub(super) fn write_with(
    path: &Path,
    fill: &mut dyn FnMut(&mut File) -> io::Result<()>,
) -> Result<(), Failure> {
    check_output(path)?;
    guard::check(path, Exemption::Nothing)?;
    replace(path, fill).map_err(|error| cannot_write(path, &error))
}

/// Creates a file that doesn't exist yet. It may be a trace that the gate will read.
///
/// # Errors
/// When it exists, can't be written, or is in a git directory.
pub(super) fn create_new(path: &Path) -> Result<File, Failure> {
    check_output(path)?;
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.map_err(|error| cannot_write(path, &error))
}

/// Creates the failure for a file that can't be written.
pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let remedy = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "there is no space left for it; make room, or name a file elsewhere"
        }
        io::ErrorKind::IsADirectory => "it is a directory; name a file in it",
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "its directory must exist",
        io::ErrorKind::AlreadyExists => "it exists already; name another file",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "the file and its directory must be writable"
        }
        _ => "the directory must exist and be writable",
    };
    Failure::unable(format!("can't write `{}`: {error}", path.display()), remedy)
}

fn replace(path: &Path, content: &mut dyn FnMut(&mut File) -> io::Result<()>) -> io::Result<()> {
    let there = fs::metadata(path);
    let is_special = there.as_ref().is_ok_and(|m| !m.is_file());
    // Other processes may have these files open, so they must not be replaced.
    if is_special || is_open_file(path) {
        return content(&mut OpenOptions::new().write(true).truncate(true).open(path)?);
    }
    // A symbolic link is kept; its target is replaced.
    let path = if path.is_symlink() {
        fs::canonicalize(path)?
    } else {
        path.to_path_buf()
    };
    let (beside, mut file) = new_beside(&path)?;
    let written = content(&mut file).and_then(|()| match &there {
        Ok(there) => fs::set_permissions(&beside, there.permissions()),
        Err(_) => Ok(()),
    });
    drop(file);
    let moved = written.and_then(|()| fs::rename(&beside, &path));
    if moved.is_err() {
        let _ = fs::remove_file(&beside);
    }
    moved
}

/// Creates a file next to another one. Its name is unpredictable, so that no prepared symbolic link
/// can have it.
fn new_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut tried = 0;
    loop {
        let mut name = OsString::from(".");
        name.push(path.file_name().ok_or(io::ErrorKind::InvalidInput)?);
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
            result => return result.map(|file| (beside, file)),
        }
    }
}
