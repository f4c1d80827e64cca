//! Knowledge for agents from traces, transcripts and documents, in one index.
//!
//! [`reindex`] reads sources, splits them into observations, removes their secrets and writes a
//! whole run in one transaction. The index can be rebuilt from the sources at any time.
//! [`retrieve`] answers questions in layers that never exceed their token budget. The crate
//! `knowledge-index` holds the observations and ranks them.

pub mod about;
pub mod bundle;
pub mod by_repository;
pub mod compaction;
pub mod context;
mod entry;
mod error;
mod extract;
pub mod graph;
mod history;
mod index_files;
mod integrity;
#[cfg_attr(not(feature = "repomap"), path = "map_absent.rs")]
pub mod map;
pub mod memory;
pub mod references;
pub mod reindex;
pub mod retrieve;
mod safe_file;
pub mod session;
pub mod skills;
mod source_config;
pub mod stats;
mod tables;
pub mod usage;
mod weak;
pub mod window;

pub use error::KnowledgeError;
pub use source_config::{SourceKind, Sources};
pub use tables::SCHEMA;
