//! The work tree and its history: what stands in a repository at a revision. Read only.

pub mod git;
