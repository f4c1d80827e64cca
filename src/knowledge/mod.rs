//! Knowledge that an agent may rely on: what traces, transcripts and documents say, in one embedded
//! store.
//!
//! A source is read, cut into observations, freed of its secrets and written, all of a run in one
//! transaction ([`reindex`]). What stands in the store can be made again from the sources at any
//! time. Questions are answered in layers that never exceed their budget of tokens ([`retrieve`]).

pub mod about;
pub mod bundle;
mod chunk;
pub mod compaction;
pub mod context;
mod error;
mod extract;
pub mod graph;
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
mod store;
mod text;
mod vector;
mod weak;
pub mod window;
pub mod words;

pub use error::KnowledgeError;
pub use observation::{Id, Kind, Observation};
pub use source_config::{SourceKind, Sources};
pub use store::{Store, Stored};
