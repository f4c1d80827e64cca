//! The work tree and its history: what stands in a repository at a revision, what a diff does to
//! it, and where a path leads. Read only.

pub mod diff;
pub mod git;
pub mod name;
pub mod path;
