//! Why a text is no diff.

use thiserror::Error;

/// A text is no valid unified or git diff.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {fault}")]
pub struct DiffError {
    /// Line of the diff's text, counted from 1; 0 when the text as a whole is meant.
    pub line: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// What can be wrong with a diff.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// More than a diff may have.
    #[error("the diff has more than {limit} {of}")]
    Limit {
        /// Of what.
        of: &'static str,
        /// How many it may have.
        limit: usize,
    },
    /// There is no header of a file.
    #[error("no file header (`diff --git` or `---` and `+++`) is to be found")]
    NoFile,
    /// A `---` line without its `+++` line, or the other way round.
    #[error("expected `{expected}` here")]
    Header {
        /// The line that is due.
        expected: &'static str,
    },
    /// A file header is followed by nothing that changes the file.
    #[error("the header of `{path}` is followed by no hunk and no change of mode or name")]
    NoChange {
        /// The file.
        path: String,
    },
    /// A name can't be read: bad quoting, or empty.
    #[error("`{name}` is no file name")]
    Name {
        /// As it is written.
        name: String,
    },
    /// Two lines of one header name different files.
    #[error("the header names `{found}`, and before it named `{expected}`")]
    OtherName {
        /// What an earlier line said.
        expected: String,
        /// What this line says.
        found: String,
    },
    /// A git header that doesn't say which file it is about.
    #[error("the git header doesn't name its file")]
    Nameless,
    /// A mode that git doesn't know.
    #[error("`{mode}` is no mode of a file in git")]
    Mode {
        /// As it is written.
        mode: String,
    },
    /// Two parts of a header contradict each other.
    #[error("{0}")]
    Contradiction(&'static str),
    /// A hunk before any file header.
    #[error("a hunk comes before any file header")]
    Orphan,
    /// The `@@` line can't be read.
    #[error("hunk {hunk}: expected `@@ -LINE,COUNT +LINE,COUNT @@`")]
    HunkHeader {
        /// Number of the hunk within its file, from 1.
        hunk: usize,
    },
    /// A hunk has other counts than its header says.
    #[error(
        "hunk {hunk}: its header says {old_expected} old and {new_expected} new lines, found {old_found} old and {new_found} new"
    )]
    Counts {
        /// Number of the hunk within its file, from 1.
        hunk: usize,
        /// Old lines that the header says.
        old_expected: usize,
        /// New lines that the header says.
        new_expected: usize,
        /// Old lines that stand there.
        old_found: usize,
        /// New lines that stand there.
        new_found: usize,
    },
    /// A line of a hunk begins with none of space, `+`, `-` and `\`.
    #[error("hunk {hunk}: a line begins with none of ` `, `+`, `-` and `\\`")]
    Marker {
        /// Number of the hunk within its file, from 1.
        hunk: usize,
    },
    /// A hunk that changes nothing.
    #[error("hunk {hunk} adds and removes nothing")]
    Idle {
        /// Number of the hunk within its file, from 1.
        hunk: usize,
    },
    /// `\ No newline at end of file` where it says nothing.
    #[error("hunk {hunk}: `\\ No newline at end of file` must follow the last line of its side")]
    NoNewline {
        /// Number of the hunk within its file, from 1.
        hunk: usize,
    },
    /// Text behind a hunk that belongs to nothing.
    #[error("this line belongs to no hunk and no header")]
    Stray,
    /// A binary patch that breaks its form.
    #[error("the binary patch breaks its form")]
    Binary,
}
