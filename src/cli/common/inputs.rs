//! The input files of a command, which it must not overwrite under any name.

use crate::cli::output::Failure;
#[cfg(unix)]
use crate::source::Input;
use crate::source::{Found, Missing};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Returns identifiers of a file that are equal if two paths name the same file: its resolved
/// paths, and on Unix the device and inode.
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

/// Returns the resolved locations of a path: with links in its directory followed, and with the
/// final link followed too.
pub(in crate::cli) fn locations(path: &Path) -> Vec<PathBuf> {
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

/// Refuses files in a git directory, since these are executed or control what git fetches and
/// trusts.
pub(in crate::cli) fn outside_git(path: &Path) -> Result<(), Failure> {
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

/// Checks that a file can be written: a regular or a new file, the standard output, or a device
/// without storage. Opening another pipe would wait for its reader.
///
/// # Errors
/// When it is something else, or in a git directory.
pub(in crate::cli) fn check_output(path: &Path) -> Result<(), Failure> {
    outside_git(path)?;
    let there = fs::metadata(path).ok();
    let kind = there.and_then(|there| unwritable_kind(path, there.file_type()));
    match kind {
        None => Ok(()),
        Some(kind) => Err(Failure::unable(
            format!("`{}` is {kind}", path.display()),
            "name a regular file, a new one, or /dev/stdout",
        )),
    }
}

/// Returns what a file is if it can't be written.
#[cfg(unix)]
fn unwritable_kind(path: &Path, there: fs::FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt as _;
    match () {
        () if there.is_fifo() && !is_open_file(path) => Some("a named pipe"),
        () if there.is_socket() => Some("a socket"),
        () if there.is_block_device() => Some("a disk"),
        () => None,
    }
}

#[cfg(not(unix))]
fn unwritable_kind(_: &Path, _: fs::FileType) -> Option<&'static str> {
    None
}

/// Returns whether a path names an open file of a process, such as /dev/stdout.
pub(in crate::cli) fn is_open_file(path: &Path) -> bool {
    let standard = ["/dev/stdout", "/dev/stderr"].map(Path::new);
    standard.contains(&path) || path.starts_with("/dev/fd") || path.starts_with("/proc")
}

/// The input files of a command. No output may be one of them, under any name.
#[derive(Debug, Default)]
pub(in crate::cli) struct Inputs {
    known: BTreeSet<String>,
}

impl Inputs {
    /// Adds a file.
    pub(in crate::cli) fn add(&mut self, path: &Path) {
        self.known.extend(identities(path));
    }

    /// Adds the files of inputs that were found.
    pub(in crate::cli) fn add_found(&mut self, found: &[Result<Found, Missing>]) {
        for found in found.iter().flatten() {
            #[cfg(unix)]
            if found.input == Input::Stdin {
                // Standard input may be a file.
                self.add(Path::new("/dev/stdin"));
            }
            for (_, path) in found.files() {
                self.add(path);
            }
        }
    }

    /// Whether a path names one of the inputs.
    pub(in crate::cli) fn holds(&self, path: &Path) -> bool {
        identities(path)
            .iter()
            .any(|identity| self.known.contains(identity))
    }

    /// Checks all outputs before anything is written.
    ///
    /// # Errors
    /// When an output is an input or in a git directory, or two outputs are the same file.
    pub(in crate::cli) fn keep_apart<'o>(
        &self,
        outputs: impl IntoIterator<Item = &'o Path>,
    ) -> Result<(), Failure> {
        let mut seen = BTreeSet::new();
        for path in outputs {
            check_output(path)?;
            let is_special = fs::metadata(path).is_ok_and(|m| !m.is_file());
            let identities = identities(path);
            if self.holds(path) {
                let message = format!("`{}` is an input of this command", path.display());
                return Err(Failure::unable(
                    message,
                    "nothing that is read is overwritten; name another file",
                ));
            }
            // Some file systems ignore case.
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
