//! Where paths are, and which of them are protected: from their text and known links alone.

mod aliases;
pub(crate) mod links;
pub(crate) mod name_globs;
pub mod path;
mod patterns;
pub(crate) mod private;
pub mod protected;
mod unexpanded;
