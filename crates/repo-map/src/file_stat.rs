//! Detects by its metadata whether a file is unchanged since it was last read.

use serde::{Deserialize, Serialize};
use std::fs::Metadata;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a file must be unchanged before its stat is trusted. Two writes within one tick of the
/// file system's clock leave the same stat; git calls such a file racy. The coarsest clock in use,
/// that of FAT, ticks every two seconds.
const SETTLED: Duration = Duration::from_secs(3);

/// The metadata that git's index also keeps to detect changed content. A writer can reset the
/// modification time of a file, but not the time of its last status change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileStat {
    device: u64,
    inode: u64,
    size: u64,
    /// Modification time: seconds and nanoseconds since the epoch.
    content: (i64, i64),
    /// Time of the last change of name, permissions or content.
    change: (i64, i64),
}

impl FileStat {
    /// Returns `None` on systems without the time of the last status change. There, every file is
    /// read.
    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "not every system tells")]
    pub(super) fn from_metadata(file: &Metadata) -> Option<FileStat> {
        use std::os::unix::fs::MetadataExt as _;
        Some(FileStat {
            device: file.dev(),
            inode: file.ino(),
            size: file.size(),
            content: (file.mtime(), file.mtime_nsec()),
            change: (file.ctime(), file.ctime_nsec()),
        })
    }

    #[cfg(not(unix))]
    pub(super) fn from_metadata(_: &Metadata) -> Option<FileStat> {
        None
    }

    /// Returns whether the file was unchanged for long enough at the given time.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        let limit = now
            .checked_sub(SETTLED)
            .and_then(|t| t.duration_since(UNIX_EPOCH).ok());
        let Some(limit) = limit.and_then(|t| i64::try_from(t.as_secs()).ok()) else {
            return false;
        };
        self.content.0.max(self.change.0) < limit
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_told_from_what_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let stat = || FileStat::from_metadata(&fs::metadata(&path).unwrap()).unwrap();
        fs::write(&path, "one").unwrap();
        let first = stat();
        assert_eq!(first, stat());
        fs::write(&path, "three").unwrap();
        assert_ne!(first, stat(), "another size");
        // A file of the same size and modification time replaces the first one.
        let other = folder.path().join("b");
        fs::write(&other, "two").unwrap();
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        fs::File::options()
            .write(true)
            .open(&other)
            .unwrap()
            .set_modified(time)
            .unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), time);
        assert_ne!(first, stat(), "another file");
    }

    #[test]
    fn only_what_was_left_alone_is_believed() {
        let stat = |content, change| FileStat {
            device: 1,
            inode: 2,
            size: 3,
            content: (content, 0),
            change: (change, 0),
        };
        let now = UNIX_EPOCH + Duration::from_secs(1000);
        assert!(stat(996, 996).is_settled(now));
        for (content, change) in [
            (997, 900),
            (900, 997),
            (1000, 1000),
            (5000, 5000),
            (900, 5000),
        ] {
            assert!(!stat(content, change).is_settled(now), "{content} {change}");
        }
        assert!(!stat(-10, -10).is_settled(UNIX_EPOCH));
    }
}
