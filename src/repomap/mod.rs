//! The skeleton of a repository: what its files define, how that is written, and who refers to it.

mod comment;
mod extract;
mod grammar;
mod language;
mod names;
mod signature;
mod tags;

pub use extract::{Unread, extract};
pub use language::Language;
pub use tags::{Definition, Kind, Reference, Tags, Use};
