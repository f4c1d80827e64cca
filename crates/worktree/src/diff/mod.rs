//! Unified diffs and git diffs: read strictly, and applied in memory.
//!
//! The form is that of POSIX `diff -u` and of `git diff` (git's documentation calls it the "patch
//! format"). A diff is bytes: the files that it is about may be in any encoding. Nothing here
//! touches a file system but [`tree::Folder`], which only reads.

mod after;
pub mod apply;
mod error;
mod header;
mod nearest;
mod parse;
mod place;
pub mod tree;

#[cfg(test)]
mod tests;

pub use error::{DiffError, Fault};
pub use nearest::{Nearest, Obstacle};
pub use parse::parse;

/// What a diff may demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of its text.
    pub bytes: usize,
    /// Files that it is about.
    pub files: usize,
    /// Hunks, all files together.
    pub hunks: usize,
    /// Lines of hunks, all files together.
    pub lines: usize,
    /// Bytes of a file that it is applied to.
    pub file_bytes: usize,
    /// Steps of searching for places, all hunks together: what bounds the time of a hostile diff.
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

/// A diff: what it does to each file, in its own order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff<'a> {
    /// The files; never empty.
    pub files: Vec<FileDiff<'a>>,
}

/// The type and permissions of a file, as git keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// `100644`.
    File,
    /// `100755`.
    Executable,
    /// `120000`: a symbolic link, whose content is where it points to.
    Link,
    /// `160000`: a commit of another repository.
    Submodule,
}

impl Mode {
    /// The octal digits that git writes.
    #[must_use]
    pub const fn digits(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
            Self::Submodule => "160000",
        }
    }

    /// Whether both are of one type: only permissions may change without a removal.
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

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// It is there before and after.
    Modify,
    /// It is new.
    Create,
    /// It goes.
    Delete,
    /// It gets another name.
    Rename,
    /// Another file begins as a copy of it.
    Copy,
}

impl Change {
    /// The word in reports.
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

/// What a diff does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff<'a> {
    /// Line of the diff where its header begins, from 1.
    pub line: usize,
    /// What becomes of the file.
    pub change: Change,
    /// The name before: what is read. As [`crate::name::to_text`] writes it.
    pub old: String,
    /// The name after. The same as `old` but for renames and copies.
    pub new: String,
    /// The mode before, where the diff says it.
    pub old_mode: Option<Mode>,
    /// The mode after, where the diff says it.
    pub new_mode: Option<Mode>,
    /// The content is binary: the diff says that it changes, and nothing that is applied here.
    pub binary: bool,
    /// Neither header line says that the file is new or goes, so that its hunks must be asked (a
    /// diff without git's header lines whose one hunk has no old lines may create).
    pub may_create: bool,
    /// The hunks, in the order of the diff.
    pub hunks: Vec<Hunk<'a>>,
}

impl FileDiff<'_> {
    /// The name to speak of it by.
    #[must_use]
    pub fn path(&self) -> &str {
        if self.change == Change::Delete {
            &self.old
        } else {
            &self.new
        }
    }
}

/// A hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// Line of the diff where its `@@` stands, from 1.
    pub line: usize,
    /// First old line that it says it is about, from 1; 0 in front of everything.
    pub old_start: usize,
    /// First new line, likewise.
    pub new_start: usize,
    /// The lines.
    pub lines: Vec<Line<'a>>,
}

/// The sides that a line of a hunk stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Before and after: context.
    Both,
    /// Before only: removed.
    Old,
    /// After only: added.
    New,
}

/// A line of text: of a hunk, or of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Row<'a> {
    /// Its bytes without the line feed; a carriage return belongs to them.
    pub text: &'a [u8],
    /// Whether a line feed ends it: the last line of a file may have none.
    pub ended: bool,
}

/// A line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Where it stands.
    pub side: Side,
    /// What it says.
    pub row: Row<'a>,
}

impl<'a> Hunk<'a> {
    /// The old lines: what must stand in the file, byte for byte.
    pub fn old_rows(&self) -> impl Iterator<Item = Row<'a>> + '_ {
        self.lines
            .iter()
            .filter(|l| l.side != Side::New)
            .map(|l| l.row)
    }

    /// The new lines: what stands there afterwards.
    pub fn new_rows(&self) -> impl Iterator<Item = Row<'a>> + '_ {
        self.lines
            .iter()
            .filter(|l| l.side != Side::Old)
            .map(|l| l.row)
    }

    /// Whether it says that it stands at the beginning of the file.
    #[must_use]
    pub fn at_start(&self) -> bool {
        self.old_start <= 1
    }

    /// Whether it says that it stands at the end of the file: no context follows its last change.
    #[must_use]
    pub fn at_end(&self) -> bool {
        self.lines.last().is_some_and(|l| l.side != Side::Both)
    }
}
