#![doc = include_str!("../README.md")]

mod annotations;
mod cache;
mod classify;
mod comment;
mod common;
mod ctags;
mod diff;
mod extract;
mod file_stat;
mod grammar;
mod graph;
mod language;
mod map;
mod masking;
mod matches;
mod names;
mod pattern;
mod rank;
mod render;
mod settings;
mod signature;
mod snapshot;
mod tags;
mod walk;

pub use annotations::{Mark, Marks};
pub use cache::{Cache, Usage};
pub use classify::{LeftOut, MAX_BYTES};
pub use ctags::{write_ctags, write_jsonl};
pub use diff::{Change, Difference, diff};
pub use extract::{Unread, extract};
pub use language::Language;
pub use map::{BuildError, Map, build};
pub use settings::{Format, NoMap, Settings, TOKENS};
pub use snapshot::{File, Snapshot, TreeError, of_file, of_folder, of_revision, paths};
pub use tags::{Definition, Kind, Reference, Tags, Use};
