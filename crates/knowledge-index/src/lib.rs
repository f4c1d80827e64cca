#![doc = include_str!("../README.md")]

pub mod chunks;
mod error;
mod fulltext;
#[cfg_attr(not(feature = "model2vec"), path = "model2vec_absent.rs")]
pub mod model2vec;
mod observation;
pub mod rank;
mod store;
mod vector;
pub mod words;

pub use error::IndexError;
pub use fulltext::Words;
pub use observation::{Id, Kind, Observation, SUMMARY, summarise};
pub use store::{
    Filter, NewSource, OpenSource, Prepared, Schema, SourceRow, Store, Stored, Writer,
};
