//! Errors of parsing a diff.

use thiserror::Error;

/// The error for a text that isn't a valid unified or git diff.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {fault}")]
pub struct DiffError {
    /// Line of the diff, from 1; 0 for the diff as a whole.
    pub line: usize,
    pub fault: Fault,
}

/// A fault in the text of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// The diff exceeds a limit.
    #[error("the diff has more than {limit} {of}")]
    Limit {
        /// The unit that is limited, in the plural.
        of: &'static str,
        limit: usize,
    },
    /// There is no file header.
    #[error("no file header (`diff --git` or `---` and `+++`) is to be found")]
    NoFile,
    /// A `---` line has no `+++` line, or the other way round.
    #[error("expected `{expected}` here")]
    Header {
        /// The start of the missing line.
        expected: &'static str,
    },
    /// A file header without a hunk or another change.
    #[error("the header of `{path}` is followed by no hunk and no change of mode or name")]
    NoChange { path: String },
    /// A name is empty or has invalid quoting.
    #[error("`{name}` isn't a file name")]
    Name {
        /// The name as written.
        name: String,
    },
    /// Two lines of one header name different files.
    #[error("the header names `{found}`, and before it named `{expected}`")]
    OtherName {
        /// The name in an earlier line.
        expected: String,
        /// The name in this line.
        found: String,
    },
    /// A git header doesn't name its file.
    #[error("the git header doesn't name its file")]
    Nameless,
    /// Git doesn't know the mode.
    #[error("`{mode}` isn't a file mode of git")]
    Mode {
        /// The mode as written.
        mode: String,
    },
    /// Two parts of a header contradict each other.
    #[error("{0}")]
    Contradiction(&'static str),
    /// A hunk comes before any file header.
    #[error("a hunk comes before any file header")]
    Orphan,
    /// The `@@` line is invalid.
    #[error("hunk {hunk}: expected `@@ -LINE,COUNT +LINE,COUNT @@`")]
    HunkHeader {
        /// Number of the hunk within its file, from 1.
        hunk: usize,
    },
    /// The line counts of a hunk differ from those in its header.
    #[error(
        "hunk {hunk}: its header says {old_expected} old and {new_expected} new lines, found {old_found} old and {new_found} new"
    )]
    Counts {
        /// Number of the hunk within its file, from 1.
        hunk: usize,
        /// Number of old lines in the header.
        old_expected: usize,
        /// Number of new lines in the header.
        new_expected: usize,
        /// Number of old lines in the hunk.
        old_found: usize,
        /// Number of new lines in the hunk.
        new_found: usize,
    },
    /// A line of a hunk starts with none of space, `+`, `-` and `\`.
    #[error("hunk {hunk}: a line begins with none of ` `, `+`, `-` and `\\`")]
    Marker {
        /// Number of the hunk within its file, from 1.
        hunk: usize,
    },
    /// A hunk changes nothing.
    #[error("hunk {hunk} adds and removes nothing")]
    Idle {
        /// Number of the hunk within its file, from 1.
        hunk: usize,
    },
    /// `\ No newline at end of file` isn't after the last line of a side.
    #[error("hunk {hunk}: `\\ No newline at end of file` must follow the last line of its side")]
    NoNewline {
        /// Number of the hunk within its file, from 1.
        hunk: usize,
    },
    /// The line after a hunk belongs to no hunk and no header.
    #[error("this line belongs to no hunk and no header")]
    Stray,
    /// SEARCH/REPLACE blocks are invalid or ambiguous.
    #[error("{0}")]
    Block(&'static str),
    /// A binary patch has an invalid format.
    #[error("the binary patch breaks its form")]
    Binary,
}
