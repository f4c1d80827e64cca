//! Reads whole files: settings, keys, policies, corpora.

use super::output::{Failure, warn};
use crate::source::{Found, Missing, open_regular, read_whole, survey};
use crate::verify::skipped_sentence;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Maximum size of such a file in bytes.
const MOST: u64 = 64 << 20;

/// Finds the traces under paths, for commands without a report. Skipped files are named on standard
/// error.
pub(super) fn traces(paths: &[PathBuf]) -> Vec<Result<Found, Missing>> {
    let found = survey(paths);
    if let Some(sentence) = skipped_sentence(&found.skipped, found.skipped.len() as u64) {
        warn(&sentence);
    }
    found.inputs
}

/// Reads the text of a file.
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    text_up_to(path, MOST)
}

/// Reads the text of a regular file, for commands that mustn't wait for a pipe.
pub(super) fn regular_text(path: &Path) -> Result<String, Failure> {
    open_regular(path)
        .and_then(|file| whole(file, MOST))
        .map_err(|e| unable(path, &e))
}

/// Refuses a file that isn't a regular one, before a library opens it.
#[cfg_attr(
    not(feature = "knowledge"),
    expect(dead_code, reason = "only an index reads stores by a library")
)]
pub(super) fn check_regular(path: &Path) -> Result<(), Failure> {
    open_regular(path).map(drop).map_err(|e| unable(path, &e))
}

/// Reads the text of a file, or of standard input for `-`.
pub(super) fn text_or_input(path: &Path) -> Result<String, Failure> {
    if path.as_os_str() == "-" {
        return whole(io::stdin().lock(), MOST).map_err(|e| unable(path, &e));
    }
    text(path)
}

/// Reads the bytes of a file, or of standard input for `-`.
pub(super) fn bytes_or_input(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = if path.as_os_str() == "-" {
        read_whole(io::stdin().lock(), MOST)
    } else {
        File::open(path).and_then(|file| read_whole(file, MOST))
    };
    read.map_err(|e| unable(path, &e))
}

/// Reads the text of a file of at most `most` bytes.
pub(super) fn text_up_to(path: &Path, most: u64) -> Result<String, Failure> {
    File::open(path)
        .and_then(|file| whole(file, most))
        .map_err(|e| unable(path, &e))
}

fn whole(reader: impl Read, most: u64) -> io::Result<String> {
    String::from_utf8(read_whole(reader, most)?).map_err(io::Error::other)
}

fn unable(path: &Path, error: &io::Error) -> Failure {
    let name = if path.as_os_str() == "-" {
        "standard input".to_owned()
    } else {
        format!("`{}`", path.display())
    };
    Failure::unable(format!("can't read {name}: {error}"), remedy(error))
}

/// Returns what the user can do about a file that can't be read.
pub(super) fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "there is no such file; check the name, and where a symbolic link leads"
        }
        io::ErrorKind::IsADirectory => "it is a directory; name a file in it",
        io::ErrorKind::NotADirectory => "a part of the path is a file; check the name",
        io::ErrorKind::PermissionDenied => "the file and the directories above it must be readable",
        io::ErrorKind::FileTooLarge => "name a smaller file",
        io::ErrorKind::InvalidInput => {
            "a pipe could block, and a device may never end: name a file"
        }
        io::ErrorKind::InvalidData | io::ErrorKind::Other => "the file must be UTF-8 text",
        _ => "the file must be readable; a symbolic link must lead to a file",
    }
}
