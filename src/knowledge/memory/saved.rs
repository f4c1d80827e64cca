//! The bytes that a run saves: of each file before and after the change.
//!
//! All are in one file, since making thousands of files durable takes seconds. Each file has two
//! parts, which are empty where it doesn't exist. A part is its length, as eight bytes with the
//! lowest first, and the bytes. Runs of version 1 have a file for each part.

use super::plan::FileChange;
use std::io;
use std::path::{Path, PathBuf};

/// The name of the file in the directory of a run.
const NAME: &str = "saved";
/// The version of runs that save all parts in one file.
pub(super) const VERSION: u32 = 2;

/// Which part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Before,
    After,
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// Returns the path of the file in the directory of a run.
pub(super) fn path(run: &Path) -> PathBuf {
    run.join(NAME)
}

/// Serialises the parts of all changes.
pub(super) fn to_bytes(changes: &[FileChange]) -> Vec<u8> {
    let mut out = Vec::new();
    for change in changes {
        for part in [&change.before, &change.after] {
            let bytes = part.as_deref().unwrap_or_default();
            out.extend((bytes.len() as u64).to_le_bytes());
            out.extend(bytes);
        }
    }
    out
}

/// The saved parts of a run.
#[derive(Debug)]
pub(super) enum Saved {
    /// The parts of all files in order.
    Together(Vec<Vec<u8>>),
    /// A file for each part in this directory.
    Apart(PathBuf),
}

impl Saved {
    /// Opens what a run of a version has saved in its directory. The content isn't trusted.
    pub(super) fn open(run: &Path, version: u32) -> io::Result<Self> {
        if version < VERSION {
            return Ok(Self::Apart(run.to_path_buf()));
        }
        let bytes = std::fs::read(path(run))?;
        let damaged = || io::Error::from(io::ErrorKind::InvalidData);
        parts(&bytes).map(Self::Together).ok_or_else(damaged)
    }

    /// Returns a part of the file with this number.
    pub(super) fn part(&self, file: usize, part: Part) -> io::Result<Vec<u8>> {
        match self {
            Self::Together(parts) => {
                let at = 2 * file + usize::from(part == Part::After);
                let missing = || io::Error::from(io::ErrorKind::NotFound);
                parts.get(at).cloned().ok_or_else(missing)
            }
            Self::Apart(run) => std::fs::read(run.join(format!("{file:04}.{}", part.name()))),
        }
    }
}

/// Deserialises parts; `None` when the bytes are invalid.
fn parts(mut bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (part, rest) = rest.split_at_checked(length)?;
        all.push(part.to_vec());
        bytes = rest;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn change(before: Option<&str>, after: Option<&str>) -> FileChange {
        let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
        FileChange {
            name: "a".into(),
            path: "a".into(),
            before: bytes(before),
            after: bytes(after),
        }
    }

    #[test]
    fn parts_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = to_bytes(&[change(Some("old"), None), change(None, Some("new"))]);
        std::fs::write(path(folder.path()), &bytes).unwrap();
        let saved = Saved::open(folder.path(), VERSION).unwrap();
        assert_eq!(saved.part(0, Part::Before).unwrap(), b"old");
        assert_eq!(saved.part(0, Part::After).unwrap(), b"");
        assert_eq!(saved.part(1, Part::After).unwrap(), b"new");
        assert!(saved.part(2, Part::Before).is_err());
        assert!(parts(&bytes[..bytes.len() - 1]).is_none());

        std::fs::write(folder.path().join("0001.after"), "first version").unwrap();
        let saved = Saved::open(folder.path(), 1).unwrap();
        assert_eq!(saved.part(1, Part::After).unwrap(), b"first version");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = parts(&bytes);
        }
    }
}
