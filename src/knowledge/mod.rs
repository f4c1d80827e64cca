//! Knowledge for agents from traces, transcripts and documents, in one embedded store.
//!
//! [`reindex`] reads sources, splits them into observations, removes their secrets and writes a
//! whole run in one transaction. The store can be rebuilt from the sources at any time.
//! [`retrieve`] answers questions in layers that never exceed their token budget.

pub mod about;
pub mod bundle;
pub mod by_repository;
mod chunk;
pub mod compaction;
pub mod context;
mod entry;
mod error;
mod extract;
mod fulltext;
pub mod graph;
mod history;
mod index_files;
mod integrity;
#[cfg_attr(not(feature = "repomap"), path = "map_absent.rs")]
pub mod map;
pub mod memory;
#[cfg_attr(not(feature = "model2vec"), path = "model2vec_absent.rs")]
pub mod model2vec;
mod observation;
pub mod rank;
pub mod references;
pub mod reindex;
pub mod retrieve;
mod safe_file;
pub mod session;
pub mod skills;
mod source_config;
pub mod stats;
mod store;
mod tables;
pub mod usage;
mod vector;
mod weak;
pub mod window;
pub mod words;

pub use error::KnowledgeError;
pub use observation::{Id, Kind, Observation};
pub use source_config::{SourceKind, Sources};
pub use store::{Filter, Store, Stored};
pub use tables::SCHEMA;
