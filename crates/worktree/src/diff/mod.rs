//! Unified diffs, git diffs and SEARCH/REPLACE blocks: strict parsing, and application in memory.
//!
//! The format is that of POSIX `diff -u` and of `git diff` (git's documentation calls it the "patch
//! format"). A diff is bytes, since the files may have any encoding. Only [`tree::Folder`] accesses
//! the file system, and it only reads.

mod after;
pub mod apply;
mod blocks;
mod error;
mod header;
mod nearest;
mod parse;
mod place;
pub mod tree;
mod unplaced;

#[cfg(test)]
mod tests;

pub use error::{DiffError, Fault};
pub use nearest::{Nearest, Obstacle};
pub use parse::parse;

/// Limits for a diff, which may be hostile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Size of the diff in bytes.
    pub bytes: usize,
    /// Number of files in the diff.
    pub files: usize,
    /// Number of hunks in all files together.
    pub hunks: usize,
    /// Number of lines in all hunks together.
    pub lines: usize,
    /// Size of a file to which the diff is applied, in bytes.
    pub file_bytes: usize,
    /// Steps of searching for all hunks together, which bounds the time that a hostile diff can
    /// take.
    pub work: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 16 << 20,
            files: 20_000,
            hunks: 200_000,
            lines: 2_000_000,
            file_bytes: 64 << 20,
            work: 200_000_000,
        }
    }
}

/// A parsed diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff<'a> {
    /// The parts for each file, in the order of the diff; never empty.
    pub files: Vec<FileDiff<'a>>,
}

/// The type and permissions of a file, as git records them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Mode `100644`.
    File,
    /// Mode `100755`.
    Executable,
    /// Mode `120000`: a symbolic link, whose content is its target.
    Link,
    /// Mode `160000`: a commit of another repository.
    Submodule,
}

impl Mode {
    /// Returns the octal digits that git writes.
    #[must_use]
    pub const fn digits(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
            Self::Submodule => "160000",
        }
    }

    /// Returns whether both modes have the same type. A change of type needs a removal and a
    /// creation.
    #[must_use]
    pub const fn same_type(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::File | Self::Executable, Self::File | Self::Executable)
                | (Self::Link, Self::Link)
                | (Self::Submodule, Self::Submodule)
        )
    }
}

/// The kind of change to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// The file exists before and after.
    Modify,
    Create,
    Delete,
    Rename,
    /// The file starts as a copy of another one.
    Copy,
}

impl Change {
    /// Returns the name used in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Modify => "modify",
            Self::Create => "create",
            Self::Delete => "delete",
            Self::Rename => "rename",
            Self::Copy => "copy",
        }
    }
}

/// The changes of a diff to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff<'a> {
    /// Line of the diff where the header starts, from 1.
    pub line: usize,
    pub change: Change,
    /// The name before, from which the content is read. In the form of [`crate::name::to_text`].
    pub old: String,
    /// The name after. It equals `old` except for renames and copies.
    pub new: String,
    /// The mode before, if the diff states it.
    pub old_mode: Option<Mode>,
    /// The mode after, if the diff states it.
    pub new_mode: Option<Mode>,
    /// The content is binary. The change itself can't be applied here.
    pub binary: bool,
    /// The part may create the file although the header doesn't say so. This applies to a part
    /// without a git header that has a single hunk without old lines, at line 0.
    pub may_create: bool,
    /// The hunks, in the order of the diff.
    pub hunks: Vec<Hunk<'a>>,
}

impl FileDiff<'_> {
    /// Returns the name for use in messages.
    #[must_use]
    pub fn path(&self) -> &str {
        if self.change == Change::Delete {
            &self.old
        } else {
            &self.new
        }
    }
}

/// A group of adjacent changes in a file, with context lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// Line of the diff with its `@@`, from 1.
    pub line: usize,
    /// The stated first old line, from 1; 0 is before the first line.
    pub old_start: usize,
    /// The stated first new line, likewise.
    pub new_start: usize,
    /// The diff states no line: an `@@` without numbers, or a SEARCH/REPLACE block. The old lines
    /// must be at exactly one place of the file.
    pub unplaced: bool,
    pub lines: Vec<Line<'a>>,
}

/// The sides on which a line of a hunk occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Before and after: context.
    Both,
    /// Before only: removed.
    Old,
    /// After only: added.
    New,
}

/// A line of text in a hunk or in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Row<'a> {
    /// The bytes without the line feed, but with a carriage return if there is one.
    pub text: &'a [u8],
    /// Whether the line ends with a line feed. The last line of a file may lack one.
    pub ended: bool,
}

/// A line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    pub side: Side,
    pub row: Row<'a>,
}

impl<'a> Hunk<'a> {
    /// Returns the old lines. They must match the file byte for byte.
    pub fn old_rows(&self) -> impl Iterator<Item = Row<'a>> + '_ {
        self.lines
            .iter()
            .filter(|l| l.side != Side::New)
            .map(|l| l.row)
    }

    /// Returns the new lines.
    pub fn new_rows(&self) -> impl Iterator<Item = Row<'a>> + '_ {
        self.lines
            .iter()
            .filter(|l| l.side != Side::Old)
            .map(|l| l.row)
    }

    /// Returns whether the hunk adds or removes a line.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.lines.iter().any(|l| l.side != Side::Both)
    }

    /// Returns whether the hunk must be at the start of the file.
    #[must_use]
    pub fn at_start(&self) -> bool {
        self.old_start <= 1
    }

    /// Returns whether the hunk must be at the end of the file: no context follows its last change.
    #[must_use]
    pub fn at_end(&self) -> bool {
        self.lines.last().is_some_and(|l| l.side != Side::Both)
    }
}
