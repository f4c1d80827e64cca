//! Files that commands write: whole or not at all, and never over what is read.

use super::guard::{self, Own};
use super::output::Failure;
use crate::source::{Found, Input, Missing};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Names that are tried for a temporary file.
const TRIES: u32 = 16;

/// Writes a file: whoever reads it finds the old text or the new one, and its permissions stay. A
/// pipe or a device is written as it is.
///
/// # Errors
/// When it can't be written, lies in a git directory, or is something that a gate goes by.
pub(super) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    write_own(path, bytes, Own::Nothing)
}

/// As [`write()`], for a command that keeps one of the files that a gate goes by.
pub(super) fn write_own(path: &Path, bytes: impl AsRef<[u8]>, own: Own) -> Result<(), Failure> {
    outside_git(path)?;
    guard::check(path, own)?;
    replace(path, bytes.as_ref()).map_err(|error| cannot_write(path, &error))
}

/// Says that a file can't be written, and what to do about it.
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

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let there = fs::metadata(path);
    let is_special = there.as_ref().is_ok_and(|m| !m.is_file());
    // Where these lead, somebody else holds the file open.
    if is_special || path.starts_with("/dev") || path.starts_with("/proc") {
        return OpenOptions::new()
            .write(true)
            .truncate(true)
            .open(path)?
            .write_all(bytes);
    }
    // A link stays a link; what it leads to is replaced.
    let path = if path.is_symlink() {
        fs::canonicalize(path)?
    } else {
        path.to_path_buf()
    };
    let (beside, mut file) = new_beside(&path)?;
    let written = file.write_all(bytes).and_then(|()| match &there {
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

/// A new file beside another one, under a name that can't be foreseen: no link is written through.
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

/// What says that two names are one file: where it lies, and on Unix the file itself, whatever it
/// is called.
fn identities(path: &Path) -> Vec<String> {
    let mut all: Vec<String> = locations(path)
        .iter()
        .map(|place| place.to_string_lossy().into_owned())
        .collect();
    #[cfg(unix)]
    if let Ok(there) = fs::metadata(path).and_then(|m| {
        if m.is_file() {
            Ok(m)
        } else {
            Err(io::ErrorKind::Other.into())
        }
    }) {
        use std::os::unix::fs::MetadataExt as _;
        all.push(format!("{}:{}", there.dev(), there.ino()));
    }
    all
}

/// Where a name leads: with the links in its folder followed, and with its own.
pub(super) fn locations(path: &Path) -> Vec<PathBuf> {
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let named = fs::canonicalize(folder)
        .ok()
        .zip(path.file_name())
        .map(|(folder, name)| folder.join(name));
    named.into_iter().chain(fs::canonicalize(path)).collect()
}

/// Refuses a file of a git directory: what lies there runs, or decides what is fetched and
/// believed.
pub(super) fn outside_git(path: &Path) -> Result<(), Failure> {
    let named = |path: &Path| {
        path.components()
            .any(|c| c.as_os_str().eq_ignore_ascii_case(".git"))
    };
    let shaped = |folder: &Path| {
        folder.join("HEAD").is_file() && ["objects", "refs"].iter().all(|d| folder.join(d).is_dir())
    };
    let within = |place: &PathBuf| named(place) || place.ancestors().skip(1).any(shaped);
    if named(path) || locations(path).iter().any(within) {
        let message = format!("`{}` lies in a git directory", path.display());
        return Err(Failure::unable(
            message,
            "nothing is written there; name another file",
        ));
    }
    Ok(())
}

/// What a command reads. Nothing that it writes may be one of these files, by whatever name.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    known: BTreeSet<String>,
}

impl Inputs {
    /// Adds a file.
    pub(super) fn add(&mut self, path: &Path) {
        self.known.extend(identities(path));
    }

    /// Adds the files among inputs that were found.
    pub(super) fn add_found(&mut self, found: &[Result<Found, Missing>]) {
        for found in found.iter().flatten() {
            if let Input::File(path) = &found.input {
                self.add(path);
            }
        }
    }

    /// Whether a file is one of them, by whatever name.
    pub(super) fn holds(&self, path: &Path) -> bool {
        identities(path)
            .iter()
            .any(|identity| self.known.contains(identity))
    }

    /// Checks all that is to be written, before anything is.
    ///
    /// # Errors
    /// When one is an input, or in a git directory, or two are one file.
    pub(super) fn keep_apart<'o>(
        &self,
        outputs: impl IntoIterator<Item = &'o Path>,
    ) -> Result<(), Failure> {
        let mut seen = BTreeSet::new();
        for path in outputs {
            outside_git(path)?;
            let is_special = fs::metadata(path).is_ok_and(|m| !m.is_file());
            let identities = identities(path);
            if self.holds(path) {
                let message = format!("`{}` is an input of this command", path.display());
                return Err(Failure::unable(
                    message,
                    "nothing that is read is overwritten; name another file",
                ));
            }
            // On some systems a name in other letters is the same.
            let places: BTreeSet<String> = identities.iter().map(|i| i.to_lowercase()).collect();
            if !is_special && !seen.is_disjoint(&places) {
                let message = format!("two outputs go to `{}`", path.display());
                return Err(Failure::unable(message, "give each its own file"));
            }
            seen.extend(places);
        }
        Ok(())
    }
}
